"""The worker's lanes go on whatever fails in them, and end in order when they are asked to."""

from __future__ import annotations

import logging
import signal
import threading

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from falai_django.loop import worker
from falai_django.loop.worker import LANES, run_worker
from falai_django.management.commands import falai_worker
from falai_django.models import Turn
from falai_django.parts import EVERY_SECONDS
from tests.host.runtime.stage import Stage, document

SAYS = {"id": "f", "on": [{"message": [], "repeat": "always"}], "steps": [{"id": "s", "kind": "say", "say": "Oi."}]}


class Work:
    """Counts looks by part; `act` is what a look does. The worker is stopped when every part was looked at so often."""

    def __init__(self, stop, looks=2):
        self.stop, self.looks = stop, looks
        self.seen = []
        self.acts = {}
        self.lock = threading.Lock()

    def run_part(self, part, stopping):
        with self.lock:
            self.seen.append(part)
            quick = [name for name, every in EVERY_SECONDS.items() if every is None]
            if all(self.seen.count(name) >= self.looks for name in quick):
                self.stop.set()
        return self.acts[part]() if part in self.acts else 0


@pytest.fixture
def stop():
    """Set at the end of the test, so that no lane outlives it."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def work(stop, monkeypatch):
    """The worker without a database: its parts are counted, and there is always something due at once."""
    found = Work(stop)
    monkeypatch.setattr(worker, "run_part", found.run_part)
    monkeypatch.setattr(worker, "seconds_until_due", lambda most: 0.001)
    monkeypatch.setattr(worker, "_AFTER_FAILURE_SECONDS", 0.001)
    return found


def test_every_part_is_somebodys():
    """A part without a lane would be looked at by nobody."""
    assert sorted([*(part for lane in LANES for part in lane), "sessions"]) == sorted(EVERY_SECONDS)


def test_lanes_look_again_and_again_the_slow_parts_now_and_then(work, stop):
    run_worker(stop, 2)
    assert {part for part in EVERY_SECONDS if work.seen.count(part) >= 2} == {"wakes", "sessions", "outbox"}
    assert work.seen.count("housekeeping") == work.seen.count("reconcile") == 1


@pytest.mark.parametrize(
    "error", [OperationalError("gone"), RuntimeError("a mistake of ours")], ids=["database", "bug"]
)
def test_a_part_that_fails_is_looked_at_again_and_the_other_lanes_go_on(work, stop, caplog, error):
    """The database restarts, a part has a bug: the worker is there when it works again."""

    def fail():
        raise error

    work.acts = {"outbox": fail}
    with caplog.at_level(logging.WARNING, "falai"):
        run_worker(stop, 1)
    assert work.seen.count("outbox") >= 2
    assert type(error).__name__ in caplog.text
    assert str(error) not in caplog.text


def test_what_is_being_done_when_it_is_asked_to_stop_is_finished(work, stop):
    finished = []

    def long_turn():
        stop.set()
        finished.append("turn")
        return 1

    work.acts = {"sessions": long_turn}
    run_worker(stop, 1)
    assert finished == ["turn"]


def test_parts_are_told_when_to_stop_between_two_things(work, stop, monkeypatch):
    told = []
    monkeypatch.setattr(worker, "run_part", lambda part, stopping: told.append(stopping()) or stop.set() or 0)
    run_worker(stop, 1)
    assert told[0] is False


def test_a_signal_asks_for_an_orderly_end_and_a_second_one_ends_at_once(monkeypatch):
    """Whoever supervises it sends SIGTERM, waits, and then insists."""
    set_before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    seen = []

    def run(stop, threads):
        signal.raise_signal(signal.SIGTERM)
        seen.append((stop.is_set(), signal.getsignal(signal.SIGTERM), threads))

    monkeypatch.setattr(falai_worker, "run_worker", run)
    try:
        call_command("falai_worker", "--threads", "3")
    finally:
        for number, handler in set_before.items():
            signal.signal(number, handler)
    assert seen == [(True, signal.SIG_DFL, 3)]


@pytest.mark.django_db(transaction=True)
def test_a_worker_answers_what_waits(stop, monkeypatch):
    """Its threads have connections of their own; one left open would keep the test database from being dropped."""
    if connection.vendor != "postgresql":
        pytest.skip("Threads of a test see each other's rows on PostgreSQL alone; SQLite is in memory here.")
    stage = Stage(monkeypatch).publish(document(SAYS))
    for number in range(8):
        stage.says("oi", f"s{number}")

    def lets_go(most):
        if not Turn.objects.filter(state="received").exists():
            stop.set()
        return 0.01

    monkeypatch.setattr(worker, "seconds_until_due", lets_go)
    run_worker(stop, 2)
    assert Turn.objects.filter(state="done").count() == 8
