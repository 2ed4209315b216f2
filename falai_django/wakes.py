"""Due wakes become Turns (spec: host.md section 4).

One transaction inserts the Turn and deletes the Wake: whoever is killed leaves either. Sessions are locked before their
wakes, as a commit does, and those that somebody holds are left for the next look. The look at what is due reads an
index alone, however many wakes are pending.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Case, F, Value, When
from django.db.models.functions import Coalesce

from falai_django.conf import settings
from falai_django.databases import Now, now_and, own_transaction
from falai_django.faults import fault_point
from falai_django.hints import hint
from falai_django.inbox.digest import digest_of
from falai_django.inbox.inputs import Input, end
from falai_django.inbox.off import is_off
from falai_django.journal import note
from falai_django.models import KEY_LENGTH, Deliver, Session, SessionRun, TenantRows, Turn, Wake
from falai_django.rows import rows, write_alias
from falai_django.turns.queue import due_of, in_order

__all__ = ["MISSED", "Moved", "due_wakes", "move_due_wakes", "release_held_wakes"]

MISSED: Final = "missed"
"""The code that a run ends with whose start came too late."""
_SILENCE: Final = "silence:"
_START: Final = ":start:"
_LATE: Final = timedelta(minutes=1)
_SPREAD_PART: Final = 0.1
_LOOK_AGAIN_SECONDS: Final = 3_600
_HELD_BATCH: Final = 5_000


@dataclass(slots=True)
class Moved:
    """Wakes: `seen` as due, `moved` into the inbox (`missed` of them only told there), `held` while an agent is off."""

    seen: int = 0
    moved: int = 0
    missed: int = 0
    held: int = 0


def due_wakes() -> TenantRows:
    """The wakes that are due, the oldest first: only the columns that the index holds may be asked of it."""
    return rows(Wake).filter(due__lte=Now()).order_by("due", "pk")


def move_due_wakes(seconds: float = 5.0, stopping: Callable[[], bool] = lambda: False) -> Moved:
    """Move what is due, batch by batch, for about so long."""
    done, last = Moved(), time.monotonic() + seconds
    while True:
        batch = _move_batch(settings().wake_batch)
        done = Moved(
            done.seen + batch.seen, done.moved + batch.moved, done.missed + batch.missed, done.held + batch.held
        )
        is_over = batch.seen < settings().wake_batch or not (batch.moved or batch.held)
        if is_over or stopping() or time.monotonic() > last:
            break
    if done.moved or done.held:
        note("wakes.moved", count=done.moved, missed=done.missed, held=done.held)
    return done


def release_held_wakes() -> int:
    """Make wakes due again whose agent is on again."""
    held = rows(Wake).filter(held_due__isnull=False, session__agent__is_active=True)
    on = held.filter(session__agent__tenant__is_active=True, session__agent__active_release__isnull=False)
    pks = list(on.values_list("pk", flat=True)[:_HELD_BATCH])
    return rows(Wake).filter(pk__in=pks, held_due__isnull=False).update(due=F("held_due"), held_due=None)


def _move_batch(limit: int) -> Moved:
    with own_transaction(write_alias()):
        found = list(due_wakes().values_list("pk", "session_id")[:limit])
        sessions = _locked({session for _, session in found}) if found else {}
        mine = [pk for pk, session in found if session in sessions]
        wakes = sorted(rows(Wake).filter(pk__in=mine, due__lte=Now()), key=lambda wake: (_really_due(wake), wake.pk))
        off = [wake for wake in wakes if is_off(sessions[wake.session_id].agent)]
        moving = [wake for wake in wakes if wake not in off] if off else wakes
        if off:
            _hold(off)
        missed = _move(moving, sessions) if moving else 0
        fault_point("wakes-before-commit")
    fault_point("wakes-after-commit")
    return Moved(len(found), len(moving), missed, len(off))


def _locked(pks: Iterable[int]) -> dict[int, Any]:
    """The sessions of these that nobody holds, locked, with the database's time as their `now`."""
    free = rows(Session).select_for_update(of=("self",), skip_locked=True).filter(pk__in=pks, erasing_at__isnull=True)
    free = free.select_related("agent__tenant").only(
        "epoch",
        "agent__is_active",
        "agent__gather_ms",
        "agent__active_release_id",
        "agent__tenant__is_active",
        "agent__tenant__grace_hours",
    )
    return {session.pk: session for session in free.annotate(now=Now()).order_by("pk")}


def _really_due(wake: Wake) -> datetime:
    return wake.held_due or wake.due


def _hold(wakes: Sequence[Wake]) -> None:
    """Put them out of the way of those that can run; when they were due is kept, for judging how late they are."""
    held = rows(Wake).filter(pk__in=[wake.pk for wake in wakes])
    held.update(held_due=Coalesce("held_due", "due"), due=now_and(_LOOK_AGAIN_SECONDS))


def _move(wakes: Sequence[Wake], sessions: dict[int, Any]) -> int:
    """Turns in, wakes out, sessions due; how many were missed."""
    now = max(sessions[wake.session_id].now for wake in wakes)
    starts = _waiting_starts(wakes)
    turns: list[Turn] = []
    for wake in wakes:
        turns += _turns_of(wake, sessions[wake.session_id], now, starts)
    rows(Turn).bulk_create(turns, ignore_conflicts=True)
    rows(Wake).filter(pk__in=[wake.pk for wake in wakes]).delete()
    _keep_due({wake.session_id for wake in wakes}, sessions, now)
    hint("sessions")
    return sum(turn.state == Turn.State.MISSED for turn in turns)


def _waiting_starts(wakes: Iterable[Wake]) -> set[tuple[int, str]]:
    """(session, run) of those that wait before their first step, among those that wakes like a start's are for."""
    likely = {wake.session_id for wake in wakes if _START in wake.key}
    if not likely:
        return set()
    found = rows(SessionRun).filter(session__in=likely, step="")
    return set(found.values_list("session", "run_id"))


def _turns_of(wake: Wake, session: Any, now: datetime, starts: set[tuple[int, str]]) -> list[Turn]:
    late = now - _really_due(wake)
    run = wake.key.rpartition(_START)[0]
    is_start = (wake.session_id, run) in starts
    if late > timedelta(hours=session.agent.tenant.grace_hours) and (is_start or wake.key.startswith(_SILENCE)):
        told = [_wake_turn(wake, session, now, state=Turn.State.MISSED, ended_at=now)]
        return [*told, _end_turn(wake, run, session, now)] if is_start else told
    is_parked = not is_start and not wake.key.startswith(_SILENCE)
    not_before = now + _spread(wake.pk, late) if is_parked and late > _LATE else None
    return [_wake_turn(wake, session, now, not_before=not_before)]


def _end_turn(wake: Wake, run: str, session: Any, now: datetime) -> Turn:
    """The run that waited for a start that is not to be: else it would wait for ever, and hold its claim."""
    ending = end(run, MISSED, key=f"{MISSED}#{wake.pk}")
    return _turn(session, ending, now, input=ending.stored())


def _wake_turn(wake: Wake, session: Any, now: datetime, **more: Any) -> Turn:
    """The same wake key may come again, as another row: the row's number tells them apart."""
    number = f"#{wake.pk}"
    key = wake.key[: KEY_LENGTH - len(number)] + number
    return _turn(session, Input(Turn.Kind.WAKE, {"wake": wake.key}, key), now, input={"wake": wake.key}, **more)


def _turn(session: Any, given: Input, now: datetime, **more: Any) -> Turn:
    """A wake has no caller: what it says leaves by the sender."""
    return Turn(
        session_id=session.pk,
        kind=given.kind,
        key=given.key,
        digest=digest_of(given),
        deliver=Deliver.SENDER,
        received_at=now,
        epoch=session.epoch,
        **more,
    )


def _spread(number: int, late: timedelta) -> timedelta:
    """A share, the same for a row each time, of a tenth of the delay: after a downtime not everything comes at once."""
    share = number * 0x9E3779B1 % 2**32 / 2**32
    return min(late * _SPREAD_PART, timedelta(seconds=settings().wake_spread_seconds)) * share


def _keep_due(pks: Iterable[int], sessions: dict[int, Any], now: datetime) -> None:
    """Let each session's row say when its head is due, and that something joined its queue."""
    queues: dict[int, list[Turn]] = {pk: [] for pk in pks}
    waiting = rows(Turn).filter(session__in=queues, state=Turn.State.RECEIVED)
    for turn in waiting.defer("input", "response", "outcomes", "error_detail"):
        queues[turn.session_id].append(turn)
    dues = {pk: due_of(in_order(queue), sessions[pk].agent.gather_ms) for pk, queue in queues.items()}
    others = [When(pk=pk, then=Value(due, Session.due.field)) for pk, due in dues.items() if due != now]
    due = Case(*others, default=Value(now, Session.due.field)) if others else Value(now, Session.due.field)
    rows(Session).filter(pk__in=dues).update(due=due, queue_seq=F("queue_seq") + 1)
