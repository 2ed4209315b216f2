"""Finish: whether there is anything to save (spec: engine.md section 10)."""

from __future__ import annotations

from falai_engine.phases.state import Turn

__all__ = ["finish_turn"]


def finish_turn(turn: Turn) -> None:
    """`changed` when the session is new or differs, or anything came of the turn."""
    result = turn.result
    given = turn.input.session
    result.changed = bool(
        given is None
        or result.messages
        or result.schedule
        or result.outcomes
        or result.skipped
        or turn.session != given
    )
