"""The page that copies a row."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.body_admin import posted_version
from falai_django.admin.pages import Page, render_page, row_url
from falai_django.authoring import duplicate, duplicate_flow
from falai_django.authoring.editing import token_row
from falai_django.errors import FalaiError
from falai_django.models import Flow, Step, Trigger
from falai_django.roles import Capability

__all__ = ["COPY_PAGE"]


def _copy(model_admin: Any, request: HttpRequest, row: Any) -> HttpResponse:
    """Ask, then copy; a copy stands right behind the original."""
    if request.method != "POST":
        question = gettext("Make a copy of “%(row)s”?") % {"row": row}
        context = {"question": question, "verb": _("Duplicate it"), "version": token_row(row).version}
        return render_page(model_admin, request, "deed.html", _("Duplicate"), row, **context)
    try:
        copy = _copied(request, row)
    except FalaiError as error:
        tell_error(request, error)
        return HttpResponseRedirect(_way_back(model_admin, row))
    messages.success(request, gettext("“%(row)s” was copied.") % {"row": row})
    return HttpResponseRedirect(_way_back(model_admin, copy))


def _copied(request: HttpRequest, row: Any) -> Any:
    if isinstance(row, Flow):
        return duplicate_flow(actor_of(request), row)
    version = posted_version(request) if isinstance(row, Trigger | Step) else None
    return duplicate(actor_of(request), row, version=version)


def _way_back(model_admin: Any, row: Any) -> str:
    place_of = getattr(model_admin, "place_of", None)
    return row_url(row, model_admin.admin_site) if place_of is None else str(place_of(row))


COPY_PAGE = Page("duplicate", _("Duplicate"), Capability.EDIT, _copy)
