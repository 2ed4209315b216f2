"""The commit of a turn: one transaction, in which all of it becomes true, or nothing (spec: host.md section 3).

First the session's row is changed where it stands as it was read; so the row is locked, and whoever comes later waits.
Then anchors, claims, the Turn, messages, wakes, runs, counts. What does not fit any more undoes all of it.
"""

from __future__ import annotations

import time
from datetime import timedelta
from enum import StrEnum
from functools import reduce
from typing import Any, Final

from django.db.models import F

from falai_django.databases import Now, own_transaction, undo
from falai_django.faults import fault_point
from falai_django.hints import hint
from falai_django.masking import masked, sensitive_values
from falai_django.merge_patch import merged
from falai_django.models import Message, Receipt, Session, TokenCount, Turn
from falai_django.prepared import insert, update
from falai_django.responses import response_of
from falai_django.rows import rows, write_alias
from falai_django.silenced import silence_columns
from falai_django.turns.claims import claims_stand, write_claims
from falai_django.turns.days import tenant_day
from falai_django.turns.ending import SPEAKING_KINDS, Ending, messages_of
from falai_django.turns.given import context_patches
from falai_django.turns.lease import RELEASED, slots_of_release
from falai_django.turns.runs import write_runs
from falai_django.turns.wakes import write_wakes
from falai_engine import session_to_json

__all__ = ["MOST_DROPS", "Committed", "commit"]

Kind = Turn.Kind
MOST_DROPS: Final = 2
_HOUR: Final = timedelta(hours=1)
_AS_READ: Final = ("version", "silence_seq", "next_seq")
_NOW: Final = Now()
_ONE_MORE_SILENCE: Final = F("silence_seq") + 1
_ONE_MORE_UNANSWERED: Final = F("unanswered") + 1
_NO_ACTIVITY: Final = frozenset({Kind.SET, Kind.END, Kind.CLOSE})


class Committed(StrEnum):
    """What came of a commit; all but `DONE` have written nothing."""

    DONE = "done"
    LOST = "lost"
    """The session is not as it was read: load again, replay."""
    OVERTAKEN = "overtaken"
    """A message came while something else was being phrased: it goes first."""
    TAKEN = "taken"
    """The Turn was ended by somebody else."""
    ERASED = "erased"
    """The session is gone, or about to be."""


def commit(ending: Ending) -> Committed:
    """Write it all. The lease is given back with it, and `due` kept."""
    alias = write_alias()
    fault_point("before-commit")
    with own_transaction(alias):
        outcome = _written(ending)
        if outcome is not Committed.DONE:
            undo(alias)
        fault_point("in-commit")
    if outcome is Committed.DONE:
        fault_point("after-commit")
    return outcome


def _written(ending: Ending) -> Committed:
    session = ending.picked.session
    messages = messages_of(ending)
    if not _change_session(ending, messages):
        return _why(ending)
    fault_point("in-commit-session-changed")
    if not claims_stand(session, ending.claims):
        return Committed.LOST
    if not _end_turn(ending, messages):
        return Committed.TAKEN
    if messages:
        insert(messages)
    write_wakes(session, ending.wakes)
    if ending.result.changed:
        write_runs(session, ending.before, ending.result.session)
        write_claims(session, ending.claims)
    _forget_receipts(ending)
    _count_tokens(ending)
    if ending.picked.due_behind is not None:
        hint("sessions")
    if any(each.state == Message.State.QUEUED for each in messages):
        hint("outbox")
    return Committed.DONE


# -- the session


def _change_session(ending: Ending, messages: list[Message]) -> bool:
    """Where it is as it was read. Its row is locked from here on."""
    session = ending.picked.session
    as_read = {"pk": session.pk, **{name: getattr(session, name) for name in _AS_READ}, "erasing_at__isnull": True}
    if _yields_to_messages(ending):
        as_read["inbound_seq"] = session.inbound_seq
    slots = slots_of_release(ending.picked.owner, session.queue_seq, ending.picked.due_behind)
    return update(Session, as_read, _session_columns(ending, messages), **slots) == 1


def _yields_to_messages(ending: Ending) -> bool:
    turn = ending.picked.turn
    return turn.kind in SPEAKING_KINDS and ending.speaks and turn.results_dropped < MOST_DROPS


def _session_columns(ending: Ending, messages: list[Message]) -> dict[str, Any]:
    picked, session = ending.picked, ending.picked.session
    columns = {
        **RELEASED,
        "last_now": ending.now,
        "next_seq": session.next_seq + len(messages),
        "unreadable": 0,
    }
    if ending.result.changed:
        version = session.version + 1
        columns |= {"version": version, "blob": {**session_to_json(ending.result.session), "version": version}}
    if picked.turn.kind not in _NO_ACTIVITY:
        columns["last_activity_at"] = ending.now
    if ending.opens_epoch:
        columns["epoch"] = session.next_seq + len(messages)
    return {**columns, **_context_columns(ending), **_silence_columns(ending), **_count_columns(ending)}


def _context_columns(ending: Ending) -> dict[str, Any]:
    """The request's part of the context is laid over what is stored now: a PATCH may have come meanwhile."""
    columns: dict[str, Any] = {}
    if ending.message is not None:
        columns["last_given"] = {"message": dict(ending.message)}
    patches = context_patches(ending.picked)
    if patches:
        locked = rows(Session).select_for_update().filter(pk=ending.picked.session.pk)
        columns["context"] = reduce(merged, patches, locked.values_list("context", flat=True).first() or {})
    return columns


def _silence_columns(ending: Ending) -> dict[str, Any]:
    """A flow that hands over does not cut short what a person has said."""
    handed = ending.handed_off
    if handed is None:
        return {}
    until = ending.now + timedelta(milliseconds=handed.silence_ms)
    columns = silence_columns(ending.picked.session, handed.reason, until, ending.now)
    return {**columns, "silence_seq": _ONE_MORE_SILENCE}


def _count_columns(ending: Ending) -> dict[str, Any]:
    """How often it spoke unasked, whether it said sorry, how many turns with a model this hour had."""
    session, turn = ending.picked.session, ending.picked.turn
    columns: dict[str, Any] = {}
    if ending.speaks:
        columns["apologized"] = False
        if turn.kind in SPEAKING_KINDS and not turn.input.get("inbound"):
            columns["unanswered"] = _ONE_MORE_UNANSWERED
    if ending.apologizes:
        columns["apologized"] = True
    if ending.result.llm_calls:
        same_hour = session.counted_from is not None and ending.now - session.counted_from < _HOUR
        columns["counted_from"] = session.counted_from if same_hour else ending.now
        columns["counted_turns"] = session.counted_turns + 1 if same_hour else 1
    return columns


def _why(ending: Ending) -> Committed:
    """What is not as it was read."""
    session, turn = ending.picked.session, ending.picked.turn
    now = rows(Session).filter(pk=session.pk).values(*_AS_READ, "erasing_at").first()
    if now is None or now["erasing_at"] is not None:
        return Committed.ERASED
    if not rows(Turn).filter(pk=turn.pk, state=Turn.State.RECEIVED).exists():
        return Committed.TAKEN
    if any(now[name] != getattr(session, name) for name in _AS_READ):
        return Committed.LOST
    return Committed.OVERTAKEN


# -- the turn, and what hangs on it


def _end_turn(ending: Ending, messages: list[Message]) -> bool:
    picked, result = ending.picked, ending.result
    leaving = [each for each in messages if each.direction == Message.Direction.OUT]
    values = _hidden_values(ending)
    response = response_of(picked.turn, ending.state, result, leaving, ending.sensitive, values)
    ending.response = response
    columns = {
        "state": ending.state,
        "response": response,
        "outcomes": response["outcomes"],
        "calls": result.llm_calls,
        "tokens": ending.tokens,
        "milliseconds": int((time.monotonic() - picked.began) * 1_000),
        "error": ending.error,
        "error_detail": masked(ending.error_detail, ending.sensitive, values),
        "epoch": picked.session.epoch,
        "ended_at": _NOW,
        "release_id": ending.release,
    }
    if _is_thinned(ending):
        columns["input"] = masked(picked.turn.input, ending.sensitive, values)
    if update(Turn, {"pk": picked.turn.pk, "state": Turn.State.RECEIVED}, columns) != 1:
        return False
    for earlier in picked.group[:-1]:
        thinned = {"input": masked(earlier.input, ending.sensitive, values)} if _is_thinned(ending) else {}
        update(Turn, {"pk": earlier.pk}, {"ended_at": _NOW, **thinned})
    return True


def _is_thinned(ending: Ending) -> bool:
    """Whether what it was given is masked: nobody runs it again. A dead one keeps it until somebody has."""
    return bool(ending.sensitive) and ending.state != Turn.State.DEAD


def _hidden_values(ending: Ending) -> frozenset[str]:
    """What sensitive fields held before it and after it: it may have been about either."""
    held = [ending.result.session.data, {} if ending.before is None else ending.before.data]
    return frozenset().union(*(sensitive_values(data, ending.sensitive) for data in held))


def _forget_receipts(ending: Ending) -> None:
    """Nobody will replay this turn, so that nobody needs what its handlers gave; what they did stays on record."""
    if not _is_thinned(ending):
        return
    known = None if ending.receipts is None else ending.receipts.known
    if known or ending.state != Turn.State.DONE or ending.picked.turn.picked_at is not None:
        rows(Receipt).filter(turn=ending.picked.turn).update(result=None)


def _count_tokens(ending: Ending) -> None:
    """Last, since the row is every session's of the tenant; only while there is a limit."""
    tenant = ending.picked.session.agent.tenant
    if tenant.tokens_per_day is None or not ending.tokens:
        return
    day = tenant_day(tenant, ending.now)
    counted = rows(TokenCount).filter(tenant=tenant, day=day)
    if not counted.update(tokens=F("tokens") + ending.tokens):
        rows(TokenCount).bulk_create([TokenCount(tenant=tenant, day=day)], ignore_conflicts=True)
        counted.update(tokens=F("tokens") + ending.tokens)
