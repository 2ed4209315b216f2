"""What a request gets: the response, the address, or why there is none (spec: host.md sections 3 and 5)."""

from __future__ import annotations

import pytest

from falai_django import registry
from falai_django.conversations.erasing import erase
from falai_django.databases import now_and
from falai_django.failures import STATUS, FailureCode, sentence_of
from falai_django.inbox import event, message
from falai_django.models import Agent, Session, Turn
from falai_django.roles import Actor
from falai_django.turns.lease import new_owner, take_lease
from falai_django.waiters import waiting_for
from falai_django.waiting import Answered, Queued, Refused, outcome_of, turn_and_wait
from falai_engine import TurnResult
from tests.host.runtime.flows import ACTIONS, ASK_NAME, ASKS, EVENTS, SAY, acting
from tests.host.runtime.stage import PAST, document

BOSS = Actor.command("test")


class Clock:
    """What pauses do: nothing but count, and run what is to happen at the n-th."""

    def __init__(self, **at):
        self.pauses = 0
        self.at = at

    def __call__(self, seconds):
        self.pauses += 1
        act = self.at.get(f"at{self.pauses}")
        if act is not None:
            act()


@pytest.fixture
def impatient(settings):
    """A request that looks again at most three times."""
    settings.FALAI_WAIT_SECONDS = 0.05
    settings.FALAI_WAIT_POLL_SECONDS = 0.01


def asks(stage, given=None, pause=None, **how):
    return turn_and_wait(stage.agent, stage.session_id, given or message("oi"), pause=pause or Clock(), **how)


@pytest.fixture
def open_stage(stage):
    return stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}))


def test_a_message_is_answered_in_the_request(open_stage):
    """The response is the stored one."""
    found = asks(open_stage)
    assert isinstance(found, Answered)
    assert found.response == Turn.objects.get(pk=found.turn).response
    assert found.response["messages"][0]["text"] == "Pronto."


def test_a_repeat_reads_the_same_response(open_stage):
    """Now and later; nothing is run again."""
    first = asks(open_stage, message("oi", id="m1"))
    assert asks(open_stage, message("oi", id="m1")) == first
    assert open_stage.session().version == 1


@pytest.mark.parametrize("known", [True, False], ids=["a session that is there", "a new one"])
def test_nobody_waits_while_the_agent_is_paused(open_stage, known):
    """A minute is longer than a request: 503 with when to come back. The turn is kept; who joins it hears the same."""
    if known:
        asks(open_stage)
    Agent.objects.update(paused_until=now_and(60))
    clock = Clock()
    for _ in range(2):
        found = asks(open_stage, message("oi", id="m1"), clock)
        assert (found.code, found.turn) == (FailureCode.AGENT_UNAVAILABLE, open_stage.last_turn().pk)
        assert found.retry_at == Agent.objects.get().paused_until
    assert clock.pauses == 0
    open_stage.make_due()
    assert isinstance(asks(open_stage, message("oi", id="m1")), Answered)


def test_an_agent_paused_while_somebody_waits_ends_the_wait(open_stage):
    turn = open_stage.says("oi", id="m1")
    assert take_lease(turn.session_id, new_owner(), 60)
    clock = Clock(at2=lambda: Agent.objects.update(paused_until=now_and(60)))
    found = asks(open_stage, message("oi", id="m1"), clock)
    assert (found.code, clock.pauses) == (FailureCode.AGENT_UNAVAILABLE, 2)


def test_others_turns_are_run_on_the_way(open_stage):
    """The queue is in order: what came before is answered first."""
    open_stage.says("antes")
    assert isinstance(asks(open_stage), Answered)
    assert [state for _, state in open_stage.states()] == ["done", "done"]


def test_what_comes_behind_is_left_to_others(open_stage):
    """A request stops at its own turn; the session stays due."""
    with open_stage.meanwhile("turn-taken", lambda: open_stage.says("depois")):
        assert isinstance(asks(open_stage), Answered)
    assert [state for _, state in open_stage.states()] == ["done", "received"]
    assert open_stage.session().due is not None


def test_after_its_first_seconds_it_begins_no_turn_of_others(open_stage, settings):
    """It gives the address; the session's lease is free."""
    settings.FALAI_REQUEST_DRAIN_SECONDS = 0.0
    open_stage.says("antes")
    assert isinstance(asks(open_stage), Queued)
    assert [state for _, state in open_stage.states()] == ["received", "received"]
    assert open_stage.session().lease_until is None


def test_who_does_not_want_to_wait_gets_the_address(open_stage):
    """Nothing is run."""
    found = asks(open_stage, wait=False)
    assert isinstance(found, Queued)
    assert Turn.objects.get(pk=found.turn).state == "received"


def test_it_waits_for_who_runs_the_turn(open_stage):
    """Another process holds the lease and ends the turn: its response is read."""
    open_stage.says("antes")
    owner = new_owner()
    assert take_lease(open_stage.session().pk, owner, 60)

    def other():
        Session.objects.update(lease_until=PAST)
        open_stage.drains()

    clock = Clock(at2=other)
    assert isinstance(asks(open_stage, pause=clock), Answered)
    assert clock.pauses == 2


@pytest.mark.usefixtures("impatient")
def test_it_does_not_wait_for_ever(open_stage):
    """The lease is never free: the address, in time."""
    open_stage.says("antes")
    assert take_lease(open_stage.session().pk, new_owner(), 60)
    found = turn_and_wait(open_stage.agent, open_stage.session_id, message("oi"))
    assert isinstance(found, Queued)


def test_only_so_many_wait(open_stage, settings):
    """Beyond them a request gets the address at once, of its session and in its process."""
    open_stage.says("antes")
    pk = open_stage.session().pk
    assert take_lease(pk, new_owner(), 60)
    with waiting_for(pk) as one, waiting_for(pk) as two:
        assert (one, two) == (True, True)
        clock = Clock()
        assert isinstance(asks(open_stage, pause=clock), Queued)
        assert clock.pauses == 0
    settings.FALAI_WAITERS_PER_PROCESS = 1
    with waiting_for(-1) as one, waiting_for(pk) as two:
        assert (one, two) == (True, False)
    with waiting_for(pk) as again:
        assert again is True


def test_a_gathered_message_waits_for_its_time(open_stage):
    """The request that came first reads the response of the group."""
    open_stage.set_agent(gather_ms=60_000)

    def comes():
        open_stage.says("dois")
        open_stage.make_due_for_gathering()

    found = asks(open_stage, pause=Clock(at1=comes))
    assert isinstance(found, Answered)
    assert (found.response["messages"], found.response["turn"]["state"]) == ([], "merged")
    assert found.response["mergedInto"] == open_stage.last_turn().key


@pytest.fixture
def asking(stage):
    stage.publish(document(ASK_NAME))
    stage.answers("oi", speak=ASKS)
    return stage


@pytest.mark.parametrize(
    ("kind", "code"), [("network", "model-unavailable"), ("auth", "model-failed")], ids=["down", "denied"]
)
def test_a_model_that_fails_is_told(asking, kind, code):
    """503 with the time of the next try, or 502; the input was taken."""
    asking.script([{"fail": {"kind": kind}}])
    found = asks(asking, message("Ana"))
    assert isinstance(found, Refused)
    assert (found.code, found.turn) == (code, asking.last_turn().pk)
    assert (found.retry_at is not None) is (code == "model-unavailable")
    if found.retry_at:
        assert found.retry_at == asking.last_turn().not_before


def test_a_turn_that_raises_is_tried_again_while_the_request_waits(stage):
    """Twice it raised, the third time it did not: the request that waited is answered."""
    failures = [1, 1]

    @registry.condition("maybe")
    def maybe(argument, scope):
        if failures:
            failures.pop()
            raise RuntimeError
        return True

    flow = {"id": "f", "on": [{"message": [], "if": {"maybe": True}}], "steps": [{"id": "s", "say": "Pronto."}]}
    stage.publish(document(flow, conditions={"maybe": {"kind": "python", "name": "maybe"}}))
    clock = Clock(at1=stage.make_due, at2=stage.make_due)
    assert isinstance(asks(stage, pause=clock), Answered)


def test_what_is_refused_at_the_door_says_why(open_stage):
    """The code, the sentence, the problems; no turn."""
    open_stage.set_agent(is_active=False, off_text="Voltamos amanhã.")
    found = asks(open_stage)
    assert (found.code, found.message, found.turn) == ("agent-off", "Voltamos amanhã.", None)


def test_a_session_that_is_erased_meanwhile_is_gone(open_stage):
    """410, and no replay."""
    with open_stage.meanwhile("turn-taken", lambda: erase(BOSS, open_stage.session())):
        found = asks(open_stage)
    assert (found.code, STATUS[found.code]) == ("erased", 410)


def test_an_action_that_posts_to_its_own_session_does_not_wait_for_itself(stage):
    """The inner turn is queued; a message, it is answered first, then the outer one ends, its action not run again."""
    inner = []

    @registry.action("act", parameters={})
    def act(params, call):
        inner.append(turn_and_wait(stage.agent, stage.session_id, message("de dentro"), pause=Clock()))

    always = SAY | {"on": [{"message": [], "repeat": "always"}]}
    stage.publish(document(always, acting(), actions=ACTIONS, events=EVENTS))
    assert isinstance(asks(stage, event("go")), Answered)
    assert [type(each) for each in inner] == [Queued]
    assert stage.states() == [("event", "done"), ("message", "done")]
    assert stage.texts() == ["Pronto.", "Feito."]


def test_an_action_may_talk_to_another_session(stage):
    """And wait for its answer."""
    inner = []

    @registry.action("act", parameters={})
    def act(params, call):
        inner.append(turn_and_wait(stage.agent, "other", message("oi"), pause=Clock()))

    always = SAY | {"on": [{"message": [], "repeat": "always"}]}
    stage.publish(document(always, acting(), actions=ACTIONS, events=EVENTS))
    asks(stage, event("go"))
    assert isinstance(inner[0], Answered)


def test_the_text_can_be_watched_while_it_is_phrased(stage):
    """What is streamed is what is stored; the result comes from the commit."""
    stage.publish({**document(), "idle": {"prompt": "Answer."}})
    stage.script(speak=[{"message": "Tudo bem por aqui"}])
    seen = []
    found = asks(stage, watch=seen.append)
    assert "".join(seen).strip() == "Tudo bem por aqui" == found.response["messages"][0]["text"]
    assert not any(isinstance(each, TurnResult) for each in seen)


@pytest.mark.parametrize("state", Turn.State.values)
def test_every_state_of_a_turn_has_an_outcome(open_stage, state):
    """Whoever asks later reads what became of it."""
    turn = open_stage.says("oi")
    turn.state, turn.error = state, "turn-dead"
    found = outcome_of(turn)
    expected = {"received": type(None), "done": Answered}.get(state, Refused)
    assert isinstance(found, expected)


def test_every_code_has_a_status_and_those_of_turns_a_sentence():
    """The tables are complete."""
    assert set(STATUS) == set(FailureCode)
    of_the_door = {"invalid-input", "unknown-release", "key-reused", "erasing", "agent-off", "too-many-inputs"}
    assert all(sentence_of(code) for code in FailureCode if code not in of_the_door)
