"""Import: a file, then what it would change, then the import itself; the one place where the admin takes JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.pages import render_page, row_url
from falai_django.admin.problem_lists import shown_problems
from falai_django.authoring import ImportMode, plan_import, run_import
from falai_django.errors import AuthoringError, FalaiError
from falai_django.models import Agent, Tenant
from falai_django.roles import Capability, tenants_of

__all__ = ["import_agent", "import_new"]

_SALT: Final = "falai.import"
_HOURS: Final = 12


class ImportForm(forms.Form):
    """A file, or its text."""

    mode = forms.ChoiceField(
        label=_("What to do"),
        widget=forms.RadioSelect,
        initial=ImportMode.REPLACE,
        choices=[
            (ImportMode.REPLACE, _("Replace this agent's draft")),
            (ImportMode.COPY, _("Add it as a new agent")),
        ],
    )
    tenant = forms.ModelChoiceField(label=_("Tenant"), queryset=Tenant.objects.none())
    file = forms.FileField(label=_("File"), required=False, help_text=_("As an export gives it."))
    text = forms.CharField(
        label=_("Or its text"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 10, "cols": 80})
    )
    slug = forms.CharField(
        label=_("Slug of a new agent"), required=False, help_text=_("Empty: the file's own, made free.")
    )

    def clean(self) -> Any:
        typed = super().clean() or {}
        if not typed.get("file") and not typed.get("text", "").strip():
            self.add_error("file", gettext("Choose a file, or paste its text below."))
        return typed

    @property
    def content(self) -> str | bytes:
        """What was given."""
        given: Any = self.cleaned_data.get("file")
        return bytes(given.read()) if given else str(self.cleaned_data["text"])


def import_agent(model_admin: Any, request: HttpRequest, agent: Agent) -> HttpResponse:
    """Into an agent, or beside it."""
    form = _form(request)
    del form.fields["tenant"]
    return _import(model_admin, request, form, agent)


def import_new(model_admin: Any, request: HttpRequest, _row: None) -> HttpResponse:
    """As a new agent."""
    form = _form(request)
    del form.fields["mode"]
    tenants = tenants_of(actor_of(request), Capability.EDIT)
    chooser: Any = form.fields["tenant"]
    chooser.queryset = tenants
    if tenants.count() == 1:
        form.initial["tenant"] = tenants.get().pk
    return _import(model_admin, request, form, None)


def _form(request: HttpRequest) -> ImportForm:
    is_first_step = request.method == "POST" and "planned" not in request.POST
    return ImportForm(request.POST, request.FILES) if is_first_step else ImportForm()


def _import(model_admin: Any, request: HttpRequest, form: ImportForm, agent: Agent | None) -> HttpResponse:
    plan, planned = None, ""
    if request.method == "POST" and "planned" in request.POST:
        stored = _carried_out(request, agent)
        if stored is not None:
            return HttpResponseRedirect(row_url(stored, model_admin.admin_site))
    elif form.is_valid():
        try:
            plan, planned = _plan(request, form, agent)
        except FalaiError as error:
            _tell(form, error)
    problems = shown_problems(model_admin.admin_site, plan.problems) if plan is not None else []
    return render_page(
        model_admin,
        request,
        "import.html",
        _("Import"),
        agent,
        form=form,
        plan=plan,
        planned=planned,
        problems=problems,
    )


def _plan(request: HttpRequest, form: ImportForm, agent: Agent | None) -> Any:
    """What it would do, and all of it sealed, so that what is confirmed is what was shown."""
    typed, content = form.cleaned_data, form.content
    order = {
        "mode": typed.get("mode", ImportMode.COPY),
        "tenant": agent.tenant_id if agent is not None else typed["tenant"].pk,
        "agent": agent.pk if agent is not None else None,
        "slug": typed["slug"],
    }
    plan = plan_import(actor_of(request), _target(order), content, mode=ImportMode(order["mode"]), slug=order["slug"])
    text = content if isinstance(content, str) else content.decode("utf-8-sig")
    planned = signing.dumps({**order, "content": text, "token": plan.token}, salt=_SALT, compress=True)
    if len(planned) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or len(planned)):
        raise AuthoringError(gettext("This file is too large for this page. Import it by `manage.py falai_import`."))
    return plan, planned


def _carried_out(request: HttpRequest, agent: Agent | None) -> Any:
    """The row that has the document now; None when it was refused, which is told."""
    try:
        order = signing.loads(request.POST["planned"], salt=_SALT, max_age=_HOURS * 3600)
    except signing.BadSignature:
        messages.error(request, gettext("This plan is too old, or not of this site. Begin again with the file."))
        return None
    if order["agent"] != (None if agent is None else agent.pk):
        messages.error(request, gettext("This plan is for another agent. Begin again with the file."))
        return None
    try:
        stored = run_import(
            actor_of(request),
            _target(order),
            order["content"],
            mode=ImportMode(order["mode"]),
            slug=order["slug"],
            as_draft="as_draft" in request.POST,
            token=order["token"],
        )
    except FalaiError as error:
        messages.error(request, str(error))
        return None
    messages.success(request, gettext("Imported. It is a draft: publish it to let it serve."))
    return stored


def _target(order: Mapping[str, Any]) -> Agent | Tenant:
    """As `authoring` asks for it; it asks for the person's role in it, too."""
    if order["mode"] == ImportMode.REPLACE:
        agent: Agent = Agent.objects.get(pk=order["agent"])
        return agent
    return Tenant.objects.get(pk=order["tenant"])


def _tell(form: ImportForm, error: FalaiError) -> None:
    """At the file: what cannot be read in it, each with its place."""
    problems = getattr(error, "problems", ())
    told = [_problem_text(problem) for problem in problems] or [str(error)]
    for text in told:
        form.add_error("slug" if any(problem.path == "slug" for problem in problems) else "file", text)


def _problem_text(problem: Any) -> str:
    place = problem.document_path
    return f"{place}: {problem.message}" if place else str(problem.message)
