"""When the next thing is due (spec: host.md section 4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models import DurationField, ExpressionWrapper, F, QuerySet

from falai_django.databases import Now
from falai_django.models import Message, Session, Wake
from falai_django.outbox.queue import WAITING
from falai_django.rows import rows

__all__ = ["seconds_until_due"]

_WAIT: Final = ExpressionWrapper(F("due") - Now(), output_field=DurationField())


def seconds_until_due(most: float) -> float:
    """Seconds until something becomes due, at most `most`. What is due already and still there waits for another."""
    waits = [_first(rows(Wake).all()), _first(rows(Session).all()), _first(rows(Message).filter(state__in=WAITING))]
    return min([most, *(max(wait.total_seconds(), 0.0) for wait in waits if wait is not None)])


def _first(found: QuerySet[Wake] | QuerySet[Session] | QuerySet[Message]) -> timedelta | None:
    coming = found.filter(due__gt=Now()).order_by("due").annotate(wait=_WAIT)
    wait: timedelta | None = coming.values_list("wait", flat=True).first()
    return wait
