"""Rows that the machine makes for conversations, to look at (spec: ux.md; operators have pages of their own)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from falai_django.admin.cells import short, shortened
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

    list_display = ("short_run", "short_session", "flow", "step", "status", "waiting_until")
    list_filter = (TenantFilter, AgentFilter, "status")
    list_select_related = ("session",)
    search_fields = ("flow", "step", "session__session_id")
    short_run = short("run_id", _("run"))
    short_session = short("session__session_id", _("conversation"))
    fields = ("session", "run_id", "flow", "step", "status", "waiting_until")


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """The log."""

    list_display = ("kind_and_key", "short_session", "state", "release", "received_at", "ended_at", "shown_error")
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
    short_session = short("session__session_id", _("conversation"), 16)
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

    @admin.display(description=_("turn"))
    def kind_and_key(self, turn: Turn) -> str:
        return format_html("{} {}", turn.get_kind_display(), shortened(turn.key, 8))

    @admin.display(description=_("error"), ordering="error")
    def shown_error(self, turn: Turn) -> str:
        return failure_words(turn.error) or "–"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("session__agent", "release")


@admin.register(Wake)
class WakeAdmin(ReadOnlyAdmin):
    """What is to be woken, and when."""

    list_display = ("short_key", "short_session", "due")
    list_filter = (TenantFilter, AgentFilter)
    list_select_related = ("session",)
    search_fields = ("key", "session__session_id")
    short_key = short("key", _("key"), 40)
    short_session = short("session__session_id", _("conversation"))
    fields = ("session", "key", "due", "created_at")


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """What was started outside, and what it gave."""

    list_display = ("short_key", "kind", "state", "started_at", "done_at")
    list_filter = (TenantFilter, AgentFilter, "kind", "state")
    search_fields = ("key", "turn__session__session_id")
    ordering = ("-pk",)
    fields = ("turn", "kind", "key", "state", "shown_result", "started_at", "done_at")
    short_key = short("key", _("key"))
    shown_result = shown("result", _("result"), lambda receipt: hidden_of_turn(receipt.turn).without(receipt.result))
    readonly_fields = ("shown_result",)


@admin.register(Anchor)
class AnchorAdmin(ReadOnlyAdmin):
    """Whom or what several conversations are about."""

    list_display = ("name_and_key", "agent", "last_inbound_at")
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

    @admin.display(description=_("anchor"))
    def name_and_key(self, anchor: Anchor) -> str:
        return format_html("{} {}", anchor.name, shortened(anchor.key))


@admin.register(Claim)
class ClaimAdmin(ReadOnlyAdmin):
    """Which flows were started for which anchor."""

    list_display = ("short_key", "agent", "flow", "short_anchor", "live", "at")
    list_filter = (TenantFilter, AgentFilter, "live")
    list_select_related = ("agent",)
    search_fields = ("dedupe_key", "flow", "anchor")
    short_key = short("dedupe_key", _("key"))
    short_anchor = short("anchor", _("anchor"), 12)
    fields = ("agent", "dedupe_key", "flow", "anchor", "at", "live", "session")


@admin.register(TokenCount)
class TokenCountAdmin(ReadOnlyAdmin):
    """What models were given and gave, day by day."""

    list_display = ("day", "tenant", "tokens")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant",)
    fields = ("tenant", "day", "tokens")
