"""What follows when a turn does not end well (spec: host.md section 3, the table of failures; README).

Some failures put the turn off: it, and all behind it, waits. Others end it, in one transaction as a good end: the
customer's text goes into the transcript, and the agent says sorry, once until the session is answered again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from falai_django.databases import now_and, own_transaction
from falai_django.failures import FailureCode, code_of
from falai_django.inbox.cleaning import cleaned_text
from falai_django.journal import note
from falai_django.models import Session, Turn
from falai_django.rows import rows, write_alias
from falai_django.turns.agents import sensitive_of
from falai_django.turns.ending import Ending
from falai_django.turns.flagging import flag
from falai_django.turns.given import session_of, silence_of, turn_time, written_at
from falai_django.turns.lease import let_go
from falai_django.turns.picking import MOST_ATTEMPTS, Picked
from falai_engine import InvalidSessionError, ProviderError, TurnResult
from falai_engine import Session as EngineSession
from falai_engine.error_words import told
from falai_engine.times import ms_of

__all__ = ["PutOff", "bad_end", "put_off", "trouble_of"]

Kind = Turn.Kind
MODEL_WAITS: Final = (2, 10, 30, 120)
"""Seconds before each further try of a model that failed."""
CRASH_WAITS: Final = (1, 5)
"""Seconds before a turn that raised is run again; the third time it is dead."""
LONGEST_MODEL_WAIT: Final = timedelta(hours=1)
AGENT_PAUSE: Final = 60
SHORTEST_UNREADABLE: Final = 60
LONGEST_UNREADABLE: Final = 3_600
LONGEST_DETAIL: Final = 4_000


@dataclass(frozen=True, slots=True)
class PutOff:
    """The turn stays received, not before `until`. `columns`: what its row says of it beside."""

    code: str
    until: datetime
    columns: Mapping[str, Any]


def trouble_of(picked: Picked, error: Exception) -> PutOff | Ending:
    """What an exception out of a turn means for it; a database that is gone is raised again."""
    code = code_of(error)
    note("turn.failed", logging.WARNING, error=error, code=code, turn=picked.turn.pk, session=picked.session.pk)
    return _TROUBLES[code](picked, error)


def _model_unavailable(picked: Picked, error: Exception) -> PutOff | Ending:
    failures = picked.turn.model_failures
    if failures >= len(MODEL_WAITS):
        return bad_end(picked, Turn.State.FAILED, FailureCode.MODEL_UNAVAILABLE, error)
    assert isinstance(error, ProviderError)
    until = max(picked.session.now + timedelta(seconds=MODEL_WAITS[failures]), _told_wait(picked, error))
    return PutOff(
        FailureCode.MODEL_UNAVAILABLE, until, {"attempts": picked.turn.attempts, "model_failures": failures + 1}
    )


def _told_wait(picked: Picked, error: ProviderError) -> datetime:
    """Until when the vendor says that asking is no use, but for an hour at most."""
    now: datetime = picked.session.now
    waits = [timedelta(milliseconds=error.retry_after_ms or 0)]
    if error.reset_at_ms is not None:
        waits.append(timedelta(milliseconds=error.reset_at_ms - ms_of(now)))
    return now + min(max(waits), LONGEST_MODEL_WAIT)


def _model_failed(picked: Picked, error: Exception) -> Ending:
    """The agent is flagged: no customer of it will get an answer."""
    flag(picked.session.agent, FailureCode.MODEL_FAILED, _detail(error))
    return bad_end(picked, Turn.State.FAILED, FailureCode.MODEL_FAILED, error)


def _agent_unavailable(picked: Picked, error: Exception) -> PutOff:
    """All its sessions wait, a minute at a time."""
    flag(picked.session.agent, FailureCode.AGENT_UNAVAILABLE, _detail(error), paused_until=now_and(AGENT_PAUSE))
    until = picked.session.now + timedelta(seconds=AGENT_PAUSE)
    return PutOff(FailureCode.AGENT_UNAVAILABLE, until, {"attempts": picked.turn.attempts, "not_before": None})


def _session_unreadable(picked: Picked, _error: Exception) -> PutOff:
    times = picked.session.unreadable
    rows(Session).filter(pk=picked.session.pk).update(unreadable=times + 1)
    seconds = min(SHORTEST_UNREADABLE * 2 ** min(times, 16), LONGEST_UNREADABLE)
    until = picked.session.now + timedelta(seconds=seconds)
    return PutOff(FailureCode.SESSION_UNREADABLE, until, {"attempts": picked.turn.attempts})


def _crashed(picked: Picked, error: Exception) -> PutOff | Ending:
    attempts = picked.turn.attempts + 1
    if attempts >= MOST_ATTEMPTS:
        return bad_end(picked, Turn.State.DEAD, FailureCode.TURN_DEAD, error)
    until = picked.session.now + timedelta(seconds=CRASH_WAITS[attempts - 1])
    return PutOff(FailureCode.TURN_DEAD, until, {"error": FailureCode.TURN_DEAD, "error_detail": _detail(error)})


_TROUBLES: Final[Mapping[FailureCode, Callable[[Picked, Exception], PutOff | Ending]]] = {
    FailureCode.MODEL_UNAVAILABLE: _model_unavailable,
    FailureCode.MODEL_FAILED: _model_failed,
    FailureCode.AGENT_UNAVAILABLE: _agent_unavailable,
    FailureCode.SESSION_UNREADABLE: _session_unreadable,
    FailureCode.TURN_DEAD: _crashed,
}


def _detail(error: Exception | None) -> str:
    return "" if error is None else cleaned_text(f"{type(error).__name__}: {told(error)}"[:LONGEST_DETAIL])


def put_off(picked: Picked, off: PutOff) -> None:
    """Write it down, and give the lease back."""
    columns = {"not_before": off.until, **off.columns}
    with own_transaction(write_alias()):
        if let_go(picked.session.pk, picked.owner, picked.session.queue_seq, off.until):
            rows(Turn).filter(pk=picked.turn.pk, state=Turn.State.RECEIVED).update(**columns)


# -- ends


def bad_end(picked: Picked, state: str, code: FailureCode, error: Exception | None) -> Ending:
    """The turn ends without having been taken."""
    now = turn_time(picked.session)
    before, result = _heard(picked, now)
    session = picked.session
    return Ending(
        picked,
        state,
        now,
        before,
        result,
        release=session.agent.active_release_id,
        sensitive=sensitive_of(session, picked.turn.wanted_release),
        apologizes=_owes_apology(picked, now),
        error=code,
        error_detail=_detail(error) or picked.turn.error_detail,
    )


def _owes_apology(picked: Picked, now: datetime) -> bool:
    """Nobody has said sorry since the last answer, and the agent may speak: a person who took over speaks for it."""
    session = picked.session
    if picked.turn.kind != Kind.MESSAGE or not session.agent.apology or session.apologized:
        return False
    silenced, _ = silence_of(session, picked.turn, now)
    return silenced is None


def _heard(picked: Picked, now: datetime) -> tuple[EngineSession | None, TurnResult]:
    """The session that knows when the customer wrote; as it is when it cannot be read."""
    try:
        before = session_of(picked.session)
    except InvalidSessionError:
        return None, TurnResult(EngineSession(picked.session.session_id))
    after = EngineSession(picked.session.session_id) if before is None else before.copy()
    if picked.turn.kind != Kind.MESSAGE:
        return before, TurnResult(after)
    after.last_user_at = written_at(picked, now)
    return before, TurnResult(after, changed=True)
