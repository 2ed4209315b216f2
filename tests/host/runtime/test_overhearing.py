"""Who listens in on turns hears what they ask and are answered, and changes none of them."""

from __future__ import annotations

import logging

import pytest

from falai_django import registry
from falai_django.inbox import event
from falai_django.turns import overhearing
from falai_django.turns.overhearing import listen, listening, overheard
from falai_engine import Ok
from falai_engine.needs import AskModel, RunAction
from tests.host.runtime.flows import ACTIONS, ASK_NAME, ASKS, EVENTS, UNDERSTOOD, acting
from tests.host.runtime.stage import document


@pytest.fixture
def heard(monkeypatch):
    """All that the turns of the test told: (turn's key, need, answer)."""
    monkeypatch.setattr(overhearing, "_listeners", [])
    found = []
    with listening(lambda turn, need, answer: found.append((turn.key, need, answer))):
        yield found


def test_each_call_of_the_model_is_told_with_its_answer(stage, heard):
    stage.publish(document(ASK_NAME))
    stage.answers("oi", id="m1", understand=UNDERSTOOD, speak=ASKS)
    stage.answers("Maria", id="m2", understand=[{"fields": {"nome": "Maria"}}])
    kinds = [(key, need.request.schema_name) for key, need, _ in heard if isinstance(need, AskModel)]
    assert kinds[0] == ("m1", "speak")
    assert ("m2", "understand") in kinds
    understood = next(answer for key, need, answer in heard if key == "m2")
    assert understood.structured["fields"] == {"nome": "Maria"}


def test_an_action_is_told_with_its_result(stage, heard):
    @registry.action("act")
    def act(params, call):
        return Ok("done so")

    stage.publish(document(acting(), actions=ACTIONS, events=EVENTS))
    stage.takes(event("go", key="e1"))
    stage.drains()
    ((_, need, answer),) = heard
    assert isinstance(need, RunAction)
    assert (need.name, answer.detail) == ("act", "done so")


def test_a_listener_that_fails_stops_no_turn(stage, heard, caplog):
    def fails(turn, need, answer):
        raise ValueError("of somebody@example.com")

    stage.publish(document(ASK_NAME))
    with caplog.at_level(logging.WARNING, logger="falai"), listening(fails):
        turn = stage.answers("oi", understand=UNDERSTOOD, speak=ASKS)
    assert turn.state == "done"
    assert "listener.raised" in caplog.text
    assert "somebody" not in caplog.text


def test_without_anybody_a_turn_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(overhearing, "_listeners", [])
    steps = iter(())
    assert overheard(None, steps) is steps


def test_who_listens_for_good_is_told_once(monkeypatch):
    listeners = []
    monkeypatch.setattr(overhearing, "_listeners", listeners)
    listen(print)
    listen(print)
    assert listeners == [print]
