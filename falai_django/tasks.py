"""The parts of the loop as Celery tasks (spec: host.md section 4). Without Celery they are plain functions.

Each may run twice, or never: beat says it again each time (`falai_django.parts.beat_schedule`), commits in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from falai_django.loop import run_part
from falai_django.parts import task_name

__all__ = ["housekeeping", "outbox", "reconcile", "sessions", "wakes"]


def _task(part: str) -> Callable[[Callable[[], int]], Any]:
    try:
        from celery import shared_task  # noqa: PLC0415 - Celery is optional
    except ImportError:
        return lambda function: function
    decorate: Callable[[Callable[[], int]], Any] = shared_task(name=task_name(part), ignore_result=True)
    return decorate


@_task("wakes")
def wakes() -> int:
    """Move due wakes into the inbox."""
    return run_part("wakes")


@_task("sessions")
def sessions() -> int:
    """Run turns of sessions that are due."""
    return run_part("sessions")


@_task("outbox")
def outbox() -> int:
    """Send messages that are due."""
    return run_part("outbox")


@_task("housekeeping")
def housekeeping() -> int:
    """Erase, close, forget, mend."""
    return run_part("housekeeping")


@_task("reconcile")
def reconcile() -> int:
    """Restore wakes that were lost."""
    return run_part("reconcile")
