"""The worker that needs no broker (spec: host.md section 4): `manage.py falai_worker`.

Lanes run side by side, each a thread with its own connection: what a model takes to answer holds up no message on its
way, and no wake. Several workers may run; what one has begun, no other takes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Final

from django.db import Error as DatabaseError
from django.db import close_old_connections, connections

from falai_django.conf import settings
from falai_django.journal import note
from falai_django.loop.running import run_part
from falai_django.loop.waiting import seconds_until_due
from falai_django.parts import EVERY_SECONDS, every_seconds

__all__ = ["LANES", "run_worker"]

LANES: Final[Sequence[Sequence[str]]] = (("wakes", "housekeeping", "reconcile"), ("outbox",))
"""Parts that take turns in one thread each; `sessions` has as many threads as the worker is told."""
_AFTER_FAILURE_SECONDS: Final = 1.0


def run_worker(stop: threading.Event, session_threads: int) -> None:
    """Work until `stop` is set, then finish what was begun. Returns when every lane is at rest."""
    lanes = [*LANES, *([("sessions",)] * session_threads)]
    threads = [
        threading.Thread(target=_work, args=(lane, stop), name=f"falai-{lane[0]}-{number}")
        for number, lane in enumerate(lanes)
    ]
    note("worker.started", lanes=len(lanes))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    note("worker.stopped")


def _work(lane: Iterable[str], stop: threading.Event) -> None:
    """Rounds through the parts of a lane until it is told to stop."""
    pace = _Pace(lane)
    try:
        while not stop.is_set():
            stop.wait(_round(pace, stop))
    finally:
        connections.close_all()


def _round(pace: _Pace, stop: threading.Event) -> float:
    """Run the parts whose time has come; seconds until the next round. Whatever is raised, there is a next one."""
    try:
        close_old_connections()
        done = 0
        for part in pace.due():
            done += run_part(part, stop.is_set)
        return 0.0 if done else seconds_until_due(settings().loop_interval_seconds)
    except DatabaseError as error:
        note("worker.database_failed", logging.WARNING, error=error)
    except Exception as error:  # noqa: BLE001 - a mistake in one part must not end the others for good
        note("worker.part_failed", logging.ERROR, error=error)
    return _AFTER_FAILURE_SECONDS


class _Pace:
    """Which parts of a lane are to look now: the quick ones always, the others when their time has passed."""

    def __init__(self, lane: Iterable[str]) -> None:
        self._next = dict.fromkeys(lane, 0.0)

    def due(self) -> list[str]:
        """Their names; what is given out is not given out again before its time."""
        now = time.monotonic()
        found = [part for part, at in self._next.items() if at <= now]
        self._next |= {part: now + every_seconds(part) for part in found if EVERY_SECONDS[part] is not None}
        return found
