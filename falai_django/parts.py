"""The parts of the loop by name, how often each looks, and what its Celery task is called (spec: host.md section 4).

No models here: a site's Celery app asks for `beat_schedule()` before Django is set up.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from falai_django.conf import settings

__all__ = ["EVERY_SECONDS", "HINT_EXPIRY_SECONDS", "beat_schedule", "every_seconds", "task_name"]

EVERY_SECONDS: Final[Mapping[str, float | None]] = MappingProxyType(
    {"wakes": None, "sessions": None, "outbox": None, "housekeeping": 60.0, "reconcile": 3_600.0}
)
"""How often a part looks for work; None: FALAI_LOOP_INTERVAL_SECONDS, and at once while there is more."""
HINT_EXPIRY_SECONDS: Final = 10.0
"""What no worker took by then says nothing new: it has been said again."""


def every_seconds(part: str) -> float:
    """How often the part looks."""
    told = EVERY_SECONDS[part]
    return settings().loop_interval_seconds if told is None else told


def task_name(part: str) -> str:
    """The name of the part's task, which no version changes: those of an older one may be under way."""
    return f"falai.{part}"


def beat_schedule() -> dict[str, dict[str, Any]]:
    """What beat has to say, and how often: a site's Celery app puts it into its `conf.beat_schedule`.

    More than one beat does no harm, and none is needed where `manage.py falai_worker` runs.
    """
    return {
        task_name(part): {
            "task": task_name(part),
            "schedule": every_seconds(part),
            "options": {"expires": max(HINT_EXPIRY_SECONDS, every_seconds(part)), "ignore_result": True},
        }
        for part in EVERY_SECONDS
    }
