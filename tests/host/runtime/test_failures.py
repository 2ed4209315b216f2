"""Every row of the table of failures: what becomes of the Turn, and of those behind it (README; host.md section 3)."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.db import DataError, OperationalError

from falai_django import registry
from falai_django.conversations.running_again import run_again
from falai_django.errors import InputRefusedError
from falai_django.inbox import event, start
from falai_django.models import Agent, Session, Turn
from falai_django.roles import Actor
from falai_django.turns.drain import Errand
from tests.host.runtime.flows import ACTIONS, ASK_NAME, ASKS, EVENTS, UNDERSTOOD, acting
from tests.host.runtime.stage import document

DOWN = [{"fail": {"kind": "network"}}]
DENIED = [{"fail": {"kind": "auth"}}]
BOSS = Actor.command("test")


@pytest.fixture
def asking(stage):
    """It has asked for the name: from now on each message is first understood."""
    stage.set_agent(apology="Desculpe, volto já.").publish(document(ASK_NAME))
    stage.answers("oi", speak=ASKS)
    return stage


def waits(turn):
    """How long the turn is put off, in whole seconds from its arrival."""
    return (turn.not_before - turn.received_at) // timedelta(seconds=1)


def test_a_model_that_is_down_is_asked_again_later(asking):
    """After 2, 10, 30 and 120 seconds; those behind wait; no attempt is counted."""
    first = asking.says("Ana")
    asking.says("e aí?")
    for number, seconds in enumerate((2, 10, 30, 120), 1):
        asking.script(DOWN)
        assert asking.drains().last.code == "model-unavailable"
        turn = Turn.objects.get(pk=first.pk)
        assert (turn.state, turn.model_failures, turn.attempts) == ("received", number, 0)
        assert seconds <= waits(turn) <= seconds + 5
        assert asking.session().due == turn.not_before
        assert asking.drains().turns == 0
        asking.make_due()
    asking.script([{"fields": {"nome": "Ana"}}])
    asking.drains()
    assert asking.texts()[1] == "Oi, Ana."


def test_a_model_that_stays_down_fails_the_turn(asking):
    """After the fourth wait: failed, the customer's text in the transcript, the apology once."""
    asking.says("Ana")
    for _ in range(5):
        asking.script(DOWN)
        asking.drains()
        asking.make_due()
    turn = asking.last_turn()
    assert (turn.state, turn.error) == ("failed", "model-unavailable")
    assert asking.transcript()[2:] == [("customer", "Ana"), ("assistant", "Desculpe, volto já.")]
    assert [message["key"] for message in turn.response["messages"]] == ["apology"]
    assert asking.session().blob["lastUserAt"] > asking.session().blob["lastAssistantAt"]


def test_a_vendor_that_says_when_is_not_asked_before(asking):
    """Retry-After is waited for, an hour at most."""
    turn = asking.says("Ana")
    for told, seconds in ((90_000, 90), (86_400_000, 3_600)):
        asking.script([{"fail": {"kind": "rate", "retryAfterMs": told}}])
        asking.drains()
        turn.refresh_from_db()
        told_wait = waits(turn)
        asking.make_due()
        assert seconds <= told_wait <= seconds + 5


def test_a_model_that_refuses_fails_the_turn_and_flags_the_agent(asking):
    """502: no further try would help."""
    asking.answers("Ana", understand=DENIED)
    assert asking.states()[1:] == [("message", "failed")]
    agent = Agent.objects.get()
    assert (agent.trouble, agent.trouble_at is not None) == ("model-failed", True)


SPEAKS = {"id": "f", "on": [{"message": []}], "steps": [{"id": "t", "kind": "prompt", "prompt": "Talk."}]}


@pytest.mark.parametrize("flows", [[], [SPEAKS]], ids=["idle", "talk"])
@pytest.mark.parametrize(
    ("kind", "trouble"),
    [("auth", "model-failed"), ("model", "model-failed"), ("quota", "model-failed"), ("network", ""), ("context", "")],
)
def test_a_model_that_refuses_to_speak_flags_the_agent_too(stage, flows, kind, trouble):
    """The engine ends that turn well; what is wrong with the agent, and not with the moment, is told all the same."""
    stage.publish({**document(*flows), "idle": {"prompt": "Answer."}})
    turn = stage.answers("oi", speak=[{"fail": {"kind": kind}}] * 2)
    assert turn.state == "done"
    agent = Agent.objects.get()
    assert (agent.trouble, bool(agent.trouble_detail), agent.trouble_at is not None) == (trouble, *[bool(trouble)] * 2)


def test_a_model_that_answers_again_takes_the_flag_away(asking):
    """Somebody mended the key; nothing was published. A try of the draft is none that a customer meets."""
    asking.answers("um", understand=DENIED)
    asking.answers("dois", understand=UNDERSTOOD, speak=ASKS, release=1)
    assert Agent.objects.get().trouble == "model-failed"
    asking.answers("três", understand=UNDERSTOOD, speak=[{"fail": {"kind": "network"}}])
    assert Agent.objects.get().trouble == "model-failed"
    asking.answers("oi", session_id="another", speak=ASKS)
    agent = Agent.objects.get()
    assert (agent.trouble, agent.trouble_detail, agent.trouble_at) == ("", "", None)


def test_the_apology_is_made_once_until_the_next_answer(asking):
    """Two failures in a row, one apology; after an answer, another failure apologises again."""
    for text in ("um", "dois"):
        asking.answers(text, understand=DENIED)
    assert asking.texts()[1:] == ["Desculpe, volto já."]
    asking.answers("três", understand=UNDERSTOOD, speak=ASKS)
    asking.answers("quatro", understand=DENIED)
    assert asking.texts()[2:] == ["Como se chama?", "Desculpe, volto já."]


def test_an_idle_answer_that_did_not_come_is_apologised_for(stage):
    """The turn is done, but the customer got nothing: the same apology."""
    stage.set_agent(apology="Desculpe.").publish({**document(), "idle": {"prompt": "Answer."}})
    turn = stage.answers("oi", speak=[{"message": ""}])
    assert (turn.state, stage.texts()) == ("done", ["Desculpe."])


def test_an_agent_that_cannot_be_built_pauses(asking):
    """The turn is kept; every session of the agent waits a minute; mended, it goes on."""
    asking.publish(
        document(acting("act"), ASK_NAME, actions={"act": {"kind": "python", "name": "gone", "parameters": {}}})
    )
    asking.says("Ana")
    asking.says("oi", "other")
    assert asking.drains().last.code == "agent-unavailable"
    assert asking.states()[1:] == [("message", "received")]
    agent = Agent.objects.get()
    assert agent.trouble == "agent-unavailable"
    assert agent.paused_until is not None
    assert "gone" in agent.trouble_detail
    assert asking.drains("other").turns == 0
    assert asking.session("other").due == agent.paused_until
    asking.publish(document(ASK_NAME))
    asking.make_due()
    asking.script(UNDERSTOOD, ASKS)
    assert asking.drains().turns == 1
    assert Agent.objects.get().trouble == ""
    assert asking.last_turn().attempts == 1


@pytest.mark.parametrize(
    "blob", [{"v": 3}, [], "text", {"v": 4, "id": "another"}], ids=["old", "list", "text", "other"]
)
def test_a_session_that_cannot_be_read_waits(asking, blob):
    """A minute, then doubling to an hour; it is never taken for a new conversation."""
    good = asking.session().blob
    Session.objects.update(blob=blob)
    turn = asking.says("Ana")
    for number in range(8):
        assert asking.drains().last.code == "session-unreadable"
        turn.refresh_from_db()
        assert (turn.state, turn.attempts, asking.session().unreadable) == ("received", 0, number + 1)
        assert min(60 * 2**number, 3_600) <= waits(turn) <= min(60 * 2**number, 3_600) + 5
        asking.make_due()
    assert asking.session().blob == blob
    Session.objects.update(blob=good)
    asking.script([{"fields": {"nome": "Ana"}}])
    asking.drains()
    assert asking.session().unreadable == 0
    assert asking.texts()[-1] == "Oi, Ana."


@pytest.fixture
def raising(stage):
    """A flow whose condition raises while `broken` holds something."""
    broken = [1]

    @registry.condition("maybe")
    def maybe(argument, scope):
        if broken:
            raise RuntimeError("no")
        return True

    conditions = {"maybe": {"kind": "python", "name": "maybe"}}
    flow = {
        "id": "f",
        "on": [{"message": [], "if": {"maybe": None, "known": []}}],
        "steps": [{"id": "s", "say": "Pronto."}],
    }
    flow["on"][0]["if"] = {"maybe": True}
    stage.publish(document(flow, conditions=conditions))
    stage.broken = broken
    return stage


def test_an_exception_is_tried_three_times(raising):
    """Then the turn is dead, with what was raised; those behind go on."""
    turn = raising.says("oi")
    for attempt, seconds in ((1, 1), (2, 5)):
        raising.drains()
        turn.refresh_from_db()
        assert (turn.state, turn.attempts) == ("received", attempt)
        assert seconds <= waits(turn) <= seconds + 5
        raising.make_due()
    raising.drains()
    turn.refresh_from_db()
    assert (turn.state, turn.error) == ("dead", "turn-dead")
    assert "RuntimeError: no" in turn.error_detail
    assert raising.transcript() == [("customer", "oi")]


def test_a_dead_turn_can_be_run_again(raising):
    """Its text stands in the transcript once, and its answer follows."""
    turn = raising.says("oi")
    for _ in range(3):
        raising.drains()
        raising.make_due()
    raising.broken.clear()
    turn.refresh_from_db()
    run_again(BOSS, turn)
    raising.drains()
    turn.refresh_from_db()
    assert turn.state == "done"
    assert raising.transcript() == [("customer", "oi"), ("assistant", "Pronto.")]
    with pytest.raises(InputRefusedError):
        run_again(BOSS, turn)


def test_an_error_of_the_database_is_raised_and_counts_as_a_kill(raising, monkeypatch):
    """Nobody guesses what was written; the lease expires, and the turn is run again."""
    raising.broken.clear()
    raising.says("oi")

    def gone(*args, **kwargs):
        raise OperationalError("server closed the connection")

    with monkeypatch.context() as patched:
        patched.setattr("falai_django.turns.running.work", gone)
        with pytest.raises(OperationalError):
            raising.drains()
    assert raising.turns()[0].attempts == 1
    assert raising.drains().turns == 0
    raising.expire()
    raising.drains()
    assert raising.states() == [("message", "done")]


def test_what_the_database_refuses_ends_like_any_exception(raising, monkeypatch):
    """A value that no column takes is the turn's own trouble: the others of the loop go on, and it dies in the end."""
    raising.broken.clear()
    raising.says("oi")

    def refuses(*args, **kwargs):
        raise DataError("value too long")

    with monkeypatch.context() as patched:
        patched.setattr("falai_django.turns.commit.write_wakes", refuses)
        for _ in range(2):
            raising.drains()
            raising.make_due()
        patched.setattr("falai_django.turns.running.work", refuses)
        patched.setattr("falai_django.turns.commit.write_wakes", lambda *args: None)
        raising.drains()
    assert raising.states() == [("message", "dead")]


def test_an_action_that_raises_is_the_flows_to_handle(stage):
    """No failure of the turn: the step failed, and its receipt says so."""

    @registry.action("act", parameters={})
    def act(params, call):
        raise RuntimeError("crm is down")

    stage.publish(document(acting(onFail="end"), actions=ACTIONS, events=EVENTS))
    stage.takes(event("go"))
    stage.drains()
    turn = stage.turns()[0]
    assert turn.state == "done"
    assert [(line["status"], line["detail"]) for line in turn.outcomes] == [("failed", "crm is down")]


@pytest.mark.parametrize("idempotent", [False, True], ids=["not idempotent", "idempotent"])
def test_an_action_that_hangs_past_the_lease_is_in_doubt_for_who_takes_over(stage, idempotent):
    """Another worker runs the turn meanwhile: again only if it may be; what the one who hung brings is dropped."""
    made = []

    def act(params, call):
        made.append(1)
        if len(made) == 1:
            stage.expire()
            assert stage.drains().turns == 1

    registry.action("act", parameters={}, idempotent=idempotent)(act)
    stage.publish(document(acting(), actions=ACTIONS, events=EVENTS))
    stage.takes(event("go"), deliver="sender")
    ran = stage.drains().last
    assert len(made) == (2 if idempotent else 1)
    assert ran.state == ""
    (turn,) = stage.turns()
    assert (turn.state, [line["status"] for line in turn.outcomes if line["kind"] == "do"]) == (
        "done",
        ["ok" if idempotent else "failed"],
    )
    assert stage.texts() == ["Feito."]
    assert (stage.session().lease_until, stage.session().due) == (None, None)


def test_an_action_that_hangs_past_the_budget_is_not_run_again(stage, monkeypatch):
    """What comes after it is out of time: the turn is replayed later, and takes the result of what was finished."""
    made = []
    registry.action("act", parameters={})(lambda params, call: made.append(params["n"]))
    flow = {
        "id": "two",
        "steps": [{"id": "one", "do": "act", "with": {"n": "1"}}, {"id": "two", "do": "act", "with": {"n": "2"}}],
    }
    actions = {"act": {"kind": "python", "name": "act", "parameters": {"n": {"type": "string"}}}}
    stage.publish(document(flow, actions=actions))
    stage.takes(start("two"))

    real = time.monotonic
    jump = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: real() + jump[0])
    with stage.meanwhile("receipt-done", lambda: jump.__setitem__(0, 10_000.0)):
        stage.drains(errand=Errand(budget_seconds=45))
    assert (stage.states(), made) == ([("start", "received")], ["1"])
    stage.make_due()
    stage.drains()
    assert (stage.states(), made) == ([("start", "done")], ["1", "2"])
