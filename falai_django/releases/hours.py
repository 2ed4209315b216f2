"""A tenant's rows of opening hours as the calendar that waits and wakes ask (spec: host.md section 1)."""

from __future__ import annotations

from falai_django.models import Holiday, OpeningSpan, Tenant
from falai_django.opening_hours import Holiday as Day
from falai_django.opening_hours import OpeningHours, Span, Weekly
from falai_django.rows import rows

__all__ = ["opening_hours_of"]


def opening_hours_of(tenant: Tenant) -> OpeningHours:
    """By two queries; without any row it is always open."""
    # A replica that lags would be kept, under the version that the writer has already.
    spans = rows(OpeningSpan).filter(tenant=tenant).values_list("weekday", "opens", "closes")
    days = rows(Holiday).filter(tenant=tenant).values_list("date", "opens", "closes")
    return OpeningHours(
        tenant.time_zone,
        tuple(Weekly(*span) for span in spans),
        tuple(Day(date, () if opens is None else (Span(opens, closes),)) for date, opens, closes in days),
    )
