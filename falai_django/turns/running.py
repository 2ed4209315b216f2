"""One pick of a turn, to its end: taken, replayed while the session moves, put off, or ended badly (host.md 3)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from falai_django.conversations.erasing import finish_erasure
from falai_django.failures import FailureCode
from falai_django.faults import fault_point
from falai_django.journal import note
from falai_django.models import Turn
from falai_django.receipts import Receipts
from falai_django.rows import rows
from falai_django.turns.commit import Committed, commit
from falai_django.turns.ending import Ending
from falai_django.turns.flagging import flag_by
from falai_django.turns.host_turns import HOST_KINDS, take_host_turn
from falai_django.turns.lease import NO_QUEUE, let_go
from falai_django.turns.picking import MOST_ATTEMPTS, Picked, look_at, repicked
from falai_django.turns.trouble import PutOff, bad_end, put_off, trouble_of
from falai_django.turns.working import Watch, work

__all__ = ["MOST_REPLAYS", "Ran", "run"]

MOST_REPLAYS: Final = 3
LONGEST_JITTER: Final = 0.05
State = Turn.State


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a pick. `state` is the Turn's now; received with a `code`: put off for this reason, until then."""

    turn: int
    state: str
    code: str = ""
    until: datetime | None = None
    response: Mapping[str, Any] | None = None
    is_overtaken: bool = False
    """A message goes first; then it is run again."""


def run(picked: Picked, watch: Watch | None = None, pause: Callable[[float], None] = time.sleep) -> Ran:
    """Run it. The lease is given back, whatever comes of it; only a database that is gone keeps it: that is raised."""
    receipts = Receipts(picked.turn)
    for replay in range(MOST_REPLAYS + 1):
        ran = _attempted(picked, receipts, watch)
        if ran is not None or replay == MOST_REPLAYS:
            return ran or _given_back(picked)
        note("turn.replayed", turn=picked.turn.pk, session=picked.session.pk, replay=replay + 1)
        pause(random.uniform(0, LONGEST_JITTER))  # noqa: S311 - so that two who collided part
        fault_point("before-replay")
        look = look_at(picked.session.pk)
        again = None if look is None else repicked(picked, look)
        if again is None:
            return _left(picked)
        picked, receipts = again, receipts.again()
    raise AssertionError


def _attempted(picked: Picked, receipts: Receipts, watch: Watch | None) -> Ran | None:
    """None when the session moved meanwhile."""
    try:
        return _settled(_taken(picked, receipts, watch))
    except Exception as error:  # noqa: BLE001 - the table of failures judges all but the database's
        trouble = trouble_of(picked, error)
    if isinstance(trouble, PutOff):
        put_off(picked, trouble)
        return Ran(picked.turn.pk, State.RECEIVED, trouble.code, trouble.until)
    return _settled(trouble)


def _taken(picked: Picked, receipts: Receipts, watch: Watch | None) -> Ending:
    if picked.turn.attempts >= MOST_ATTEMPTS:
        return bad_end(picked, State.DEAD, FailureCode.TURN_DEAD, None)
    if picked.turn.kind in HOST_KINDS:
        return take_host_turn(picked)
    return work(picked, receipts, watch)


def _settled(ending: Ending) -> Ran | None:
    picked = ending.picked
    match commit(ending):
        case Committed.DONE:
            flag_by(ending)
            note("turn.ended", turn=picked.turn.pk, session=picked.session.pk, state=str(ending.state))
            return Ran(picked.turn.pk, ending.state, ending.error, response=ending.response)
        case Committed.LOST:
            return None
        case Committed.OVERTAKEN:
            _given_back(picked, results_dropped=picked.turn.results_dropped + 1)
            return Ran(picked.turn.pk, State.RECEIVED, is_overtaken=True)
        case Committed.ERASED:
            return _dropped(picked)
        case _:
            return _left(picked)


def _given_back(picked: Picked, **columns: int) -> Ran:
    """It stays received and due, and nothing is counted against it."""
    put_off(picked, PutOff("", picked.session.now, {"attempts": picked.turn.attempts, **columns}))
    return Ran(picked.turn.pk, State.RECEIVED)


def _left(picked: Picked) -> Ran:
    """Somebody else ended it: whoever looks next finds out what is due."""
    let_go(picked.session.pk, picked.owner, NO_QUEUE, None)
    return Ran(picked.turn.pk, "")


def _dropped(picked: Picked) -> Ran:
    """The session is being erased: nothing of the turn is kept, and the erasure need not wait any more."""
    rows(Turn).filter(pk=picked.turn.pk, state=State.RECEIVED).update(state=State.DROPPED, error=FailureCode.ERASED)
    let_go(picked.session.pk, picked.owner, NO_QUEUE, None)
    finish_erasure(picked.session.pk)
    return Ran(picked.turn.pk, State.DROPPED, FailureCode.ERASED)
