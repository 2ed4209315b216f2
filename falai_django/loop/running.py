"""The loop (spec: host.md section 4): its parts by name, and one round through all of them.

Whoever calls it, and however many at once: each part takes only what nobody else holds, in small steps, and is killed
at any point without harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from falai_django.conf import settings
from falai_django.loop.housekeeping import keep_house
from falai_django.loop.sessions import drain_due
from falai_django.loop.waiting import seconds_until_due
from falai_django.outbox.sending import send_due
from falai_django.parts import EVERY_SECONDS
from falai_django.reconcile import reconcile_overdue
from falai_django.wakes import move_due_wakes

__all__ = ["PARTS", "Ticked", "run_part", "tick"]

Stopping: TypeAlias = Callable[[], bool]


def _go_on() -> bool:
    return False


def _wakes(stopping: Stopping) -> int:
    moved = move_due_wakes(stopping=stopping)
    return moved.moved + moved.held


def _outbox(stopping: Stopping) -> int:
    delivered = send_due(stopping=stopping)
    return delivered.tried + delivered.expired


PARTS: Final[Mapping[str, Callable[[Stopping], int]]] = MappingProxyType(
    {
        "wakes": _wakes,
        "sessions": lambda stopping: drain_due(stopping=stopping),
        "outbox": _outbox,
        "housekeeping": keep_house,
        "reconcile": lambda stopping: reconcile_overdue(),
    }
)
"""What each part does; it gives back of how many things it took care, 0 when there was nothing to do."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """What a round did, by part, and in how many seconds the next one should come (0: there is more)."""

    done: Mapping[str, int]
    wait_seconds: float


def run_part(part: str, stopping: Stopping = _go_on) -> int:
    """One look of one part; of how many things it took care."""
    return PARTS[part](stopping)


def tick(parts: Iterable[str] = EVERY_SECONDS, stopping: Stopping = _go_on) -> Ticked:
    """One look of each part, in their order; between things it stops when asked to."""
    done = {part: run_part(part, stopping) for part in parts if not stopping()}
    return Ticked(done, 0.0 if any(done.values()) else seconds_until_due(settings().loop_interval_seconds))
