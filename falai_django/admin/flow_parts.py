"""Triggers and steps: reached from their flow's page, and back there when something was done (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django import forms
from falai_django.admin.acting import actor_of
from falai_django.admin.body_admin import DraftRowAdmin, posted_version
from falai_django.admin.copying import COPY_PAGE
from falai_django.admin.draft_view import DraftView, draft_view
from falai_django.admin.narrowing import AgentFilter, TenantFilter
from falai_django.admin.ordering import BY, moved
from falai_django.admin.pages import Page, render_page, row_url
from falai_django.authoring import create_part, reorder
from falai_django.forms import Assembly
from falai_django.models import Agent, Step, Trigger
from falai_django.roles import Capability

__all__ = ["StepAdmin", "TriggerAdmin"]


def _move(model_admin: Any, request: HttpRequest, row: Any) -> HttpResponse:
    """Ask which way, then move the row one place."""
    if request.method != "POST":
        question = gettext("Move “%(row)s” one place?") % {"row": row}
        buttons = [("direction", "up", _("Move up")), ("direction", "down", _("Move down"))]
        context = {"question": question, "buttons": buttons, "version": row.flow.version}
        return render_page(model_admin, request, "deed.html", _("Move"), row, **context)
    by = BY.get(request.POST.get("direction", ""), 0)
    if by and model_admin.carry_out(request, lambda: _reorder(request, row, by)):
        messages.success(request, gettext("“%(row)s” was moved.") % {"row": row})
    return HttpResponseRedirect(model_admin.place_of(row))


def _reorder(request: HttpRequest, row: Any, by: int) -> None:
    model, flow = type(row), row.flow
    keys = model.objects.filter(flow=flow).order_by("position", "pk").values_list("pk", flat=True)
    reorder(actor_of(request), flow, model, moved(list(keys), {row.pk}, by), version=posted_version(request))


class FlowPartAdmin(DraftRowAdmin):
    """A row of a flow's list. Its edit token is the flow's."""

    parent = "flow"
    columns = ("label",)
    change_form_template = "falai_django/admin/part_form.html"
    pages = (Page("move", _("Move"), Capability.EDIT, _move), COPY_PAGE)
    list_display: Any = ("__str__", "kind", "flow", "agent", "place")
    list_filter: ClassVar[Any] = (TenantFilter, AgentFilter, "kind")
    list_select_related: ClassVar[Any] = ("flow__agent",)
    search_fields: ClassVar[Any] = ("label", "flow__name", "flow__slug")
    ordering: ClassVar[Any] = ("flow__agent", "flow__position", "flow", "position", "pk")

    @admin.display(description=_("agent"), ordering="flow__agent")
    def agent(self, row: Any) -> Agent:
        return self.agent_of(row)

    @admin.display(description=_("order"), ordering="position")
    def place(self, row: Any) -> int:
        position: int = row.position
        return position + 1

    def agent_of(self, row: Any) -> Agent:
        agent: Agent = row.flow.agent
        return agent

    def view_of(self, request: HttpRequest, row: Any) -> DraftView:
        return draft_view(request, row.flow.agent, row.flow)

    def place_of(self, row: Any) -> str:
        """The row's place on the page of its flow."""
        return f"{self.list_of(row)}#{self.opts.model_name}-{row.pk}"

    def list_of(self, row: Any) -> str:
        """The page of its flow."""
        return row_url(row.flow, self.admin_site)

    def create(self, request: HttpRequest, form: Any) -> Any:
        # Behind the others nothing of theirs can be lost, so it does not matter what the page showed.
        flow = self.begun(request).flow
        return create_part(actor_of(request), flow, self.model, version=None, values=self.values(request, None, form))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        row = context["original"] or self.begun(request)
        context |= {"flow": row.flow, "flow_url": self.list_of(row), "part": row}
        return super().render_change_form(request, context, *args, **kwargs)

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(self.place_of(obj))

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(self.place_of(obj))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Back to what is left of the list."""
        row = self.get_object(request, object_id)
        response = super().delete_view(request, object_id, extra_context)
        gone = row is not None and not self.model.objects.filter(pk=row.pk).exists()
        return HttpResponseRedirect(f"{self.list_of(row)}#{self.opts.model_name}s") if gone else response


@admin.register(Trigger)
class TriggerAdmin(FlowPartAdmin):
    """What starts a flow."""

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        if row.pk is None and row.kind == Trigger.Kind.MESSAGE:
            # The new form says that no line at all starts on everything, and who saves it so means it.
            spec = {**spec, "message": []}
        return forms.trigger_fields(row.kind, spec, view.names)


@admin.register(Step)
class StepAdmin(FlowPartAdmin):
    """One thing that a flow does; its id is made and never changes."""

    anchors: ClassVar[Mapping[str, str]] = {"with": "do"}
    search_fields: ClassVar[Any] = (*FlowPartAdmin.search_fields, "step_id")

    def shown_first(self, request: HttpRequest, obj: Any) -> tuple[str, ...]:
        return ("flow", "kind") if obj is None else ("flow", "kind", "step_id")

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.step_fields(row.kind, spec, view.names)
