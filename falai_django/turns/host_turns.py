"""The host's own turns: they change the blob without the engine's phases (spec: host.md section 3).

`set`, `human`, `end`, `close` wait in the queue as any other, so that none of them comes between a turn and its save.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from falai_django.merge_patch import merged
from falai_django.models import Turn
from falai_django.turns.agents import sensitive_of
from falai_django.turns.claims import ClaimChanges
from falai_django.turns.ending import Ending
from falai_django.turns.given import session_of, turn_time
from falai_django.turns.picking import Picked
from falai_django.turns.wakes import wake_changes
from falai_engine import Session, TurnResult, end_run
from falai_engine.records.claims import Claims
from falai_engine.times import iso, ms_of

__all__ = ["CLOSED", "HOST_KINDS", "take_host_turn"]

Kind = Turn.Kind
CLOSED: Final = "closed"
"""The code of runs that end with their conversation."""


def take_host_turn(picked: Picked) -> Ending:
    """What it makes of the session. InvalidSessionError when the blob is none."""
    before = session_of(picked.session)
    now = turn_time(picked.session)
    session = Session(picked.session.session_id) if before is None else before
    result = _TURNS[picked.turn.kind](session, picked.turn.input[picked.turn.kind], now, before is None)
    return Ending(
        picked,
        Turn.State.DONE,
        now,
        before,
        result,
        wakes=wake_changes(before, result, None),
        claims=ClaimChanges(ended=[each.run.dedupe_key for each in result.ended]),
        release=picked.session.agent.active_release_id,
        sensitive=sensitive_of(picked.session, picked.turn.wanted_release),
        opens_epoch=picked.turn.kind == Kind.CLOSE,
    )


def _set(session: Session, given: Mapping[str, Any], _now: datetime, is_new: bool) -> TurnResult:
    """Values were coerced at the door; null takes one away and forgets how often it was asked for."""
    after = session.copy()
    for slug, value in (given.get("data") or {}).items():
        if value is None:
            after.data.pop(slug, None)
            for run in after.runs:
                run.asked.pop(slug, None)
        else:
            after.data[slug] = value
    after.metadata = merged(session.metadata, given.get("metadata") or {})
    return TurnResult(after, changed=is_new or after != session)


def _human(session: Session, given: Mapping[str, Any], _now: datetime, _is_new: bool) -> TurnResult:
    """A person spoke for the assistant: a silence begins, but no flow waits for its end."""
    after = session.copy()
    after.last_assistant_at = given["at"]
    return TurnResult(after, changed=True)


def _end(session: Session, given: Mapping[str, Any], now: datetime, _is_new: bool) -> TurnResult:
    return end_run(session, given["run"], given["code"], iso(ms_of(now)))


def _close(session: Session, given: Mapping[str, Any], now: datetime, is_new: bool) -> TurnResult:
    """Runs end, claims of the session go, nobody waits for an answer any more; `clear`: data goes, too."""
    result = TurnResult(session.copy(), changed=not is_new)
    for run in session.runs:
        one = end_run(result.session, run.id, CLOSED, iso(ms_of(now)))
        result.session = one.session
        result.outcomes += one.outcomes
        result.ended += one.ended
    result.session.claims = Claims()
    result.session.last_assistant_at = None
    if given.get("clear"):
        result.session.data = {}
    return result


_TURNS: Final[Mapping[str, Callable[[Session, Mapping[str, Any], datetime, bool], TurnResult]]] = {
    Kind.SET: _set,
    Kind.HUMAN: _human,
    Kind.END: _end,
    Kind.CLOSE: _close,
}
HOST_KINDS: Final = frozenset(_TURNS)
