"""The door: one transaction that takes an input, or refuses it (spec: host.md section 3).

In it: the session's row locked or inserted, the queue read, the Turn inserted, anchors stamped, `due` kept. What is
refused leaves nothing. Two inputs of one session come one after the other; their Turns' ids follow. A Turn that its
caller runs at once, and that nothing stands before, is picked here, too: what a drainer would read has just been read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError
from django.db.models import BigIntegerField, CharField, Q
from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.databases import Now, now_and, own_transaction
from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode, sentence_of
from falai_django.faults import fault_point
from falai_django.hints import hint
from falai_django.inbox.admission import OF_THE_HOST, Admitted, admit
from falai_django.inbox.anchors import link_anchors, stamp_anchors
from falai_django.inbox.cleaning import invalid
from falai_django.inbox.digest import digest_of
from falai_django.inbox.inputs import PATH_ID, Input
from falai_django.merge_patch import merged
from falai_django.models import Agent, Deliver, Session, Turn
from falai_django.prepared import Slot, insert, select, update
from falai_django.rows import rows, write_alias
from falai_django.turns.current import is_inside
from falai_django.turns.lease import Held, new_owner
from falai_django.turns.queue import due_of, in_order
from falai_django.turns.unread import UNREAD_OF_AGENTS

__all__ = ["Accepted", "door", "lock_session", "receive", "take"]

Kind = Turn.Kind
_UNREAD: Final = ("blob", "last_given", *UNREAD_OF_AGENTS)
"""Columns that the door needs of no input."""
_UNREAD_BY_TURNS: Final = (*UNREAD_OF_AGENTS, "agent__active_release__document", "agent__active_release__note")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The Turn of an input; not `is_new`: it had been taken before, and this one joins it.

    `held`: the lease that was taken for it, and the Turn picked, so that its caller runs it without looking again. Its
    session's row is whole then.
    """

    turn: Turn
    is_new: bool
    held: Held | None = None


def take(
    agent: Agent,
    session_id: str,
    given: Input,
    *,
    deliver: Deliver | str | None = None,
    release: int | str | None = None,
    is_awaited: bool = False,
) -> Accepted:
    """Take an input for a session of the agent (its row, with `tenant`).

    `deliver`: how its messages leave, the agent's own way by default. `release`: a number or `draft` instead of the
    active one. `is_awaited`: the caller runs it at once, within a request's budget, so that no worker is told.
    InputRefusedError, with its code, when it is not taken; InsideTransactionError inside a transaction.
    """
    if not PATH_ID.fullmatch(session_id):
        raise invalid("session", _("Give an id of 1 to 128 letters, digits and . _ : @ + ~ -"))
    if deliver is not None and deliver not in Deliver.values:
        raise invalid("deliver", _("Give %(ways)s, or leave it out.") % {"ways": " / ".join(Deliver.values)})
    with door(agent):
        looked = time.monotonic() if is_awaited else None
        session = lock_session(agent, session_id, is_made=given.kind not in OF_THE_HOST, is_whole=is_awaited)
        accepted = receive(session, given, deliver=deliver, release=release, looked=looked)
        if accepted.is_new and not is_awaited:
            hint("sessions")
        fault_point("door-before-commit")
    fault_point("door-after-commit")
    return accepted


@contextmanager
def door(agent: Agent) -> Iterator[None]:
    """A transaction that may make a session of the agent. InputRefusedError when the agent is deleted meanwhile."""
    try:
        with own_transaction(write_alias()):
            yield
    except IntegrityError as error:
        if rows(Agent).filter(pk=agent.pk).exists():
            raise
        raise _deleted() from error


def _deleted() -> InputRefusedError:
    return InputRefusedError(FailureCode.AGENT_OFF, _("The agent was deleted."))


def receive(
    session: Any,
    given: Input,
    *,
    deliver: Deliver | str | None = None,
    release: int | str | None = None,
    looked: float | None = None,
) -> Accepted:
    """The part of `take` in its transaction, for a session that `lock_session` gave.

    `looked`: when that was, monotonic, if it is whole and the caller runs the Turn at once.
    """
    queue = _queue_with(session, given)
    return _joined(queue, given) or _received(session, given, queue, _How(deliver, release, looked))


def lock_session(agent: Agent, session_id: str, *, is_made: bool = True, is_whole: bool = False) -> Any:
    """The session's row, locked, with its agent and tenant as they are now, and the database's time as its `now`.

    Inserted when there is none, unless `is_made` is False: what was erased does not come back by what somebody did to
    it meanwhile. `is_whole`: with all that a turn reads of it. Within a transaction; one that may make it is a `door`.
    InputRefusedError when it is being erased, or has been, or its agent was deleted.
    """
    which = {"agent": agent.pk, "session": session_id}
    locked = _locked_whole if is_whole else _locked
    session = next(iter(select(locked, **which)), None)
    if session is None and not is_made:
        raise InputRefusedError(FailureCode.ERASING, sentence_of(FailureCode.ERASED))
    if session is None:
        new = Session(agent=agent, session_id=session_id, created_at=Now(), last_activity_at=Now())
        rows(Session).bulk_create([new], ignore_conflicts=True)
        session = next(iter(select(locked, **which)), None)
    if session is None:
        raise _deleted()
    if session.erasing_at is not None:
        raise InputRefusedError(FailureCode.ERASING, _("The session is being erased. Use another id, or wait."))
    return session


def _queue_with(session: Session, given: Input) -> list[Turn]:
    """What waits in the session, and the Turn of the same key, whatever became of it."""
    return select(_waiting_or_same, session=session.pk, kind=given.kind, key=given.key)


def _locked() -> Any:
    return _lockable().select_related("agent__tenant").defer(*_UNREAD)


def _locked_whole() -> Any:
    return _lockable().select_related("agent__tenant", "agent__active_release").defer(*_UNREAD_BY_TURNS)


def _lockable() -> Any:
    of_agent = {"agent": Slot("agent", BigIntegerField()), "session_id": Slot("session", CharField())}
    return rows(Session).select_for_update(of=("self",)).annotate(now=Now()).filter(**of_agent).order_by()


def _waiting_or_same() -> Any:
    same = Q(kind=Slot("kind", CharField()), key=Slot("key", CharField()))
    found = rows(Turn).filter(same | Q(state=Turn.State.RECEIVED), session=Slot("session", BigIntegerField()))
    return found.defer("input", "response", "outcomes", "error_detail").order_by()


def _joined(queue: list[Turn], given: Input) -> Accepted | None:
    """The Turn that this input had before; it stamps nothing."""
    for turn in queue:
        if (turn.kind, turn.key) == (given.kind, given.key):
            if turn.digest != digest_of(given):
                raise InputRefusedError(
                    FailureCode.KEY_REUSED,
                    _("Another input of this session had the same key. Give each input a key of its own."),
                )
            return Accepted(turn, is_new=False)
    return None


@dataclass(frozen=True, slots=True)
class _How:
    deliver: Deliver | str | None
    release: int | str | None
    looked: float | None


def _received(session: Any, given: Input, queue: list[Turn], how: _How) -> Accepted:
    """A new Turn at the end of the queue."""
    admitted = admit(session, given, how.release)
    _assert_room(queue)
    turn = Turn(
        session=session,
        kind=given.kind,
        key=given.key,
        input=admitted.stored,
        digest=digest_of(given),
        deliver=how.deliver or session.agent.deliver,
        wanted_release=admitted.wanted_release,
        received_at=session.now,
        epoch=session.epoch,
    )
    held = None
    if how.looked is not None and not queue and _runs_now(session, turn):
        held = Held(new_owner(), how.looked)
    _insert(turn, picked_at=session.now if held else None)
    _keep_session(session, admitted, [*queue, turn], held)
    return Accepted(turn, is_new=True, held=held)


def _runs_now(session: Any, turn: Turn) -> bool:
    """Whether a drainer that looked now would run it: what `turns.picking` asks of the head of a queue."""
    due, paused_until = due_of([turn], session.agent.gather_ms), session.agent.paused_until
    is_free = session.lease_until is None or session.lease_until <= session.now
    is_due = due is not None and due <= session.now and (paused_until is None or paused_until <= session.now)
    # The host's own may lie in the queue of an agent that is off.
    return is_free and is_due and turn.kind not in OF_THE_HOST and not is_inside(session.pk)


def _insert(turn: Turn, picked_at: datetime | None) -> None:
    """One that is picked has one attempt more than its pick knows of, and an input as it would be read."""
    if picked_at is None:
        insert([turn])
        return
    turn.attempts, turn.picked_at = 1, picked_at
    insert([turn])
    turn.attempts, turn.picked_at, turn.input = 0, None, json.loads(json.dumps(turn.input))


def _assert_room(queue: list[Turn]) -> None:
    most = settings().waiting_inputs
    if sum(turn.kind != Kind.WAKE for turn in queue) >= most:
        raise InputRefusedError(
            FailureCode.TOO_MANY_INPUTS,
            _("%(most)d inputs of this session wait already. Try again later.") % {"most": most},
        )


def _keep_session(session: Any, admitted: Admitted, queue: list[Turn], held: Held | None) -> None:
    """What the session's row says of its queue, its contact and what it is about, and who runs its turns."""
    changes: dict[str, Any] = {
        "queue_seq": session.queue_seq + 1,
        "due": due_of(in_order(queue), session.agent.gather_ms),
    }
    anchors = merged(session.anchors, admitted.anchors)
    if anchors != session.anchors:
        link_anchors(session, anchors)
        changes["anchors"] = session.anchors = anchors
    if admitted.is_inbound:
        stamp_anchors(session, session.now)
        changes |= {"inbound_seq": session.inbound_seq + 1, "unanswered": 0, "last_activity_at": session.now}
    # As it is read again by nobody who runs the Turn at once.
    for name, value in changes.items():
        setattr(session, name, value)
    if held is not None:
        told = settings()
        seconds = told.request_budget_seconds + told.lease_margin_seconds
        changes |= {"lease_owner": held.owner, "lease_until": now_and(seconds)}
    update(Session, {"pk": session.pk}, changes)
