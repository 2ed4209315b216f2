"""The page on which an HTTP action or tool is tried: sample values, the request, and when asked for, its answer."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.draft_view import draft_view
from falai_django.admin.outlines import outline
from falai_django.admin.pages import Page, render_page
from falai_django.authoring.trials import send_request, show_request
from falai_django.documents import row_spec
from falai_django.errors import FalaiError
from falai_django.forms import sample_fields, sample_values
from falai_django.outgoing.trials import Trial
from falai_django.roles import Capability

__all__ = ["TRY_PAGE"]

_HTTP: Final = "http"
_SEND: Final = "send"
_OUTCOMES: Final = {"ok": _("Done"), "skipped": _("Skipped"), "failed": _("Failed")}


def _try(model_admin: Any, request: HttpRequest, row: Any) -> HttpResponse:
    """Nothing of it is stored; to send takes a button of its own, on the page that shows what would leave."""
    if row.kind != _HTTP:
        return render_page(model_admin, request, "try.html", _("Try it"), row, form=None)
    spec = row_spec(row)
    made: type[forms.Form] = type(
        "SampleForm", (forms.Form,), sample_fields(spec, draft_view(request, row.agent).names)
    )
    form = made(request.POST if request.method == "POST" else None)
    trial = _tried(request, row, spec, form) if form.is_bound and form.is_valid() else None
    context = {"form": form, "trial": trial, **(_told(trial) if trial is not None and trial.reading else {})}
    return render_page(
        model_admin, request, "try.html", _("Try it"), row, **context, media=model_admin.media + form.media
    )


def _tried(request: HttpRequest, row: Any, spec: Any, form: forms.Form) -> Trial | None:
    deed = send_request if _SEND in request.POST else show_request
    try:
        return deed(actor_of(request), row, sample_values(spec, form.cleaned_data))
    except FalaiError as error:
        tell_error(request, error)
        return None


def _told(trial: Trial) -> dict[str, Any]:
    """What the answer came to, for the template."""
    reading = trial.reading
    assert reading is not None
    return {
        "outcome": _OUTCOMES[reading.kind],
        "value": None if reading.value is None else outline(reading.value),
        "fields": outline(reading.set) if reading.set else None,
        "left_out": list(reading.left_out.values()),
    }


TRY_PAGE = Page("try", _("Try it"), Capability.EDIT, _try, is_offered=lambda row: row.kind == _HTTP)
