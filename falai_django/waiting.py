"""What a request does with an input: take it, run the queue up to it, wait, or give its address (spec: host.md 3, 5).

Values, no HTTP: a view makes 200 of `Answered`, 202 with the Turn's `Location` of `Queued`, its status of `Refused`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from falai_django.conf import settings
from falai_django.databases import Now
from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode, sentence_of
from falai_django.hints import hint
from falai_django.inbox.door import take
from falai_django.inbox.inputs import Input
from falai_django.models import Agent, Deliver, Session, Turn
from falai_django.responses import merged_response
from falai_django.rows import rows
from falai_django.turns.current import is_inside
from falai_django.turns.drain import Drained, Stopped, drain, request_errand
from falai_django.turns.lease import Held
from falai_django.turns.working import Watch
from falai_django.waiters import waiting_for

__all__ = ["Answered", "Outcome", "Queued", "Refused", "bring_to_its_end", "outcome_of", "turn_and_wait"]

State = Turn.State


@dataclass(frozen=True, slots=True)
class Answered:
    """The turn is done: its stored response."""

    turn: int
    response: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Queued:
    """The turn is taken and will run; its response can be read later under its key."""

    turn: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no response. With a `turn` the input was taken; `retry_at`: it runs again by itself then.

    `response` is what a turn that failed has stored: the apology may be in it.
    """

    code: FailureCode
    message: str
    turn: int | None = None
    retry_at: datetime | None = None
    response: dict[str, Any] | None = None
    problems: tuple[tuple[str, str], ...] = ()


Outcome: TypeAlias = Answered | Queued | Refused


def turn_and_wait(
    agent: Agent,
    session_id: str,
    given: Input,
    *,
    deliver: Deliver | str | None = None,
    release: int | str | None = None,
    wait: bool = True,
    watch: Watch | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Outcome:
    """Take an input and bring it to its end within a request, or say where its end can be read.

    `wait` False: say so at once. `watch` is told the text while it is phrased, unless somebody else runs the turn.
    InsideTransactionError inside a transaction; errors of the database are raised.
    """
    try:
        accepted = take(agent, session_id, given, deliver=deliver, release=release, is_awaited=wait)
    except InputRefusedError as error:
        return Refused(FailureCode(error.code), str(error), problems=error.problems)
    turn = accepted.turn
    found = outcome_of(turn)
    if found is not None:
        return found
    # A turn that is posted from inside one of the same session comes after it.
    if not wait or is_inside(turn.session_id):
        return _queued(turn)
    return bring_to_its_end(turn, watch, pause, held=accepted.held)


def outcome_of(turn: Turn) -> Answered | Refused | None:
    """What became of a turn, by its row; None while it has not ended."""
    if turn.state == State.MERGED:
        return _outcome_of_merged(turn)
    return _OUTCOMES[State(turn.state)](turn)


def _outcome_of_merged(turn: Turn) -> Answered | Refused | None:
    into = None if turn.merged_into_id is None else rows(Turn).filter(pk=turn.merged_into_id).first()
    if into is None:
        return _gone(turn)
    found = outcome_of(into)
    return Answered(turn.pk, merged_response(turn, into)) if isinstance(found, Answered) else found


def _answered(turn: Turn) -> Answered:
    return Answered(turn.pk, turn.response or {})


def _failed(turn: Turn) -> Refused:
    code = FailureCode(turn.error)
    return Refused(code, sentence_of(code), turn.pk, response=turn.response)


def _gone(turn: Turn) -> Refused:
    return Refused(FailureCode.ERASED, sentence_of(FailureCode.ERASED), turn.pk)


def _missed(turn: Turn) -> Refused:
    return Refused(FailureCode.TURN_MISSED, sentence_of(FailureCode.TURN_MISSED), turn.pk)


_OUTCOMES: Final[dict[State, Callable[[Turn], Answered | Refused | None]]] = {
    State.RECEIVED: lambda turn: None,
    State.DONE: _answered,
    State.FAILED: _failed,
    State.DEAD: _failed,
    State.MISSED: _missed,
    State.DROPPED: _gone,
}


# -- running and waiting


def bring_to_its_end(
    turn: Turn,
    watch: Watch | None = None,
    pause: Callable[[float], None] = time.sleep,
    *,
    held: Held | None = None,
) -> Outcome:
    """What `turn_and_wait` does with a turn that the door took: run it here, or wait for who does.

    `held`: what the door says of it when it was `is_awaited`. Only those who wait take a place.
    """
    end = time.monotonic() + settings().wait_seconds
    found = _tried(turn, watch, pause, held) or _paused(turn)
    if found is not None:
        return found
    with waiting_for(turn.session_id) as has_place:
        while has_place and time.monotonic() < end:
            pause(settings().wait_poll_seconds)
            found = _outcome_now(turn) or _tried(turn, watch, pause) or _paused(turn)
            if found is not None:
                return found
    return _queued(turn)


def _tried(turn: Turn, watch: Watch | None, pause: Callable[[float], None], held: Held | None = None) -> Outcome | None:
    """Run the queue up to the turn; None when it must wait: for its time, or for who holds the lease."""
    drained = drain(turn.session_id, request_errand(turn, watch, pause, held))
    if drained.stopped is Stopped.REACHED:
        return _reached(turn, drained)
    return _queued(turn) if drained.stopped is Stopped.ENOUGH else _outcome_now(turn)


def _reached(turn: Turn, drained: Drained) -> Outcome | None:
    last = drained.last
    assert last is not None
    if last.turn == turn.pk and last.state == State.DONE:
        return Answered(turn.pk, dict(last.response or {}))
    if last.state != State.RECEIVED:
        return _outcome_now(turn)
    if not last.code:
        return _queued(turn)
    code = FailureCode(last.code)
    # A turn that raised is run again in a moment: this request waits for that.
    return None if code is FailureCode.TURN_DEAD else Refused(code, sentence_of(code), turn.pk, last.until)


def _paused(turn: Turn) -> Refused | None:
    """While its agent is paused nobody waits: a minute is longer than any request."""
    sessions = rows(Session).filter(pk=turn.session_id, agent__paused_until__gt=Now())
    until = sessions.values_list("agent__paused_until", flat=True).first()
    if until is None:
        return None
    return Refused(FailureCode.AGENT_UNAVAILABLE, sentence_of(FailureCode.AGENT_UNAVAILABLE), turn.pk, until)


def _outcome_now(turn: Turn) -> Answered | Refused | None:
    row = rows(Turn).filter(pk=turn.pk).first()
    return _gone(turn) if row is None else outcome_of(row)


def _queued(turn: Turn) -> Queued:
    hint("sessions")
    return Queued(turn.pk)
