"""The queue of a session: who is next, and when (spec: host.md section 3). Pure.

Messages, events, starts and host turns go by arrival, then the wakes. Only the head runs; while it waits, all wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from falai_django.models import Turn

__all__ = ["due_of", "group_of", "in_order"]

Kind = Turn.Kind
LONGEST_GATHERING: Final = 3
"""Times `gatherMs`, from the first message of a group."""


def in_order(rows: Iterable[Turn]) -> list[Turn]:
    """The received Turns as they are to run; the first is the head.

    An event or start whose result was dropped for a message lets the messages go first.
    """
    queue = sorted(rows, key=lambda row: (row.kind == Kind.WAKE, row.pk))
    if queue and queue[0].results_dropped and queue[0].kind != Kind.MESSAGE:
        queue.sort(key=lambda row: row.kind != Kind.MESSAGE)
    return queue


def group_of(queue: Sequence[Turn], gather_ms: int) -> list[Turn]:
    """The messages that the head is answered with, itself the first; fixed when they were run once."""
    head = queue[0]
    if head.kind != Kind.MESSAGE or not gather_ms or head.picked_at is not None:
        return [head]
    group = []
    for row in queue:
        if not _goes_with(row, head):
            break
        group.append(row)
    return group


def _goes_with(row: Turn, head: Turn) -> bool:
    return (
        row.kind == Kind.MESSAGE
        and row.picked_at is None
        and (row.deliver, row.wanted_release) == (head.deliver, head.wanted_release)
    )


def due_of(queue: Sequence[Turn], gather_ms: int) -> datetime | None:
    """When the head is due; None when nothing waits. What is due already has a time that has passed."""
    if not queue:
        return None
    head = queue[0]
    due = _gathered_at(queue, gather_ms) if head.kind == Kind.MESSAGE else head.received_at
    return due if head.not_before is None else max(due, head.not_before)


def _gathered_at(queue: Sequence[Turn], gather_ms: int) -> datetime:
    group = group_of(queue, gather_ms)
    first, last = group[0], group[-1]
    if not gather_ms or first.picked_at is not None:
        return first.received_at
    if any(row.kind not in (Kind.MESSAGE, Kind.WAKE) for row in queue):
        return last.received_at
    pause = timedelta(milliseconds=gather_ms)
    return min(last.received_at + pause, first.received_at + LONGEST_GATHERING * pause)
