"""A clock that stands still until it is told."""

from __future__ import annotations

from datetime import datetime, timedelta

from falai_engine.times import moment, ms_of

__all__ = ["FakeClock"]


class FakeClock:
    """Give it to an Agent as its `clock`; `at` is a datetime or ISO 8601 text."""

    def __init__(self, at: datetime | str = "2026-01-05T09:00:00.000Z") -> None:
        self.set(at)

    def __call__(self) -> datetime:
        return moment(self._ms)

    def set(self, at: datetime | str) -> None:
        """Stand at this time."""
        self._ms = ms_of(datetime.fromisoformat(at) if isinstance(at, str) else at)

    def move(self, **by: float) -> None:
        """Move on, as `clock.move(hours=1)`."""
        self._ms += timedelta(**by) // timedelta(milliseconds=1)
