"""A process dies at any fault point; the next one goes on, and nothing is lost or done twice (README, crash points)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

import falai_django
from falai_django import registry
from falai_django.conversations.erasing import erase
from falai_django.inbox import event
from falai_django.models import Message, Receipt, Session
from falai_django.receipts import idempotency_key
from falai_django.roles import Actor
from falai_django.turns.current import current_turn
from tests.host.runtime.flows import ACTIONS, EVENTS, SAY, acting
from tests.host.runtime.stage import document

SOURCE = Path(falai_django.__file__).parent
PAGE = (SOURCE / "README.md").read_text(encoding="utf-8")


LOOKS_UP = {"message": "", "toolCalls": [{"toolName": "price", "arguments": {}}]}
TOOLS = [{"id": "price", "kind": "python", "name": "price", "description": "The price."}]
TELLS_THE_PRICE = {
    "id": "tell",
    "on": [{"message": []}],
    "steps": [{"id": "talk", "kind": "prompt", "prompt": "Tell the price.", "tools": ["price"]}],
}


def named_in_the_source():
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py") if path.name != "faults.py"]
    return sorted({name for text in texts for name in re.findall(r'fault_point\("([a-z-]+)"\)', text)})


DOOR = ["door-before-commit", "door-after-commit"]
BEFORE_THE_ACTION = ["after-lease", "after-pick", "after-load"]
IN_DOUBT = ["receipt-started", "action-ran"]
AFTER_THE_ACTION = ["receipt-done", "turn-taken", "before-commit", "in-commit-session-changed", "in-commit"]
DONE = ["after-commit"]


def test_every_fault_point_stands_in_the_table():
    """README says of each place what is in the database and who goes on."""
    assert [name for name in named_in_the_source() if f"`{name}`" not in PAGE] == []


@pytest.fixture
def calls(stage):
    """What the registered action was called with; the agent runs it on the event `go`."""
    made = []
    registry.action("act", parameters={})(lambda params, call: made.append(call.key))
    stage.publish(document(SAY, acting(), actions=ACTIONS, events=EVENTS))
    return made


def goes(stage):
    return stage.takes(event("go", key="k", context={"a": 1}), deliver="sender")


def out(stage):
    return [(row.key, row.text) for row in Message.objects.filter(direction="out")]


ONCE = [("acting#k:done:1", "Feito.")]


@pytest.mark.parametrize("point", [*BEFORE_THE_ACTION, *AFTER_THE_ACTION])
def test_a_turn_is_taken_to_its_end_by_the_next_process(stage, calls, point):
    """Killed anywhere but in the middle of an action: it is run once, the message leaves once."""
    turn = goes(stage)
    stage.dies_at(point, stage.drains)
    turn.refresh_from_db()
    assert turn.state == "received"
    stage.drains()
    turn.refresh_from_db()
    assert (turn.state, len(calls), out(stage)) == ("done", 1, ONCE)
    assert stage.session().due is None


@pytest.mark.parametrize("point", IN_DOUBT)
@pytest.mark.parametrize("idempotent", [True, False], ids=["idempotent", "not"])
def test_an_action_in_doubt_runs_again_only_if_it_may(stage, point, idempotent):
    """Begun and not told done: an idempotent one runs again, another counts as failed; the flow goes on."""
    made = []
    registry.action("act", parameters={}, idempotent=idempotent)(lambda params, call: made.append(call.key))
    stage.publish(document(acting(), actions=ACTIONS, events=EVENTS))
    goes(stage)
    stage.dies_at(point, stage.drains)
    before = len(made)
    stage.drains()
    assert len(made) - before == int(idempotent)
    statuses = [line["status"] for line in stage.turns()[0].outcomes if line["kind"] == "do"]
    assert statuses == ["ok" if idempotent else "failed"]
    assert out(stage) == ONCE


@pytest.mark.parametrize("kind", ["action", "tool"])
@pytest.mark.parametrize("successor", ["ends", "is at it"])
def test_a_worker_that_slept_past_its_lease_does_not_do_what_its_successor_began(stage, kind, successor):
    """It read the receipts before the other one wrote: its own is refused, and it judges again."""
    ends = [] if successor == "is at it" else [{"message": "Dez."}]
    made = acts_or_looks_up(stage, kind, [LOOKS_UP, *ends, LOOKS_UP, {"message": "Dez."}])

    def meanwhile():
        stage.expire()
        if successor == "ends":
            stage.drains()
        else:
            stage.dies_at("action-ran", stage.drains)

    with stage.meanwhile("after-load", meanwhile):
        stage.drains()
    assert len(made) == 1
    assert [state for _, state in stage.states()] == ["done"]
    assert len(out(stage)) == 1


@pytest.mark.parametrize("kind", ["action", "tool"])
def test_a_worker_that_slept_past_its_lease_runs_nothing_of_a_session_erased_meanwhile(transactional_stage, kind):
    """Its receipt has no turn any more: it tries once, and stops."""
    stage = transactional_stage
    made = acts_or_looks_up(stage, kind, [LOOKS_UP])

    def meanwhile():
        stage.expire()
        assert erase(Actor.command("test"), Session.objects.select_related("agent__tenant").get())

    with CaptureQueriesContext(connection) as captured, stage.meanwhile("after-load", meanwhile):
        stage.drains(errand=stage.one_turn())
    tries = [each for each in captured if each["sql"].startswith(f'INSERT INTO "{Receipt._meta.db_table}"')]
    assert (len(tries), made, Session.objects.count()) == (1, [], 0)


def acts_or_looks_up(stage, kind, speak):
    """A turn waits that runs something once; where it is noted."""
    made = []
    if kind == "action":
        registry.action("act", parameters={})(lambda params, call: made.append(1))
        stage.publish(document(acting(), actions=ACTIONS, events=EVENTS))
        goes(stage)
        return made
    registry.tool("price", description="The price.")(lambda arguments, request: made.append(1))
    stage.publish(document(TELLS_THE_PRICE, tools=TOOLS)).script(speak=speak)
    stage.says("quanto?", deliver="sender")
    return made


def test_nothing_is_left_of_an_input_that_died_at_the_door(stage, calls):
    """Before the commit the caller has no answer and repeats; after it the repeat joins."""
    stage.dies_at("door-before-commit", lambda: goes(stage))
    assert not Session.objects.exists()
    stage.dies_at("door-after-commit", lambda: goes(stage))
    assert len(stage.turns()) == 1
    goes(stage)
    stage.drains()
    assert (len(stage.turns()), len(calls)) == (1, 1)


def test_after_the_commit_all_is_there(stage, calls):
    """The process that dies then has told nobody, but everything is stored."""
    goes(stage)
    stage.dies_at("after-commit", stage.drains)
    assert stage.states() == [("event", "done")]
    assert out(stage) == ONCE
    assert stage.session().lease_until is None


def test_the_third_kill_is_the_last(stage, calls):
    """A turn that kills its process each time is dead, and those behind it go on."""
    goes(stage)
    stage.says("oi")
    for _ in range(3):
        stage.dies_at("after-load", stage.drains)
    stage.drains()
    assert stage.states() == [("event", "dead"), ("message", "done")]


def test_what_an_action_set_is_set_again_by_the_replay(stage):
    """The result of a finished action is taken from its receipt, values that it wrote included."""
    made = []

    def act(params, call):
        made.append(1)
        call.set({"nome": "Ana"})
        return {"ok": True, "detail": "saved"}

    registry.action("act", parameters={})(act)
    stage.publish(document(acting(after="Oi, {{data.nome}}."), actions=ACTIONS, events=EVENTS))
    goes(stage)
    stage.dies_at("turn-taken", stage.drains)
    stage.drains()
    assert made == [1]
    assert [text for _, text in out(stage)] == ["Oi, Ana."]
    assert Receipt.objects.get().result["result"]["detail"] == "saved"


def test_a_deferred_action_runs_again_when_its_wake_comes(stage):
    """Another turn, another receipt: the same step is run anew."""
    made = []

    def act(params, call):
        made.append(call.key)
        return {"defer": "1h"} if len(made) == 1 else {"ok": True}

    registry.action("act", parameters={})(act)
    stage.publish(document(acting(), actions=ACTIONS, events=EVENTS))
    goes(stage)
    stage.drains()
    (key,) = stage.wakes()
    stage.wakes_up(key)
    assert made == ["acting#k:do:1", "acting#k:do:1"]
    assert out(stage) == ONCE


def test_one_event_to_five_sessions_acts_five_times(stage, calls):
    """The engine's key is the same in each; what a receiver sees is not."""
    seen = set()
    registry.action("other", parameters={})(lambda params, call: seen.add(idempotency_key(current_turn(), call.key)))
    stage.publish(
        document(
            acting("other"), actions={"other": {"kind": "python", "name": "other", "parameters": {}}}, events=EVENTS
        )
    )
    for number in range(5):
        stage.takes(event("go", key="k"), f"s{number}", deliver="sender")
        stage.drains(f"s{number}")
    assert len(seen) == 5
    assert Message.objects.values("public_id").distinct().count() == 5
