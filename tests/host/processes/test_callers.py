"""Many callers at once, from two processes that serve (spec: host.md section 3)."""

from __future__ import annotations

from collections import Counter

import pytest

from falai_django.models import Message, Session, Turn
from falai_django.waiting import outcome_of
from tests.host.processes import scene

pytestmark = pytest.mark.processes


def test_twenty_inputs_of_a_new_session(arena):
    """One session, each answered once, in the order of arrival, and no model call too many."""
    names = [f"new|m{number}|texto {number}" for number in range(20)]
    told = arena.posted(names[:10], names[10:])
    assert {outcome for _, outcome, _ in told} <= {"answered", "queued"}
    scene.run_all()
    assert Session.objects.count() == 1
    turns = list(Turn.objects.order_by("pk"))
    assert [turn.state for turn in turns] == ["done"] * 20
    assert len(scene.said("model")) == 20
    heard = list(Message.objects.filter(direction="in").order_by("seq").values_list("key", flat=True))
    assert heard == [turn.key for turn in turns]
    assert Counter(Message.objects.values_list("direction", flat=True)) == {"in": 20, "out": 20}
    for name, outcome, response in told:
        if outcome == "answered":
            assert response == Turn.objects.get(key=name.split("|")[1]).response


def test_one_message_from_ten_callers(arena):
    """One Turn; those who waited and whoever asks later read the same response."""
    told = arena.posted(["s|m1|oi"] * 5, ["s|m1|oi"] * 5)
    scene.run_all()
    (turn,) = Turn.objects.all()
    responses = [response for _, outcome, response in told if outcome == "answered"]
    assert responses
    assert all(response == turn.response for response in responses)
    assert outcome_of(turn).response == turn.response
    assert len(scene.said("model")) == 1


def test_the_same_id_with_another_text(arena):
    """Whichever came first stands; the others are refused."""
    told = arena.posted(["s|m1|oi"] * 3, ["s|m1|olá"] * 3)
    scene.run_all()
    (turn,) = Turn.objects.all()
    other = "olá" if turn.input["message"]["text"] == "oi" else "oi"
    assert {outcome for name, outcome, _ in told if name.endswith(other)} == {"refused"}
