"""How long a drainer holds a session, and how much of its queue it runs (spec: host.md section 3)."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from falai_django.conf import settings
from falai_django.databases import database_now
from falai_django.faults import at_fault_point
from falai_django.inbox import message
from falai_django.models import Session
from falai_django.rows import write_alias
from falai_django.turns.drain import Stopped, drain, request_errand, worker_errand
from falai_django.waiting import Answered, turn_and_wait
from tests.host.runtime.flows import SAY
from tests.host.runtime.stage import document


@pytest.fixture
def open_stage(stage):
    return stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}, idle={"prompt": "Answer."}))


def _held(stage):
    """(who, for how many more seconds) holds the session."""
    session = stage.session()
    return session.lease_owner, (session.lease_until - database_now(write_alias())).total_seconds()


@pytest.mark.parametrize("who", ["request", "worker"])
def test_a_turn_holds_its_session_for_its_budget_and_a_margin(open_stage, who):
    """45 s in a request, 120 s in a worker, 15 s more: who was killed is followed after that, and not before."""
    turn, held = open_stage.says("oi"), []
    errand = request_errand(turn) if who == "request" else worker_errand()
    with at_fault_point("after-pick", lambda: held.append(_held(open_stage)[1])):
        drain(turn.session_id, errand)
    (seconds,) = held
    whole = {"request": 45, "worker": 120}[who] + 15
    assert whole - 5 < seconds <= whole


def test_the_lease_is_taken_anew_before_each_turn_and_not_within_one(open_stage):
    """The queue may be long; a turn that is replayed has what is left of its own time."""
    for number in range(2):
        open_stage.says(f"{number}")
    held = []

    def look():
        held.append(_held(open_stage))
        # As if so much time had passed.
        Session.objects.update(lease_until=open_stage.session().lease_until - timedelta(seconds=60))

    def move():
        if len(held) == 1:
            held.append(_held(open_stage))
            Session.objects.update(silence_seq=open_stage.session().silence_seq + 1)

    with at_fault_point("after-pick", look), at_fault_point("before-commit", move):
        open_stage.drains()
    assert [(owner == held[0][0], round(seconds / 60)) for owner, seconds in held] == [
        (True, 2),
        (True, 1),
        (True, 2),
    ]
    assert [state for _, state in open_stage.states()] == ["done", "done"]


def test_the_model_is_told_how_long_it_may_take(open_stage):
    """What it takes is within the turn's budget, retries and all."""
    open_stage.publish({**document(), "idle": {"prompt": "Answer."}})
    before = time.monotonic()
    open_stage.answers("oi", speak=[{"message": "Oi!"}])
    after = time.monotonic()
    assert before + 120 <= open_stage.provider.requests[0].deadline <= after + 120


def test_a_worker_runs_so_many_turns_of_one_session(open_stage, settings):
    """Then the others have their turn; what is left is due, and nobody holds it."""
    settings.FALAI_WORKER_DRAIN_TURNS = 3
    for number in range(5):
        open_stage.says(f"{number}")
    drained = open_stage.drains()
    assert (drained.turns, drained.stopped) == (3, Stopped.ENOUGH)
    session = open_stage.session()
    assert (session.lease_until, session.due is not None) == (None, True)
    assert open_stage.drains().turns == 2


def test_a_worker_stays_so_long_with_one_session(open_stage, monkeypatch):
    """Sixty seconds: one that began before them ends."""
    for number in range(3):
        open_stage.says(f"{number}")
    real, jump = time.monotonic, [0.0]
    monkeypatch.setattr("time.monotonic", lambda: real() + jump[0])
    with open_stage.meanwhile("turn-taken", lambda: jump.__setitem__(0, settings().worker_drain_seconds)):
        drained = open_stage.drains()
    assert (drained.turns, drained.stopped) == (1, Stopped.ENOUGH)
    assert open_stage.session().due is not None


def test_a_request_runs_its_own_turn_also_when_others_have_taken_its_time(open_stage, monkeypatch):
    """After its first twenty seconds it begins no turn of others, but its own is the head now."""
    open_stage.says("antes")
    real, jump = time.monotonic, [0.0]
    monkeypatch.setattr("time.monotonic", lambda: real() + jump[0])
    with open_stage.meanwhile("turn-taken", lambda: jump.__setitem__(0, 30.0)):
        found = turn_and_wait(open_stage.agent, open_stage.session_id, message("oi"))
    assert isinstance(found, Answered)
