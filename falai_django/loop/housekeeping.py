"""What the loop does now and then (spec: host.md section 4): erase, close, forget, mend, each by small steps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from django.db import Error as DatabaseError

from falai_django.conversations.erasing import finish_erasure, marked_erasures
from falai_django.databases import Now
from falai_django.hints import hint
from falai_django.journal import note
from falai_django.loop.closing import close_idle
from falai_django.models import Session, Turn
from falai_django.retention import forget_old
from falai_django.rows import rows
from falai_django.wakes import release_held_wakes

__all__ = ["JOBS", "finish_erasures", "keep_house", "mend_queues"]

_BATCH: Final = 100


def finish_erasures(stopping: Callable[[], bool]) -> int:
    """Delete what was marked while a turn ran, or before a crash; how many are gone."""
    gone = 0
    for pk in marked_erasures(_BATCH):
        if stopping():
            break
        gone += finish_erasure(pk)
    return gone


def mend_queues() -> int:
    """Make due the sessions that something waits in and that nobody would ever look at.

    No writer of ours leaves one; a restored backup, or a hand in the database, may.
    """
    waiting = rows(Turn).filter(state=Turn.State.RECEIVED, session__due__isnull=True)
    pks = list(waiting.values_list("session", flat=True).distinct()[:_BATCH])
    mended = rows(Session).filter(pk__in=pks, due__isnull=True).update(due=Now()) if pks else 0
    if mended:
        note("sessions.mended", count=mended)
        hint("sessions")
    return mended


JOBS: Final[Mapping[str, Callable[[Callable[[], bool]], int]]] = MappingProxyType(
    {
        "erasures": finish_erasures,
        "held_wakes": lambda stopping: release_held_wakes(),
        "queues": lambda stopping: mend_queues(),
        "idle": close_idle,
        "old": lambda stopping: forget_old(),
    }
)
"""By name, in their order; each gives back how many rows it took care of."""


def keep_house(stopping: Callable[[], bool]) -> int:
    """A step of each job; how many rows they took care of. One that fails keeps none of the others from its step."""
    return sum(_step(name, stopping) for name in JOBS if not stopping())


def _step(name: str, stopping: Callable[[], bool]) -> int:
    try:
        return JOBS[name](stopping)
    except DatabaseError:
        raise  # nothing else would go better
    except Exception as error:  # noqa: BLE001 - a mistake in one must not let the house go to ruin
        note("housekeeping.job_failed", logging.ERROR, error=error, job=name)
        return 0
