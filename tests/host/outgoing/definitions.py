"""Definitions of kind http for tests, and what stands for the turn around their handlers."""

from __future__ import annotations

from datetime import UTC, datetime

from falai_django.outgoing.secret_values import SecretValue
from falai_engine.registry import ActionCall, RunView, ToolRequest

__all__ = ["NOW", "SECRET", "action_call", "secrets_for", "tool_request"]

NOW = datetime(2026, 9, 21, 10, tzinfo=UTC)
SECRET = "hush-hush/7+7="
"""Looks different where it is encoded."""


def secrets_for(*hosts, name="crm", value=SECRET):
    """A source with one secret, for these hosts."""
    return {name: SecretValue(name, value, hosts)}.get


def action_call(written=None, **parts):
    """What an action is told; what it sets lands in `written`."""
    return ActionCall(
        **{
            "context": None,
            "data": {},
            "input": None,
            "run": RunView("r1", "f", "a", "s", "2026-09-21T10:00:00.000Z", 0),
            "key": "r1:s:1",
            "dedupe_key": "d",
            "silenced": None,
            "now": NOW,
            "set": ({} if written is None else written).update,
            **parts,
        }
    )


def tool_request(**parts):
    return ToolRequest(**{"context": None, "data": {}, "history": [], "run": None, "now": NOW, **parts})
