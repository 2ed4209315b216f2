"""Conversations: the list, and one of them with its data, runs, wakes and all that was written."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from falai_django.admin.cells import short
from falai_django.admin.narrowing import AgentFilter, TenantFilter, asked_key
from falai_django.admin.outlines import outline_html, shown
from falai_django.admin.scoped import ReadOnlyAdmin
from falai_django.admin.timelines import timeline
from falai_django.hiding import hidden_of_session
from falai_django.models import Session, SessionRun, Turn

__all__ = ["SessionAdmin"]

_BEFORE = "before"


class StateFilter(admin.SimpleListFilter):
    """What an operator looks for."""

    title = _("state")
    parameter_name = "is"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("running", _("In a flow")),
            ("silenced", _("Silenced")),
            ("queued", _("Something is waiting")),
            ("failed", _("A turn failed")),
            ("erasing", _("Being erased")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "running":
                return queryset.filter(Exists(SessionRun.objects.filter(session=OuterRef("pk"))))
            case "silenced":
                return queryset.filter(silenced__isnull=False)
            case "queued":
                return queryset.filter(due__isnull=False)
            case "failed":
                ended = [Turn.State.FAILED, Turn.State.DEAD]
                return queryset.filter(Exists(Turn.objects.filter(session=OuterRef("pk"), state__in=ended)))
            case "erasing":
                return queryset.filter(erasing_at__isnull=False)
        return queryset


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Only to be looked at here."""

    list_display = ("short_id", "agent", "last_activity_at", "is_silenced", "due")
    list_filter = (TenantFilter, AgentFilter, StateFilter, "last_activity_at")
    list_select_related = ("agent",)
    search_fields = ("session_id",)
    change_form_template = "falai_django/admin/conversation.html"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("agent", "session_id"),
                    ("created_at", "last_activity_at"),
                    ("silenced", "silenced_until"),
                    ("due", "unanswered", "apologized", "erasing_at"),
                    ("shown_data", "shown_anchors"),
                )
            },
        ),
        (
            _("Behind it"),
            {
                "classes": ("collapse",),
                "fields": ("shown_context", "shown_metadata", ("version", "epoch", "unreadable"), "lease_until"),
            },
        ),
    )
    short_id = short("session_id", _("session"))
    shown_anchors = shown("anchors", _("anchors"))
    readonly_fields = ("shown_data", "shown_metadata", "shown_context", "shown_anchors")

    @admin.display(description=_("silenced"), boolean=True)
    def is_silenced(self, session: Session) -> bool:
        return session.silenced is not None

    @admin.display(description=_("data"))
    def shown_data(self, session: Session) -> str:
        return outline_html(hidden_of_session(session).without(_part(session.blob, "data")))

    @admin.display(description=_("metadata"))
    def shown_metadata(self, session: Session) -> str:
        return outline_html(hidden_of_session(session).without(_part(session.blob, "metadata")))

    @admin.display(description=_("context"))
    def shown_context(self, session: Session) -> str:
        return outline_html(hidden_of_session(session).without(session.context))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        session = context["original"]
        before = request.GET.get(_BEFORE, "")
        context["runs"] = session.session_runs.all()
        context["wakes"] = session.wakes.all()[: self.list_per_page]
        context["timeline"] = timeline(session, hidden_of_session(session), asked_key(before))
        return super().render_change_form(request, context, *args, **kwargs)


def _part(blob: Any, key: str) -> Any:
    return blob.get(key) if isinstance(blob, dict) else None
