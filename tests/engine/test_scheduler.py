"""Wakes in memory, as a host would keep them (falai_engine.testing.MemoryScheduler)."""

from datetime import UTC, datetime

from falai_engine import ScheduledWake
from falai_engine.testing import MemoryScheduler

NINE = ScheduledWake("nine", "2026-09-21T09:00:00.000Z")
TEN = ScheduledWake("ten", "2026-09-21T10:00:00.000Z")
NEW_TEN = ScheduledWake("new", "2026-09-21T10:30:00.000Z", replaces="ten")


def at(hour, minute=0):
    return datetime(2026, 9, 21, hour, minute, tzinfo=UTC)


def test_due_wakes_come_out_once_the_earliest_first():
    """A wake whose time has come is handed out, and never again."""
    scheduler = MemoryScheduler()
    scheduler.take([TEN, NINE])
    assert scheduler.pop_due(at(8)) == []
    assert scheduler.pop_due(at(10)) == [NINE, TEN]
    assert scheduler.pop_due(at(11)) == []


def test_a_wake_that_replaces_another_makes_it_void():
    """The silence wake of an older message is gone when a newer one is set."""
    scheduler = MemoryScheduler()
    scheduler.take([TEN])
    scheduler.take([NEW_TEN])
    assert scheduler.pending == [NEW_TEN]


def test_the_same_key_again_is_the_same_wake():
    """A replay schedules what is scheduled already."""
    scheduler = MemoryScheduler()
    scheduler.take([TEN])
    scheduler.take([TEN])
    assert scheduler.pop_due(at(12)) == [TEN]


def test_the_next_wake_may_be_taken_before_its_time():
    """A simulator moves to it; then there is none."""
    scheduler = MemoryScheduler()
    scheduler.take([TEN, NINE])
    assert [scheduler.pop_next(), scheduler.pop_next(), scheduler.pop_next()] == [NINE, TEN, None]
