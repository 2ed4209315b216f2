"""Which wakes a turn schedules, and which nobody awaits any more (spec: host.md section 3; engine.md 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime

from falai_django.databases import Now
from falai_django.models import Session as SessionRow
from falai_django.models import Wake
from falai_django.rows import rows
from falai_engine import Agent, Session, TurnResult
from falai_engine.times import instant, moment

__all__ = ["SILENCE", "WakeChanges", "wake_changes", "write_wakes"]

SILENCE = "silence:"


@dataclass(frozen=True, slots=True)
class WakeChanges:
    """`due` by key of what is scheduled, and keys to take away. `every_silence`: of all flows, gone ones too."""

    scheduled: Mapping[str, datetime] = field(default_factory=dict)
    ended: AbstractSet[str] = frozenset()
    every_silence: bool = False


def wake_changes(before: Session | None, result: TurnResult, agent: Agent | None) -> WakeChanges:
    """`agent` is None for a turn of the host's own: then no flow is known, and every silence that broke is taken."""
    after = result.session
    scheduled = {each.key: moment(instant(each.at) or 0) for each in result.schedule}
    ended = {each.replaces for each in result.schedule if each.replaces is not None}
    if before is None:
        return WakeChanges(scheduled, ended - scheduled.keys())
    ended |= _awaited(before) - _awaited(after)
    broken = _is_broken(before, after)
    if broken and agent is not None:
        ended |= set(_silence_keys(before, agent))
    return WakeChanges(scheduled, ended - scheduled.keys(), every_silence=broken and agent is None)


def _awaited(session: Session) -> set[str]:
    return {run.waiting.key for run in session.runs if run.waiting is not None}


def _is_broken(before: Session, after: Session) -> bool:
    """Whether the silence that was being waited for is over."""
    spoke_at, wrote_at = instant(before.last_assistant_at), instant(after.last_user_at)
    if spoke_at is None:
        return False
    return before.last_assistant_at != after.last_assistant_at or (wrote_at is not None and wrote_at > spoke_at)


def _silence_keys(before: Session, agent: Agent) -> Iterator[str]:
    spoke_at = instant(before.last_assistant_at)
    for flow in agent.compiled.silence_flows:
        yield f"{SILENCE}{flow.id}:{before.id}:{spoke_at}"


def write_wakes(session: SessionRow, changes: WakeChanges) -> None:
    """In the commit."""
    if changes.ended:
        rows(Wake).filter(session=session, key__in=sorted(changes.ended)).delete()
    if changes.every_silence:
        rows(Wake).filter(session=session, key__startswith=SILENCE).delete()
    if changes.scheduled:
        made = [Wake(session=session, key=key, due=due, created_at=Now()) for key, due in changes.scheduled.items()]
        rows(Wake).bulk_create(
            made, update_conflicts=True, unique_fields=["session", "key"], update_fields=["due", "held_due"]
        )
