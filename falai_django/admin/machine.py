"""Rows that the machine makes for conversations, to look at (spec: ux.md; operators have pages of their own)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.narrowing import AgentFilter, TenantFilter
from falai_django.admin.outlines import shown
from falai_django.admin.scoped import ReadOnlyAdmin
from falai_django.failures import failure_words
from falai_django.hiding import hidden_of_turn
from falai_django.models import Anchor, Claim, Receipt, SessionRun, TokenCount, Turn, Wake
from falai_django.outcome_words import outcome_words

__all__ = [
    "AnchorAdmin",
    "ClaimAdmin",
    "ReceiptAdmin",
    "SessionRunAdmin",
    "TokenCountAdmin",
    "TurnAdmin",
    "WakeAdmin",
]


@admin.register(SessionRun)
class SessionRunAdmin(ReadOnlyAdmin):
    """Live runs."""

    list_display = ("run_id", "session", "flow", "step", "status", "waiting_until")
    list_filter = (TenantFilter, AgentFilter, "status")
    list_select_related = ("session",)
    search_fields = ("flow", "step", "session__session_id")
    fields = ("session", "run_id", "flow", "step", "status", "waiting_until")


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """The log."""

    list_display = ("__str__", "session", "state", "release", "received_at", "ended_at", "shown_error")
    list_filter = (TenantFilter, AgentFilter, "state", "kind")
    list_select_related = ("session", "release")
    search_fields = ("key", "session__session_id", "error")
    fieldsets = (
        (None, {"fields": ("session", "kind", "key", "state", "shown_outcomes")}),
        (_("What came and what went"), {"fields": ("shown_input", "deliver", "shown_response", "merged_into")}),
        (
            _("How it ran"),
            {
                "fields": (
                    ("received_at", "ended_at", "not_before"),
                    ("attempts", "model_failures", "results_dropped"),
                    ("calls", "tokens", "milliseconds"),
                    ("release", "wanted_release"),
                    "shown_error",
                    "shown_error_detail",
                )
            },
        ),
    )
    shown_input = shown("input", _("input"), lambda turn: hidden_of_turn(turn).without(turn.input))
    shown_response = shown("response", _("response"), lambda turn: hidden_of_turn(turn).without(turn.response))
    shown_error_detail = shown(
        "error_detail", _("error in full"), lambda turn: hidden_of_turn(turn).without(turn.error_detail)
    )
    shown_outcomes = shown(
        "outcomes",
        _("what happened"),
        lambda turn: [outcome_words(line) for line in hidden_of_turn(turn).without(turn.outcomes or [])],
    )
    readonly_fields = ("shown_input", "shown_response", "shown_outcomes", "shown_error", "shown_error_detail")

    @admin.display(description=_("error"), ordering="error")
    def shown_error(self, turn: Turn) -> str:
        return failure_words(turn.error) or "–"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("session__agent", "release")


@admin.register(Wake)
class WakeAdmin(ReadOnlyAdmin):
    """What is to be woken, and when."""

    list_display = ("key", "session", "due")
    list_filter = (TenantFilter, AgentFilter)
    list_select_related = ("session",)
    search_fields = ("key", "session__session_id")
    fields = ("session", "key", "due", "created_at")


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """What was started outside, and what it gave."""

    list_display = ("key", "kind", "state", "started_at", "done_at")
    list_filter = (TenantFilter, AgentFilter, "kind", "state")
    search_fields = ("key", "turn__session__session_id")
    ordering = ("-pk",)
    fields = ("turn", "kind", "key", "state", "shown_result", "started_at", "done_at")
    shown_result = shown("result", _("result"), lambda receipt: hidden_of_turn(receipt.turn).without(receipt.result))
    readonly_fields = ("shown_result",)


@admin.register(Anchor)
class AnchorAdmin(ReadOnlyAdmin):
    """Whom or what several conversations are about."""

    list_display = ("__str__", "agent", "last_inbound_at")
    list_filter = (TenantFilter, AgentFilter)
    list_select_related = ("agent",)
    search_fields = ("name", "key")
    fields = ("agent", "name", "key", "last_inbound_at", "shown_sessions")
    shown_sessions = shown(
        "sessions",
        _("conversations"),
        lambda anchor: [str(session) for session in anchor.sessions.order_by("-last_activity_at")[:50]],
    )
    readonly_fields = ("shown_sessions",)


@admin.register(Claim)
class ClaimAdmin(ReadOnlyAdmin):
    """Which flows were started for which anchor."""

    list_display = ("dedupe_key", "agent", "flow", "anchor", "live", "at")
    list_filter = (TenantFilter, AgentFilter, "live")
    list_select_related = ("agent",)
    search_fields = ("dedupe_key", "flow", "anchor")
    fields = ("agent", "dedupe_key", "flow", "anchor", "at", "live", "session")


@admin.register(TokenCount)
class TokenCountAdmin(ReadOnlyAdmin):
    """What models were given and gave, day by day."""

    list_display = ("day", "tenant", "tokens")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant",)
    fields = ("tenant", "day", "tokens")
