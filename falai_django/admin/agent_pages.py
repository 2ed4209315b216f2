"""Pages of an agent: is it all right, copy it, take it out as a file."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.importing import import_agent, import_new
from falai_django.admin.pages import Page, page_url, render_page, row_url
from falai_django.admin.problem_lists import shown_problems
from falai_django.admin.publishing import compare, publish, releases
from falai_django.authoring import duplicate_agent
from falai_django.authoring.problems import problems
from falai_django.documents import document_bytes, export_document
from falai_django.errors import FalaiError
from falai_django.models import Agent
from falai_django.roles import Capability

__all__ = ["AGENT_PAGES"]


def check(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """All problems of the draft, each a way to its input."""
    try:
        shown = shown_problems(model_admin.admin_site, problems(agent))
    except FalaiError as error:
        tell_error(request, error)
        shown = None
    return render_page(model_admin, request, "check.html", _("Check"), agent, problems=shown)


def duplicate(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """Ask, then copy."""
    if request.method == "POST":
        try:
            copy = duplicate_agent(actor_of(request), agent)
        except FalaiError as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(page_url(model_admin, "change", agent))
        messages.success(request, gettext("This is the copy. It serves nobody before it is published."))
        return HttpResponseRedirect(row_url(copy, model_admin.admin_site))
    return render_page(
        model_admin,
        request,
        "confirm.html",
        _("Duplicate"),
        agent,
        question=gettext("Make a copy of the draft of %(agent)s, with its settings?") % {"agent": agent},
        verb=_("Duplicate it"),
    )


def export(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """The draft as a file."""
    try:
        file = document_bytes(export_document(agent))
    except FalaiError as error:
        tell_error(request, error)
        return HttpResponseRedirect(page_url(model_admin, "change", agent))
    response = HttpResponse(file, content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{agent.slug}.json"'
    return response


AGENT_PAGES = (
    Page("check", _("Check"), Capability.VIEW, check),
    Page("publish", _("Publish"), Capability.PUBLISH, publish),
    Page("releases", _("Releases"), Capability.VIEW, releases),
    Page("compare", _("Compare"), Capability.VIEW, compare),
    Page("duplicate", _("Duplicate"), Capability.EDIT, duplicate),
    Page("export", _("Export"), Capability.VIEW, export),
    Page("import", _("Import"), Capability.EDIT, import_agent),
    Page("import-new", _("Import an agent"), Capability.EDIT, import_new, of_list=True),
)
"""In the order in which an agent's page offers them."""
