"""Wakes that were lost are restored (spec: host.md section 4; engine.md 9, `pending_wakes`).

No writer of ours loses one. A restored backup may, or a hand in the database. What a session waits for stands in its
blob; a wake is restored when its key is nowhere else: in no Wake row, and in no Turn that is still to be run, was
missed, or is dead.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db import Error as DatabaseError
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce

from falai_django.databases import Now, now_and, own_transaction
from falai_django.hints import hint
from falai_django.inbox.off import is_off
from falai_django.journal import note
from falai_django.models import Session, SessionRun, TenantRows, Turn, Wake
from falai_django.rows import rows, write_alias
from falai_django.turns.agents import agent_of
from falai_django.turns.claims import read_claims
from falai_django.turns.given import given_for
from falai_django.turns.picking import Look, Picked, look_at
from falai_engine.times import instant, moment

__all__ = ["Reconciled", "reconcile", "reconcile_overdue", "reconcile_session"]

_SILENCE: Final = "silence:"
_OVERDUE_SECONDS: Final = 300
_BATCH: Final = 100
_CHUNK: Final = 200
_WILL_NOT_COME_AGAIN: Final = (Turn.State.RECEIVED, Turn.State.MISSED, Turn.State.DEAD)


@dataclass(slots=True)
class Reconciled:
    """Sessions looked at, wakes restored, and the keys of sessions that could not be read or compiled."""

    sessions: int = 0
    restored: int = 0
    failed: list[int] = field(default_factory=list)


def reconcile(
    sessions: TenantRows, stopping: Callable[[], bool] = lambda: False, *, dry_run: bool = False
) -> Reconciled:
    """Restore what these sessions have lost. With `dry_run` nothing is written, `restored` says what would be."""
    done = Reconciled()
    for pk in _keys(sessions.filter(blob__isnull=False, erasing_at__isnull=True)):
        if stopping():
            break
        _reconcile_one(pk, done, dry_run=dry_run)
    return done


def _keys(sessions: TenantRows) -> Iterator[int]:
    """All of them, piece by piece: no cursor is kept open over the transactions in between."""
    last = 0
    while piece := list(sessions.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_CHUNK]):
        yield from piece
        last = piece[-1]


def reconcile_overdue() -> int:
    """The loop's part: only sessions with a run whose wake should have come and is nowhere; how many were restored."""
    run = OuterRef("waiting_until")
    pending = rows(Wake).annotate(at=Coalesce("held_due", "due")).filter(session=OuterRef("session"), at=run)
    wakes = rows(Turn).filter(session=OuterRef("session"), kind=Turn.Kind.WAKE, state__in=_WILL_NOT_COME_AGAIN)
    # What was missed or died before this run's time came was another wake.
    coming = wakes.filter(Q(state=Turn.State.RECEIVED) | Q(received_at__gte=run))
    waiting = rows(SessionRun).filter(~Exists(pending), ~Exists(coming), waiting_until__lte=now_and(-_OVERDUE_SECONDS))
    on = waiting.filter(session__agent__is_active=True, session__agent__tenant__is_active=True)
    pks = list(on.filter(session__erasing_at__isnull=True).values_list("session", flat=True).distinct()[:_BATCH])
    done = Reconciled()
    for pk in pks:
        _reconcile_one(pk, done, dry_run=False)
    return done.restored


def _reconcile_one(pk: int, done: Reconciled, *, dry_run: bool) -> None:
    done.sessions += 1
    try:
        restored = reconcile_session(pk, dry_run=dry_run)
    except DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 - an unreadable session or agent is told; the others go on
        note("session.not_reconciled", logging.WARNING, error=error, session=pk)
        done.failed.append(pk)
        return
    done.restored += len(restored)
    if restored and not dry_run:
        note("wakes.restored", logging.WARNING, session=pk, count=len(restored))


def reconcile_session(pk: int, *, dry_run: bool = False) -> list[str]:
    """Restore the wakes that one session waits for in vain; their keys.

    Nothing while its agent is off, and nothing when the session moved meanwhile: whoever moved it kept its wakes.
    Raises InvalidSessionError for a blob that is none, AgentUnavailableError for an agent that cannot be built.
    """
    look = look_at(pk)
    if look is None or look.session.blob is None or is_off(look.session.agent):
        return []
    lost = _lost(look, _pending(look))
    if lost and not dry_run and not _restored(look.session, lost):
        return []
    return list(lost)


def _pending(look: Look) -> dict[str, datetime]:
    """What the engine says the session waits for: due by key. As a wake would find the session now."""
    running = agent_of(look.session, "")
    claims = read_claims(look.session, running)
    turn = Turn(
        session=look.session, kind=Turn.Kind.WAKE, input={"wake": "", "history": []}, received_at=look.session.now
    )
    given = given_for(Picked(look.session, turn, [turn], [], "", 0.0, look.at, look.at), claims).input
    if given.session is None:
        return {}
    wakes = running.agent.pending_wakes(given.session, given.context, given.anchors, given.claims)
    since = look.session.agent.activated_at
    due = {wake.key: moment(instant(wake.at) or 0) for wake in wakes}
    return {key: at for key, at in due.items() if not key.startswith(_SILENCE) or _spoke_since(key, since)}


def _spoke_since(key: str, activated_at: datetime | None) -> bool:
    """A release that brings a new nudge is none for conversations that fell silent before it."""
    milliseconds = key.rpartition(":")[2]
    return activated_at is None or moment(int(milliseconds)) > activated_at


def _lost(look: Look, pending: Mapping[str, datetime]) -> dict[str, datetime]:
    """Those of the pending wakes that will not come."""
    if not pending:
        return {}
    here = set(rows(Wake).filter(session=look.session, key__in=pending).values_list("key", flat=True))
    gone = {key: at for key, at in pending.items() if key not in here}
    told = _told(look.session, gone) if gone else set()
    return {key: at for key, at in gone.items() if key not in told}


def _told(session: Session, keys: Iterable[str]) -> set[str]:
    """Keys with a Turn that says more than a new wake could. A nudge comes once, whatever became of it."""
    named = Q()
    for key in keys:
        which = Q(key__startswith=f"{key}#")
        named |= which if key.startswith(_SILENCE) else which & Q(state__in=_WILL_NOT_COME_AGAIN)
    found = rows(Turn).filter(named, session=session, kind=Turn.Kind.WAKE).values_list("input", flat=True)
    return {given["wake"] for given in found}


def _restored(session: Session, lost: Mapping[str, datetime]) -> bool:
    """Write them, unless the session moved since it was read."""
    with own_transaction(write_alias()):
        as_read = rows(Session).filter(
            pk=session.pk, version=session.version, queue_seq=session.queue_seq, erasing_at=None
        )
        if not as_read.update(version=F("version")):
            return False
        made = [Wake(session=session, key=key, due=due, created_at=Now()) for key, due in lost.items()]
        rows(Wake).bulk_create(made, ignore_conflicts=True)
        hint("wakes")
    return True
