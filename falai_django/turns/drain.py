"""Running the queue of a session, turn by turn (spec: host.md section 3).

Before each turn the lease is taken anew; the commit of the turn gives it back. A request goes as far as its own turn, a
worker until nothing is due or it has stayed long enough.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from falai_django.conf import settings
from falai_django.databases import refuse_inside_transaction
from falai_django.faults import fault_point
from falai_django.models import Turn
from falai_django.rows import write_alias
from falai_django.turns.lease import NO_QUEUE, Held, let_go, new_owner, take_lease
from falai_django.turns.picking import Look, Picked, look_at, pick, picked_at_the_door, waits_until
from falai_django.turns.running import Ran, run
from falai_django.turns.working import Watch

__all__ = ["Drained", "Errand", "Stopped", "drain", "request_errand", "worker_errand"]

_FOREVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Errand:
    """How far a drainer goes. `until`: the Turn that it came for; `watch` is told what that one says.

    `budget_seconds`: what one turn may take. `begin_seconds`: so long others' turns are begun, `most_turns` of them.
    `held`: the door took the lease for `until`, and picked it.
    """

    budget_seconds: float
    begin_seconds: float = _FOREVER
    most_turns: float = _FOREVER
    until: Turn | None = None
    watch: Watch | None = None
    pause: Callable[[float], None] = time.sleep
    held: Held | None = None


class Stopped(StrEnum):
    """Why a drainer stopped."""

    NOTHING_DUE = "nothing-due"
    """Nothing waits, or not yet; or somebody else holds the lease."""
    REACHED = "reached"
    """The Turn that it came for has ended, or was put off."""
    ENOUGH = "enough"
    """It has run its share."""


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drainer did: how many turns it ran, why it stopped, and what became of the last one."""

    turns: int
    stopped: Stopped
    last: Ran | None = None


def request_errand(
    turn: Turn,
    watch: Watch | None = None,
    pause: Callable[[float], None] = time.sleep,
    held: Held | None = None,
) -> Errand:
    """As far as this Turn, within a request."""
    told = settings()
    budget, begin = told.request_budget_seconds, told.request_drain_seconds
    return Errand(budget, begin, until=turn, watch=watch, pause=pause, held=held)


def worker_errand() -> Errand:
    """A worker's share of one session."""
    told = settings()
    return Errand(told.worker_budget_seconds, told.worker_drain_seconds, told.worker_drain_turns)


def drain(session_pk: int, errand: Errand | None = None) -> Drained:
    """Run what is due in a session, as a worker does unless an `errand` says otherwise.

    Never waits for a lease. Errors of the database are raised; the lease then expires. InsideTransactionError inside a
    transaction.
    """
    errand = worker_errand() if errand is None else errand
    refuse_inside_transaction(write_alias())
    first = _picked_at_the_door(errand)
    began, owner, turns = time.monotonic(), first.owner if first else new_owner(), 0
    last: Ran | None = None
    while True:
        picked = first or _next(session_pk, owner, errand, time.monotonic() - began, turns)
        first = None
        if not isinstance(picked, Picked):
            return Drained(turns, picked, last)
        last = run(picked, errand.watch if _is_reached(picked, errand) else None, errand.pause)
        turns += 1
        if _is_reached(picked, errand) and not last.is_overtaken:
            return Drained(turns, Stopped.REACHED, last)


def _picked_at_the_door(errand: Errand) -> Picked | None:
    if errand.held is None or errand.until is None:
        return None
    return picked_at_the_door(errand.until, errand.held, errand.held.looked + errand.budget_seconds)


def _next(session_pk: int, owner: str, errand: Errand, passed: float, turns: int) -> Picked | Stopped:
    if errand.until is None and (passed >= errand.begin_seconds or turns >= errand.most_turns):
        return Stopped.ENOUGH
    if not take_lease(session_pk, owner, errand.budget_seconds + settings().lease_margin_seconds):
        return Stopped.NOTHING_DUE
    fault_point("after-lease")
    deadline = time.monotonic() + errand.budget_seconds
    look = look_at(session_pk)
    stopped = Stopped.NOTHING_DUE if look is None else _stopped(look, owner, errand, passed)
    if look is None or stopped is not None:
        return stopped or Stopped.NOTHING_DUE
    picked = pick(look, owner, deadline)
    if picked is None:
        let_go(session_pk, owner, NO_QUEUE, None)
        return Stopped.NOTHING_DUE
    fault_point("after-pick")
    return picked


def _stopped(look: Look, owner: str, errand: Errand, passed: float) -> Stopped | None:
    """Why nothing of the queue is run now, the lease given back; None when its head is to be run."""
    session = look.session
    if not look.queue:
        let_go(session.pk, owner, session.queue_seq, None)
        return Stopped.NOTHING_DUE
    later = waits_until(look)
    if later is not None:
        let_go(session.pk, owner, session.queue_seq, later)
        return Stopped.NOTHING_DUE
    if errand.until is not None and passed >= errand.begin_seconds and look.queue[0].pk != errand.until.pk:
        let_go(session.pk, owner, session.queue_seq, look.due)
        return Stopped.ENOUGH
    return None


def _is_reached(picked: Picked, errand: Errand) -> bool:
    """Whether this pick answers the Turn that the drainer came for."""
    return errand.until is not None and any(each.pk == errand.until.pk for each in picked.group)
