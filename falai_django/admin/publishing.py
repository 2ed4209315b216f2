"""The pages on which a draft becomes a release, releases are compared, and an older one serves again."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.pages import page_url, render_page, row_url
from falai_django.admin.problem_lists import shown_problems
from falai_django.authoring import publishing
from falai_django.authoring.publishing import DRAFT_NAME
from falai_django.documents import document_bytes
from falai_django.errors import FalaiError
from falai_django.models import Agent, Release

__all__ = ["activate", "compare", "export_release", "publish", "releases"]


def publish(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """What will change and what stands in the way; a POST with the version that was looked at publishes."""
    note = request.POST.get("note", "")
    if request.method == "POST":
        try:
            done = publishing.publish(actor_of(request), agent, note, request.POST.get("version", ""))
        except FalaiError as error:
            # The page tells the problems itself, each with its way.
            messages.error(request, str(error))
        else:
            _tell_published(request, done)
            return HttpResponseRedirect(page_url(model_admin, "change", agent))
    try:
        found = publishing.preview(actor_of(request), agent)
    except FalaiError as error:
        tell_error(request, error)
        return HttpResponseRedirect(page_url(model_admin, "change", agent))
    problems = shown_problems(model_admin.admin_site, found.problems)
    return render_page(
        model_admin,
        request,
        "publish.html",
        _("Publish"),
        agent,
        preview=found,
        problems=problems,
        has_errors=any(problem.is_error for problem in problems),
        note=note,
    )


def releases(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """All releases of an agent, the newest first."""
    found = agent.releases.order_by("-number").defer("document")[: model_admin.list_per_page * 4]
    site = model_admin.admin_site
    rows = [(release, row_url(release, site), release.pk == agent.active_release_id) for release in found]
    names = _names(agent)
    return render_page(
        model_admin,
        request,
        "releases.html",
        _("Releases"),
        agent,
        rows=rows,
        names=names,
        before=_chosen(request, names, "before", agent),
        after=DRAFT_NAME,
        compare_url=page_url(model_admin, "compare", agent),
    )


def compare(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """What makes one release another, or the draft another than a release."""
    names = _names(agent)
    before, after = _chosen(request, names, "before", agent), _chosen(request, names, "after", agent)
    try:
        changes = publishing.release_changes(actor_of(request), agent, before, after) if before else None
    except FalaiError as error:
        tell_error(request, error)
        changes = None
    return render_page(
        model_admin,
        request,
        "compare.html",
        _("Compare"),
        agent,
        names=names,
        before=before,
        after=after,
        changes=changes,
        compare_url=page_url(model_admin, "compare", agent),
    )


def activate(model_admin: Any, request: HttpRequest, release: Release) -> HttpResponse:
    """What would change, then let it serve."""
    agent, number = release.agent, release.number
    if request.method == "POST":
        if model_admin.carry_out(request, lambda: publishing.activate(actor_of(request), agent, number)):
            messages.success(request, gettext("Release %(number)d serves now.") % {"number": number})
        return HttpResponseRedirect(page_url(model_admin, "change", release))
    try:
        found = publishing.preview_activation(actor_of(request), agent, number)
    except FalaiError as error:
        tell_error(request, error)
        return HttpResponseRedirect(page_url(model_admin, "change", release))
    points = [change.sentence for change in found.changes] + [touched.sentence for touched in found.touched]
    return render_page(
        model_admin,
        request,
        "confirm.html",
        _("Activate"),
        release,
        question=gettext("Let release %(number)d of %(agent)s serve, instead of what serves now? It would change:")
        % {"number": number, "agent": agent},
        points=points or [gettext("nothing")],
        verb=_("Activate it"),
    )


def export_release(_model_admin: Any, _request: HttpRequest, release: Release) -> HttpResponse:
    """Its document as a file."""
    response = HttpResponse(document_bytes(release.document), content_type="application/json")
    name = f"{release.agent.slug}-{release.number}.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _names(agent: Agent) -> list[tuple[str, str]]:
    """What can be compared: the draft, and each release by its number."""
    numbers = agent.releases.order_by("-number").values_list("number", flat=True)
    told = [(str(number), gettext("release %(number)d") % {"number": number}) for number in numbers]
    return [(DRAFT_NAME, gettext("the draft")), *told]


def _chosen(request: HttpRequest, names: list[tuple[str, str]], which: str, agent: Agent) -> str:
    """What was asked for; by default the draft against what serves."""
    known = {name for name, _told in names}
    asked = request.GET.get(which, "")
    if asked in known:
        return asked
    serves = str(agent.active_release.number) if agent.active_release is not None else ""
    return serves if which == "before" else DRAFT_NAME


def _tell_published(request: HttpRequest, done: Any) -> None:
    words = {"number": done.release.number}
    if not done.is_new:
        messages.info(request, gettext("The draft says what release %(number)d says: nothing was published.") % words)
        return
    messages.success(request, gettext("Release %(number)d is published and serves now.") % words)
    for touched in done.touched:
        messages.warning(request, touched.sentence)
