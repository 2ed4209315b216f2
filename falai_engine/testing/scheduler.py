"""Wakes in memory, as a host would keep them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from falai_engine.records.results import ScheduledWake
from falai_engine.times import instant, ms_of

__all__ = ["MemoryScheduler"]


class MemoryScheduler:
    """Take each result's `schedule`; `pop_due` hands out the wakes whose time has come, each once."""

    def __init__(self) -> None:
        self._wakes: dict[str, ScheduledWake] = {}

    @property
    def pending(self) -> list[ScheduledWake]:
        """Every wake that was not handed out, the earliest first."""
        return sorted(self._wakes.values(), key=lambda wake: (instant(wake.at) or 0, wake.key))

    def take(self, schedule: Iterable[ScheduledWake]) -> None:
        """Schedule wakes; one that `replaces` another makes that void."""
        for wake in schedule:
            if wake.replaces is not None:
                self._wakes.pop(wake.replaces, None)
            self._wakes[wake.key] = wake

    def pop_due(self, now: datetime) -> list[ScheduledWake]:
        """The wakes due at `now`, the earliest first."""
        due = [wake for wake in self.pending if (instant(wake.at) or 0) <= ms_of(now)]
        for wake in due:
            del self._wakes[wake.key]
        return due

    def pop_next(self) -> ScheduledWake | None:
        """The earliest wake, due or not."""
        wake = next(iter(self.pending), None)
        if wake is not None:
            del self._wakes[wake.key]
        return wake
