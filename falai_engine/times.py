"""Durations and instants (spec: engine.md sections 2 and 11). Instants are whole milliseconds since 1970, UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from falai_engine.errors import FlowConfigurationError

__all__ = ["duration_ms", "instant", "iso", "moment", "ms_of"]

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")
_UNIT_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)
_DAY = timedelta(days=1)
# A day within the calendar's ends, so that every time zone has these moments.
_LAST_MS = (datetime.max - _DAY - _NAIVE_EPOCH) // _MILLISECOND
_FIRST_MS = (datetime.min + _DAY - _NAIVE_EPOCH) // _MILLISECOND


def duration_ms(text: object, where: str = "duration") -> int:
    """`"1.5h"` -> 5400000, rounded half up, at most what the calendar has.

    Raises FlowConfigurationError when it does not parse.
    """
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise FlowConfigurationError(
            where, f"{text!r} is not a duration", 'Write a number and s, m, h or d without a space, as "30s" or "24h"'
        )
    exact = Decimal(match[1]) * _UNIT_MS[match[2]]
    return min(int(exact.to_integral_value(ROUND_HALF_UP)), _LAST_MS)


def ms_of(time: datetime) -> int:
    """Whole milliseconds of a datetime (a naive one is read as UTC), the rest cut."""
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return (time - _EPOCH) // _MILLISECOND


def _within(ms: int) -> int:
    return max(min(ms, _LAST_MS), _FIRST_MS)


def moment(ms: int) -> datetime:
    """The aware UTC datetime of an instant; the calendar's last moment for anything later."""
    return _EPOCH + timedelta(milliseconds=_within(ms))


def iso(ms: int) -> str:
    """`2026-09-21T10:00:00.000Z`."""
    return (_NAIVE_EPOCH + timedelta(milliseconds=_within(ms))).isoformat(timespec="milliseconds") + "Z"


def instant(text: object) -> int | None:
    """The instant of an ISO 8601 text, None when it is missing or no time."""
    if not isinstance(text, str):
        return None
    try:
        return ms_of(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None
