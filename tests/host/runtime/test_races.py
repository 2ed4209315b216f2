"""Two things at once, step by step: the second happens when the first comes by a fault point (README, if two meet)."""

from __future__ import annotations

import pytest

from falai_django import registry
from falai_django.conversations.erasing import erase, erase_contact
from falai_django.conversations.patching import patch_session
from falai_django.conversations.people import write
from falai_django.conversations.silence import give_back, take_over
from falai_django.faults import at_fault_point
from falai_django.inbox import event, set_values, start
from falai_django.models import Agent, Anchor, Claim, Message, Session, Turn, Wake
from falai_django.roles import Actor
from falai_django.wakes import move_due_wakes
from tests.host.runtime.flows import ACTIONS, ASK_NAME, ASKS, EVENTS, NUDGE, SAY, acting
from tests.host.runtime.stage import document

BOSS = Actor.command("test")
WHILE_PHRASED = "turn-taken"
"""The engine has ended, nothing is written."""


@pytest.fixture
def talking(stage):
    """It has asked for the name."""
    stage.publish(document(ASK_NAME, SAY | {"id": "other", "on": []}, events=EVENTS))
    stage.answers("oi", speak=ASKS)
    return stage


def test_only_one_drains(talking):
    """While one holds the lease, another runs nothing; afterwards it may."""
    talking.script([{"fields": {"nome": "Ana"}}])
    talking.says("Ana")
    others = []
    with talking.meanwhile("after-pick", lambda: others.append(talking.drains().turns)):
        talking.drains()
    assert others == [0]
    assert talking.texts()[1:] == ["Oi, Ana."]


def test_one_that_hung_past_its_lease_writes_nothing(talking):
    """Another took the turn over and committed first: one answer, not two."""
    talking.script([{"fields": {"nome": "Ana"}}, {"fields": {"nome": "Ana"}}])
    talking.says("Ana")

    def another():
        talking.expire()
        assert talking.drains().turns == 1

    with talking.meanwhile(WHILE_PHRASED, another):
        talking.drains()
    assert talking.texts()[1:] == ["Oi, Ana."]
    assert talking.session().version == 2
    assert talking.session().lease_until is None


def test_a_message_that_comes_meanwhile_is_not_overlooked(talking):
    """The commit finds that the queue has grown: the session is due at once, and the same drain goes on."""
    talking.script([{"fields": {"nome": "Ana"}}])
    talking.says("Ana")
    with talking.meanwhile(WHILE_PHRASED, lambda: talking.says("e aí?")):
        talking.drains()
    assert [state for _, state in talking.states()] == ["done"] * 3
    assert talking.session().due is None


def test_a_message_that_comes_meanwhile_survives_a_crash_right_after(talking):
    """Nobody looks again, yet the row says that something is due."""
    talking.script([{"fields": {"nome": "Ana"}}])
    talking.says("Ana")
    with talking.meanwhile(WHILE_PHRASED, lambda: talking.says("e aí?")):
        talking.dies_at("after-commit", talking.drains)
    assert talking.session().due is not None
    talking.drains()
    assert [state for _, state in talking.states()] == ["done"] * 3


def test_silence_that_is_set_meanwhile_is_kept(talking):
    """The turn is replayed silenced: the value is taken, nothing is said, what had not left is withheld."""
    talking.takes(start("other"), deliver="sender")
    talking.drains()
    talking.script([{"fields": {"nome": "Ana"}}, {"fields": {"nome": "Ana"}}])
    talking.says("Ana", deliver="sender")
    with talking.meanwhile(WHILE_PHRASED, lambda: take_over(BOSS, talking.session())):
        talking.drains()
    assert "Oi, Ana." not in talking.texts()
    assert {row.state for row in Message.objects.filter(text="Pronto.")} == {"withheld"}
    assert talking.last_turn().attempts == 1


def test_what_was_withheld_was_never_said(talking):
    """The model's history leaves it out; what waits to leave counts."""
    talking.answers("hm", speak=[{"message": "Nome?", "nome": None}], understand=[{"fields": {}}], deliver="sender")
    take_over(BOSS, talking.session())
    give_back(BOSS, talking.session())
    talking.answers("e?", speak=[{"message": "Seu nome?", "nome": None}], understand=[{"fields": {}}])
    assert [item["content"] for item in talking.provider.requests[0].history] == ["oi", "Como se chama?", "hm"]


def test_a_person_writes_meanwhile(talking):
    """The turn is replayed silenced, and no two rows of the transcript have one number."""
    talking.script([{"fields": {"nome": "Ana"}}, {"fields": {"nome": "Ana"}}])
    talking.says("Ana")
    with talking.meanwhile(WHILE_PHRASED, lambda: write(BOSS, talking.session(), "Sou a Bia.", send=True)):
        talking.drains()
    assert talking.transcript()[2:] == [("human", "Sou a Bia."), ("customer", "Ana")]
    assert [state for _, state in talking.states()] == ["done"] * 3


def test_a_patch_of_the_context_meanwhile_is_kept(talking):
    """The request's part is laid over what is stored at the commit."""
    talking.says("Ana", context={"a": {"x": 1}})
    talking.script([{"fields": {}}], ASKS)
    patch = {"a": {"y": 2}, "b": 3}
    with talking.meanwhile(WHILE_PHRASED, lambda: patch_session(talking.agent, talking.session_id, context=patch)):
        talking.drains()
    assert talking.session().context == {"a": {"x": 1, "y": 2}, "b": 3}


def test_a_session_that_never_rests_gives_the_turn_back(talking):
    """Lost four times: nothing left, nothing counted, and the next drain may."""
    talking.script([{"fields": {}}] * 9, ASKS * 9)
    talking.says("Ana")

    def move():
        Session.objects.update(version=talking.session().version + 1)

    with at_fault_point("before-commit", move):
        ran = talking.drains(errand=talking.one_turn()).last
    assert (ran.state, ran.code) == ("received", "")
    assert (talking.last_turn().attempts, len(talking.texts())) == (0, 1)
    assert len(talking.provider.requests) == 8
    talking.script([{"fields": {"nome": "Ana"}}])
    talking.drains()
    assert talking.texts()[1:] == ["Oi, Ana."]


# -- wakes, events and starts, and a message


@pytest.fixture
def nudging(stage):
    """A nudge is due, and waits in the inbox."""
    stage.publish(document(NUDGE))
    stage.answers("oi")
    (key,) = stage.wakes()
    stage.key = key
    return stage


def test_a_message_while_a_wake_is_phrased_goes_first(nudging):
    """The nudge that was phrased is thrown away: the customer's message is answered, then the wake is run again."""
    nudging.script(speak=[{"message": "Tudo bem?"}, {"message": "Dúvidas?"}])
    with nudging.meanwhile(WHILE_PHRASED, lambda: nudging.says("obrigada")):
        nudging.wakes_up(nudging.key)
    assert nudging.transcript()[2:] == [("customer", "obrigada"), ("assistant", "Dúvidas?")]
    wake = Turn.objects.get(kind="wake")
    assert (wake.state, wake.results_dropped, wake.attempts) == ("done", 1, 1)


def test_a_result_is_dropped_twice_at_most(nudging):
    """Whoever writes without end does not keep a wake from ever being said."""
    nudging.script(speak=[{"message": "A?"}, {"message": "B?"}, {"message": "C?"}])

    def writes():
        running = Turn.objects.filter(state="received", picked_at__isnull=False, kind="wake")
        if running.exists() and not Turn.objects.filter(state="received", kind="message").exists():
            nudging.says("mais uma coisa")

    with at_fault_point(WHILE_PHRASED, writes):
        nudging.wakes_up(nudging.key)
    assert nudging.texts() == ["Oi!", "C?"]
    assert Turn.objects.get(kind="wake").results_dropped == 2


@pytest.mark.parametrize(
    "given", [lambda: event("go", key="k"), lambda: start("acting", key="k")], ids=["event", "start"]
)
def test_a_message_while_an_event_or_start_is_phrased_goes_first(stage, given):
    """Although it came later: the other's action is not run again, its message leaves after the answer."""
    made = []
    registry.action("act", parameters={})(lambda params, call: made.append(call.key))
    stage.publish(
        document(SAY | {"on": [{"message": [], "repeat": "always"}]}, acting(), actions=ACTIONS, events=EVENTS)
    )
    stage.takes(given())
    with stage.meanwhile(WHILE_PHRASED, lambda: stage.says("oi")):
        stage.drains()
    assert stage.transcript() == [("customer", "oi"), ("assistant", "Pronto."), ("assistant", "Feito.")]
    assert len(made) == 1


def test_a_wake_that_has_nothing_to_say_is_not_dropped(stage):
    """Only what would be said makes way."""
    flow = {"id": "f", "on": [{"message": []}], "steps": [{"id": "s", "say": "Oi!"}, {"id": "w", "wait": "1h"}]}
    stage.publish(document(flow))
    stage.answers("oi")
    (key,) = stage.wakes()
    with stage.meanwhile(WHILE_PHRASED, lambda: stage.says("e aí?")):
        stage.wakes_up(key)
    assert Turn.objects.get(kind="wake").results_dropped == 0
    assert [state for _, state in stage.states()] == ["done"] * 3


@pytest.fixture
def falling_silent(stage):
    """A nudge for who keeps silent is due, and waits in the inbox."""
    nudge = {"id": "n", "on": [{"silence": "1h", "repeat": "always"}], "steps": [{"id": "s", "say": "Ainda aí?"}]}
    stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}, nudge))
    stage.answers("oi")
    Wake.objects.update(due=stage.session().last_now)
    assert move_due_wakes().moved == 1
    return stage


def test_who_writes_before_a_nudge_is_run_is_not_nudged(falling_silent):
    """The message goes first, although the nudge was in the inbox before it; then it has no silence to break."""
    falling_silent.says("estou aqui")
    falling_silent.drains()
    assert falling_silent.texts() == ["Pronto.", "Pronto."]
    assert falling_silent.states()[1:] == [("wake", "done"), ("message", "done")]
    assert len(falling_silent.wakes()) == 1


def test_who_writes_while_a_nudge_is_phrased_is_not_nudged(falling_silent):
    """What was phrased is thrown away; run again, it has nothing to say."""
    with falling_silent.meanwhile(WHILE_PHRASED, lambda: falling_silent.says("estou aqui")):
        falling_silent.drains()
    assert falling_silent.texts() == ["Pronto.", "Pronto."]


def test_who_writes_right_after_a_nudge_has_got_it(falling_silent):
    """The other way round: the nudge was committed first."""
    falling_silent.drains()
    falling_silent.answers("estou aqui")
    assert falling_silent.texts() == ["Pronto.", "Ainda aí?", "Pronto."]


def test_a_wake_is_moved_while_the_reply_that_ends_its_wait_is_committed(stage):
    """Moved before the commit: the run that it was for has gone on, and it does nothing."""
    flow = {
        "id": "f",
        "on": [{"message": []}],
        "steps": [
            {"id": "w", "wait": {"event": "paid", "upTo": "1h"}, "else": "late"},
            {"id": "s", "say": "Obrigado!", "then": "end"},
            {"id": "late", "say": "Expirou."},
        ],
    }
    stage.publish(document(flow, events=EVENTS))
    stage.answers("oi")
    stage.takes(event("paid"))
    Wake.objects.update(due=stage.session().last_now)
    with stage.meanwhile(WHILE_PHRASED, move_due_wakes):
        stage.drains()
    stage.drains()
    assert stage.texts() == ["Obrigado!"]
    assert stage.states()[1:] == [("event", "done"), ("wake", "done")]
    assert not Wake.objects.exists()
    assert stage.session().due is None


# -- publish, erase


def test_a_publish_between_a_wake_and_its_turn_ends_what_is_gone(nudging):
    """The step that the wake was for is in no release any more: nothing is said, nobody is stuck."""
    nudging.publish(document({**NUDGE, "steps": NUDGE["steps"][:1]}))
    nudging.wakes_up(nudging.key)
    assert nudging.texts() == ["Oi!"]
    assert "step-gone" in {line.get("code") for line in nudging.last_turn().outcomes}
    assert not nudging.session().session_runs.exists()


def test_a_publish_between_a_wake_and_its_turn_may_take_the_flow_away(nudging):
    nudging.publish(document())
    nudging.wakes_up(nudging.key)
    assert nudging.last_turn().state == "done"
    assert nudging.texts() == ["Oi!"]
    assert not nudging.session().session_runs.exists()


def test_a_publish_while_a_replay_waits_counts_for_the_replay(talking):
    """Lost to a person's silence, it is taken anew, by what is true now."""
    new = document({**ASK_NAME, "steps": [*ASK_NAME["steps"][:1], {"id": "bye", "say": "Olá, {{data.nome}}."}]})
    talking.says("Ana")
    talking.script([{"fields": {"nome": "Ana"}}] * 2)

    def both():
        take_over(BOSS, talking.session())
        give_back(BOSS, talking.session())
        talking.publish(new)

    with talking.meanwhile(WHILE_PHRASED, both):
        talking.drains()
    assert talking.texts()[1:] == ["Olá, Ana."]
    assert talking.last_turn().release.number == 2


def test_a_publish_meanwhile_counts_from_the_next_turn_on(talking):
    """The turn ends by the release that it began with; a step that is gone ends its run."""
    gone = document({"id": "greet", "on": [{"message": []}], "steps": [{"id": "new", "say": "Novo."}]})
    talking.says("hm")
    talking.script([{"fields": {}}], ASKS)
    with talking.meanwhile(WHILE_PHRASED, lambda: talking.publish(gone)):
        talking.drains()
    assert talking.last_turn().release.number == 1
    turn = talking.answers("Ana")
    assert turn.release.number == 2
    assert "step-gone" in {line.get("code") for line in turn.outcomes}


def test_a_flow_that_is_gone_ends_its_runs(talking):
    """Nobody is stuck in what no release knows."""
    talking.publish(document())
    turn = talking.answers("Ana")
    assert "flow-gone" in {line.get("code") for line in turn.outcomes}
    assert not talking.session().session_runs.exists()


def test_erasing_while_a_turn_runs(talking):
    """Marked at once; the turn's commit is refused, nothing is said, and then nothing is left."""
    talking.script([{"fields": {}}], ASKS)
    talking.says("Ana")
    gone = []
    with talking.meanwhile(WHILE_PHRASED, lambda: gone.append(erase(BOSS, talking.session()))):
        ran = talking.drains().last
    assert gone == [False]
    assert (ran.state, ran.code) == ("dropped", "erased")
    assert not Session.objects.exists()
    assert not Message.objects.exists()
    assert not Turn.objects.exists()


def test_erasing_a_contact(stage):
    """Every session of every agent that is about it goes, with claims and anchors; others stay."""
    stage.publish(document(SAY | {"anchor": "lead"}))
    for name, lead in (("a", "7"), ("b", "7"), ("c", "8")):
        stage.says("oi", name, anchors={"lead": lead})
        stage.drains(name)
    second = Agent.objects.create(tenant=stage.tenant, slug="two", active_release=None)
    stage.session_id = "c"
    assert Claim.objects.count() == 2
    assert erase_contact(BOSS, stage.tenant, "lead", "7") == (2, 0)
    assert [row.session_id for row in Session.objects.all()] == ["c"]
    assert list(Anchor.objects.values_list("key", flat=True)) == ["8"]
    assert list(Claim.objects.values_list("anchor", flat=True)) == ["8"]
    assert second.pk


def test_values_are_set_between_turns_never_within_one(talking):
    """A `set` that comes meanwhile waits in the queue, and is there for the next."""
    talking.says("hm")
    talking.script([{"fields": {}}], ASKS)
    with talking.meanwhile(WHILE_PHRASED, lambda: talking.takes(set_values(data={"nome": "Bia"}))):
        talking.drains()
    assert talking.session().blob["data"] == {"nome": "Bia"}
    assert talking.states()[1:] == [("message", "done"), ("set", "done")]
