"""Releases: what was published, to read; never changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from falai_django.admin.narrowing import AgentFilter, TenantFilter
from falai_django.admin.outlines import outline, shown
from falai_django.admin.pages import Page
from falai_django.admin.publishing import activate, export_release
from falai_django.admin.scoped import ReadOnlyAdmin
from falai_django.differences import Labels, step_summary, trigger_summary
from falai_django.models import Release
from falai_django.roles import Capability

__all__ = ["ReleaseAdmin"]

_FLOWS = "flows"


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    """The document as an outline, flows step by step."""

    pages = (
        Page(
            "activate",
            _("Activate"),
            Capability.PUBLISH,
            activate,
            is_offered=lambda release: release.agent.active_release_id != release.pk,
        ),
        Page("export", _("Export"), Capability.VIEW, export_release),
    )
    list_display = ("name", "agent", "created_at", "created_by_name", "serves", "short_note")
    list_filter = (TenantFilter, AgentFilter, "created_at")
    list_select_related = ("agent",)
    search_fields = ("note", "created_by_name", "agent__name", "agent__slug")
    ordering = ("-pk",)
    fieldsets = (
        (None, {"fields": ("agent", "name", "serves", "created_at", "created_by_name", "note")}),
        (_("What it says"), {"fields": ("flows", "rest")}),
        (_("Identity"), {"classes": ("collapse",), "fields": ("spec_version", "digest", "shown_sensitive")}),
    )
    shown_sensitive = shown("sensitive", _("sensitive fields"))
    readonly_fields = ("name", "serves", "flows", "rest", "shown_sensitive")

    @admin.display(description=_("release"), ordering="number")
    def name(self, release: Release) -> int:
        number: int = release.number
        return number

    @admin.display(description=_("serves now"), boolean=True)
    def serves(self, release: Release) -> bool:
        return bool(release.agent.active_release_id == release.pk)

    @admin.display(description=_("note"))
    def short_note(self, release: Release) -> str:
        longest = 80
        return release.note if len(release.note) <= longest else f"{release.note[:longest].rstrip()}…"

    @admin.display(description=_("flows"))
    def flows(self, release: Release) -> str:
        labels = Labels.of(release.document)
        flows = [_flow(flow, labels) for flow in _list(_get(release.document, _FLOWS))]
        return render_to_string("falai_django/admin/flows.html", {"flows": flows})

    @admin.display(description=_("the rest"))
    def rest(self, release: Release) -> str:
        rest = {key: value for key, value in release.document.items() if key != _FLOWS}
        return render_to_string("falai_django/admin/outline.html", {"node": outline(rest)})


def _flow(flow: Any, labels: Labels) -> dict[str, Any]:
    """A flow for reading: how it starts, and its steps, each in a line."""
    inside = labels.within(flow)
    return {
        "name": _get(flow, "name") or _get(flow, "id"),
        "description": _get(flow, "description"),
        "triggers": [trigger_summary(trigger, labels) for trigger in _list(_get(flow, "on"))],
        "steps": [(inside.step(_get(step, "id")), step_summary(step, inside)) for step in _list(_get(flow, "steps"))],
    }


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
