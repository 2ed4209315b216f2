"""Fields, and the registries: actions, events, conditions and tools (spec: host.md section 1, ux.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest

from falai_django import forms
from falai_django.admin.body_admin import DraftRowAdmin
from falai_django.admin.copying import COPY_PAGE
from falai_django.admin.draft_view import DraftView
from falai_django.admin.narrowing import AgentFilter, TenantFilter
from falai_django.admin.ordering import OrderedAdmin
from falai_django.admin.pages import Page
from falai_django.admin.trying import TRY_PAGE
from falai_django.forms import Assembly
from falai_django.models import Action, Condition, Event, Field, Tool

__all__ = ["ActionAdmin", "ConditionAdmin", "EventAdmin", "FieldAdmin", "ToolAdmin"]


class DefinitionAdmin(OrderedAdmin, DraftRowAdmin):
    """What flows may name, declared once for the agent."""

    pages: ClassVar[tuple[Page, ...]] = (COPY_PAGE,)
    list_filter: ClassVar[Any] = (TenantFilter, AgentFilter)
    list_select_related: ClassVar[Any] = ("agent",)
    search_fields: ClassVar[Any] = ("slug", "agent__name", "agent__slug")


@admin.register(Field)
class FieldAdmin(DefinitionAdmin):
    """The form's `value` is type and choices together."""

    columns = ("is_sensitive",)
    anchors: ClassVar[Mapping[str, str]] = {"type": "value", "enum": "value"}
    list_display: Any = ("__str__", "slug", "agent", "type", "is_sensitive", "place")
    list_filter: ClassVar[Any] = (TenantFilter, AgentFilter, "type", "is_sensitive")
    search_fields: ClassVar[Any] = ("slug", "label", "agent__name", "agent__slug")

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.field_fields(spec)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """What people call it comes first, whether it is sensitive last."""
        inputs = self.inputs(request, obj)
        first = ("agent", "label", *self.shown_first(request, obj)[1:])
        rest = [name for name in inputs if name != "label"]
        return ((None, {"fields": (*first, *rest, *self.columns)}),)


class KindAdmin(DefinitionAdmin):
    """A definition whose inputs depend on its kind."""

    list_display: Any = ("slug", "kind", "agent", "place")
    list_filter: ClassVar[Any] = (TenantFilter, AgentFilter, "kind")


class CallAdmin(KindAdmin):
    """What runs when it is called; a request can be tried."""

    pages = (TRY_PAGE, COPY_PAGE)


@admin.register(Action)
class ActionAdmin(CallAdmin):
    """What `do` steps run."""

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.action_fields(row.kind, spec, view.names)


@admin.register(Condition)
class ConditionAdmin(KindAdmin):
    """Questions that code answers."""

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.condition_fields(row.kind, spec, view.names)


@admin.register(Tool)
class ToolAdmin(CallAdmin):
    """What the model may call."""

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.tool_fields(row.kind, spec, view.names)


@admin.register(Event)
class EventAdmin(DefinitionAdmin):
    """What may happen outside."""

    list_display: Any = ("slug", "agent", "place")

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return forms.event_fields(spec)
