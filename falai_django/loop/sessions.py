"""Sessions whose queue is due are drained (spec: host.md sections 3 and 4)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import Error as DatabaseError
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from falai_django.conf import settings
from falai_django.databases import Now
from falai_django.journal import note
from falai_django.models import Session, TenantRows
from falai_django.rows import rows
from falai_django.turns.drain import drain

__all__ = ["drain_due", "due_sessions"]


def due_sessions() -> TenantRows:
    """Sessions with something due that nobody runs: each tenant's first before anybody's second, and not too many."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=Now())
    on = Q(agent__is_active=True, agent__tenant__is_active=True)
    awake = Q(agent__paused_until__isnull=True) | Q(agent__paused_until__lte=Now())
    place = Window(RowNumber(), partition_by=F("agent__tenant"), order_by=["due", "pk"])
    due = rows(Session).filter(free, on, awake, due__lte=Now(), erasing_at__isnull=True)
    placed: TenantRows = due.annotate(place=place).filter(place__lte=settings().sessions_per_tenant)
    return placed.order_by("place", "due", "pk")


def drain_due(limit: int = 50, seconds: float = 30.0, stopping: Callable[[], bool] = lambda: False) -> int:
    """Drain at most `limit` of them, beginning none after `seconds` or when asked to stop; how many turns were run.

    One that cannot be drained is told and left: the others go on.
    """
    end, done = time.monotonic() + seconds, 0
    for pk in list(due_sessions().values_list("pk", flat=True)[:limit]):
        if stopping() or time.monotonic() > end:
            break
        try:
            done += drain(pk).turns
        except DatabaseError:
            raise  # nothing else would go better
        except Exception as error:  # noqa: BLE001 - a session of its own trouble is no trouble of the others
            note("session.not_drained", logging.ERROR, error=error, session=pk)
    return done
