"""Flows: the head as a form, and below it how the flow starts and what it does, step by step (spec: ux.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextareaWidget
from django.db.models import Count, OuterRef, QuerySet, Subquery, TextField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from falai_django import forms
from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.body_admin import DraftRowAdmin
from falai_django.admin.copying import COPY_PAGE
from falai_django.admin.draft_view import DraftView, draft_view
from falai_django.admin.flow_sections import flow_sections
from falai_django.admin.narrowing import AgentFilter, TenantFilter, asked_key
from falai_django.admin.ordering import OrderedAdmin
from falai_django.admin.pages import Page, row_url
from falai_django.authoring import change, duplicate_flow, problems
from falai_django.documents import document_bytes, export_flow, row_spec
from falai_django.errors import DocumentError
from falai_django.forms import Assembly
from falai_django.models import Agent, Flow, Step
from falai_django.roles import Capability

__all__ = ["FlowAdmin"]


def _export(model_admin: Any, request: HttpRequest, flow: Flow) -> HttpResponse:
    """The flow as a file."""
    try:
        file = document_bytes(export_flow(flow))
    except DocumentError as error:
        tell_error(request, error)
        return HttpResponseRedirect(row_url(flow, model_admin.admin_site))
    response = HttpResponse(file, content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{flow.slug}.json"'
    return response


@admin.register(Flow)
class FlowAdmin(OrderedAdmin, DraftRowAdmin):
    """The edit token of a flow covers its triggers and steps."""

    change_form_template = "falai_django/admin/flow_form.html"
    formfield_overrides: ClassVar[Any] = {TextField: {"widget": AdminTextareaWidget(attrs={"rows": 3})}}
    pages = (COPY_PAGE, Page("export", _("Export"), Capability.VIEW, _export))
    actions: Any = (*OrderedAdmin.actions, "enable", "disable", "copy_them")
    list_display = ("__str__", "slug", "agent", "place", "is_enabled", "steps")
    list_filter = (TenantFilter, AgentFilter, "is_enabled")
    list_select_related = ("agent",)
    search_fields = ("name", "slug", "description", "agent__name", "agent__slug")

    # The list

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        steps = Step.objects.filter(flow=OuterRef("pk")).order_by().values("flow").annotate(n=Count("pk")).values("n")
        flows: QuerySet[Any] = super().get_queryset(request).annotate(step_count=Subquery(steps))
        return flows

    def get_list_display(self, request: HttpRequest) -> Any:
        """With the problems of each where one draft tells them all: in the list of one agent."""
        agent = self._agent_of_list(request)
        return self.list_display if agent is None else (*self.list_display, _problem_column(agent))

    def _agent_of_list(self, request: HttpRequest) -> Agent | None:
        visible = Agent.objects.filter(pk__in=self.get_queryset(request).order_by().values("agent"))
        chosen = asked_key(request.GET.get(AgentFilter.parameter_name))
        if chosen is not None:
            visible = visible.filter(pk=chosen)
        found = list(visible.select_related("tenant")[:2])
        return found[0] if len(found) == 1 else None

    @admin.display(description=_("steps"), ordering="step_count", empty_value="0")
    def steps(self, flow: Any) -> int | None:
        count: int | None = flow.step_count
        return count

    @admin.action(description=_("Switch on"), permissions=["change"])
    def enable(self, request: HttpRequest, queryset: Any) -> None:
        self._switch(request, queryset, is_enabled=True)

    @admin.action(description=_("Switch off"), permissions=["change"])
    def disable(self, request: HttpRequest, queryset: Any) -> None:
        self._switch(request, queryset, is_enabled=False)

    @admin.action(description=_("Duplicate"), permissions=["change"])
    def copy_them(self, request: HttpRequest, queryset: Any) -> None:
        count = sum(self.carry_out(request, _deed(duplicate_flow, request, flow)) for flow in queryset)
        self._tell_count(request, count, switched=False)

    def _switch(self, request: HttpRequest, queryset: Any, *, is_enabled: bool) -> None:
        values = {"is_enabled": is_enabled}
        deeds = (_deed(change, request, flow, values, version=None) for flow in queryset)
        self._tell_count(request, sum(self.carry_out(request, deed) for deed in deeds), switched=True)

    def _tell_count(self, request: HttpRequest, count: int, *, switched: bool) -> None:
        if switched:
            told = ngettext(
                "%(count)d flow was switched. Publish the agent to let it count.",
                "%(count)d flows were switched. Publish the agent to let it count.",
                count,
            )
        else:
            told = ngettext("%(count)d flow was copied.", "%(count)d flows were copied.", count)
        if count:
            messages.success(request, told % {"count": count})

    # The page

    def view_of(self, request: HttpRequest, row: Any) -> DraftView:
        return draft_view(request, row.agent, None if row.pk is None else row)

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.flow_head_fields(spec, view.names)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new flow is asked for what it is called; its rules are out of the way until there are any."""
        first = ("agent", "name", "slug" if obj is None or not obj.is_released else "fixed_slug", "description")
        if obj is None:
            return ((None, {"fields": first}),)
        rules = self.inputs(request, obj)
        unused = not {*rules} & row_spec(obj).keys()
        options = {"fields": rules, "classes": ("collapse",) if unused else ()}
        return ((None, {"fields": (*first, "is_enabled")}), (_("Rules"), options))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        flow = context["original"]
        if flow is not None:
            context["sections"] = flow_sections(self.admin_site, self.view_of(request, flow), flow)
            context["may_edit"] = self.has_change_permission(request, flow)
        return super().render_change_form(request, context, *args, **kwargs)

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """To its page: what it does is still to be said."""
        return HttpResponseRedirect(row_url(obj, self.admin_site))


def _deed(do: Callable[..., Any], request: HttpRequest, *arguments: Any, **options: Any) -> Callable[[], object]:
    return lambda: do(actor_of(request), *arguments, **options)


def _problem_column(agent: Agent) -> Callable[[Any], Any]:
    """A column that counts the problems of each flow and its parts; those of a flow that is off are not looked for."""
    try:
        counts = Counter(_flow_of(problem.row) for problem in problems(agent))
    except DocumentError:
        counts = Counter()

    @admin.display(description=_("problems"))
    def problem_count(flow: Flow) -> str:
        return str(counts[flow.pk] or "–") if flow.is_enabled else gettext("not looked for: it is off")

    return problem_count


def _flow_of(row: Any) -> int | None:
    """The key of the flow that a row is or lies in."""
    return row.pk if isinstance(row, Flow) else getattr(row, "flow_id", None)
