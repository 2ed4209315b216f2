"""Messages that follow each other are answered together (spec: host.md section 3, gatherMs)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from falai_django.inbox import event, set_values
from falai_django.models import Message, Turn
from falai_django.turns.queue import due_of, in_order
from falai_django.waiting import Answered, outcome_of
from tests.host.runtime.flows import ASK_NAME, ASKS, EVENTS
from tests.host.runtime.stage import PAST, document

GATHER = 2_000


@pytest.fixture
def gathering(stage):
    return stage.set_agent(gather_ms=GATHER).publish(document(ASK_NAME, events=EVENTS))


def seconds(number):
    return PAST + timedelta(seconds=number)


def row(number, kind="message", **columns):
    """A received Turn that came so many seconds after the first."""
    pk = columns.pop("pk", number + 1)
    columns.setdefault("deliver", "response")
    return Turn(pk=pk, kind=kind, received_at=seconds(number), **columns)


@pytest.mark.parametrize(
    ("rows", "due"),
    [
        ([], None),
        ([row(0)], 2),
        ([row(0), row(1)], 3),
        ([row(0), row(1), row(3), row(4), row(5)], 6),
        ([row(0), row(1, "wake")], 2),
        ([row(0), row(1, "event")], 0),
        ([row(0), row(1), row(1, "set", pk=9)], 1),
        ([row(0, picked_at=PAST)], 0),
        ([row(0, not_before=seconds(30), picked_at=PAST)], 30),
        ([row(0), row(1, deliver="sender")], 2),
        ([row(0), row(1, wanted_release="3")], 2),
        ([row(7, "wake")], 7),
        ([row(0, "wake"), row(3, "event")], 3),
    ],
    ids=[
        "nothing",
        "one",
        "another",
        "thrice-at-most",
        "a-wake-waits-behind",
        "an-event-hurries",
        "a-host-turn-hurries",
        "fixed",
        "put-off",
        "another-way",
        "another-release",
        "wake",
        "wakes-come-last",
    ],
)
def test_when_a_queue_is_due(rows, due):
    """So long after the last of the group, three times as long after the first at the latest."""
    found = due_of(in_order(rows), GATHER)
    assert found == (None if due is None else seconds(due))


def test_a_group_is_one_turn(gathering):
    """Its texts are joined by a line; the earlier ones are merged into the last, and read its response."""
    for text in ("oi", "tudo bem?", "quero comprar"):
        gathering.says(text, media={"n": text})
    assert gathering.drains().turns == 0
    gathering.script(speak=ASKS)
    gathering.make_due_for_gathering()
    assert gathering.drains().turns == 1
    assert [state for _, state in gathering.states()] == ["merged", "merged", "done"]
    assert "oi\ntudo bem?\nquero comprar" in gathering.provider.requests[0].prompt
    assert gathering.transcript() == [
        ("customer", "oi"),
        ("customer", "tudo bem?"),
        ("customer", "quero comprar"),
        ("assistant", "Como se chama?"),
    ]
    first, _, last = gathering.turns()
    found = outcome_of(first)
    assert isinstance(found, Answered)
    assert (found.response["messages"], found.response["mergedInto"]) == ([], last.key)
    given = gathering.session().last_given["message"]
    assert [part["media"]["n"] for part in given["parts"]] == ["oi", "tudo bem?", "quero comprar"]


def test_every_replay_answers_the_same_group(gathering):
    """Killed after the group was fixed; what comes later is answered apart."""
    gathering.says("um")
    gathering.says("dois")
    gathering.make_due_for_gathering()
    gathering.dies_at("after-load", gathering.drains)
    gathering.says("três")
    gathering.script(speak=ASKS)
    assert gathering.drains().turns == 1
    assert [state for _, state in gathering.states()] == ["merged", "done", "received"]
    assert [text for _, text in gathering.transcript()[:2]] == ["um", "dois"]


def test_a_group_fails_together(gathering):
    """The customer's texts are all in the transcript, and each caller reads the failure."""
    gathering.set_agent(apology="Desculpe.")
    gathering.script(speak=ASKS)
    gathering.says("oi")
    gathering.make_due_for_gathering()
    gathering.drains()
    gathering.says("Ana")
    gathering.says("Maria")
    gathering.make_due_for_gathering()
    gathering.script([{"fail": {"kind": "auth"}}])
    gathering.drains()
    assert [state for _, state in gathering.states()] == ["done", "merged", "failed"]
    assert [text for _, text in gathering.transcript()[2:]] == ["Ana", "Maria", "Desculpe."]
    assert {outcome_of(turn).code for turn in gathering.turns()[1:]} == {"model-failed"}


def test_an_event_behind_lets_the_group_run_at_once(gathering):
    """What is due is told by the session's row."""
    turn = gathering.says("oi")
    assert gathering.session().due == turn.received_at + timedelta(milliseconds=GATHER)
    gathering.takes(event("go"))
    assert gathering.session().due == turn.received_at
    gathering.script(speak=ASKS)
    assert gathering.drains().turns == 2


def test_a_group_ends_where_the_way_out_changes(gathering):
    """Consecutive messages of one `deliver` and release are a group; the next is its own."""
    gathering.says("um")
    gathering.says("dois", deliver="sender")
    gathering.takes(set_values(data={}))
    gathering.script([{"fields": {}}], ASKS * 2)
    gathering.drains()
    assert [state for _, state in gathering.states()] == ["done", "done", "done"]
    assert Message.objects.filter(direction="out", state="queued").count() == 1
