"""While a person speaks, the agent does not, whatever happens meanwhile (spec: host.md section 3, Silence)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from falai_django import registry
from falai_django.conversations.people import write
from falai_django.conversations.silence import give_back, take_over
from falai_django.inbox import event
from falai_django.models import Message, Sender, Session
from falai_django.outbox import resend, send_due
from falai_django.roles import Actor
from tests.host.runtime.flows import EVENTS, SAY
from tests.host.runtime.stage import PAST, document

BOSS = Actor.command("test")
HOURS = timedelta(hours=1)
HANDS_OFF = {
    "id": "hands",
    "on": [{"event": "go", "repeat": "always"}],
    "steps": [{"id": "h", "do": "hand_off", "with": {"reason": "fluxo", "for": "2h"}}],
}


@pytest.mark.parametrize(
    ("lasts", "hours", "reason"),
    [("24h", 24, "human"), ("1h", 2, "human")],
    ids=["a longer one stays", "a shorter one grows"],
)
def test_a_flow_does_not_cut_a_person_s_silence_short(stage, lasts, hours, reason):
    """It hands over while somebody speaks already: actions run also when silenced."""
    stage.publish(document(HANDS_OFF, SAY, events=EVENTS))
    stage.answers("oi")
    take_over(BOSS, stage.session(), lasts=lasts)
    stage.takes(event("go"))
    stage.drains()
    session = stage.session()
    assert hours * HOURS - HOURS / 60 < session.silenced_until - session.last_now <= hours * HOURS
    assert (session.silenced, session.silence_seq) == (reason, 2)


def test_a_silence_without_end_stays_without_end(stage):
    stage.publish(document(HANDS_OFF, SAY, events=EVENTS))
    stage.answers("oi")
    Session.objects.update(silenced="sempre", silenced_until=None)
    stage.takes(event("go"))
    stage.drains()
    assert (stage.session().silenced, stage.session().silenced_until) == ("sempre", None)


def test_a_silence_that_is_over_is_begun_anew(stage):
    """With the reason of now."""
    stage.publish(document(HANDS_OFF, SAY, events=EVENTS))
    stage.answers("oi")
    Session.objects.update(silenced="human", silenced_until=PAST)
    stage.takes(event("go"))
    stage.drains()
    assert stage.session().silenced == "fluxo"


def test_what_a_hand_off_was_said_with_still_leaves(stage):
    """Messages of this and earlier turns: it is the flow that hands over, nobody has interrupted it."""
    flow = {"id": "f", "on": [{"message": []}], "steps": [*HANDS_OFF["steps"], {"id": "s", "say": "Um momento."}]}
    stage.publish(document(flow))
    stage.answers("oi", deliver="sender")
    assert [row.state for row in Message.objects.filter(direction="out")] == ["queued"]


@pytest.fixture
def raising(stage):
    """Each message raises, three times; the agent is sorry."""

    @registry.condition("maybe")
    def maybe(argument, scope):
        raise RuntimeError

    flow = {"id": "f", "on": [{"message": [], "if": {"maybe": True}}], "steps": [{"id": "s", "say": "Pronto."}]}
    stage.set_agent(apology="Desculpe.")
    return stage.publish(document(flow, conditions={"maybe": {"kind": "python", "name": "maybe"}}))


def _dies(stage):
    for _ in range(3):
        stage.drains()
        stage.make_due()
    assert stage.last_turn().state == "dead"


@pytest.mark.parametrize("how", ["person", "turn", "limit"])
def test_a_silenced_agent_does_not_say_sorry_either(raising, how):
    """The customer would hear it in the middle of what a person says. The text is in the transcript all the same."""
    raising.says("oi", **({"silenced": "teste"} if how == "turn" else {}))
    if how == "person":
        take_over(BOSS, raising.session())
    if how == "limit":
        raising.set_agent(turns_per_hour=1)
        Session.objects.update(counted_turns=1, counted_from=raising.last_turn().received_at)
    _dies(raising)
    assert raising.transcript() == [("customer", "oi")]
    assert raising.session().apologized is False


def test_when_it_may_speak_again_it_says_sorry_again(raising):
    raising.says("oi")
    take_over(BOSS, raising.session())
    give_back(BOSS, raising.session())
    _dies(raising)
    assert raising.transcript() == [("customer", "oi"), ("assistant", "Desculpe.")]


@pytest.fixture
def sending(stage):
    """What the agent says leaves by a function, which does `stage.meanwhile_sending()` and then fails."""

    @registry.sender("test")
    def fails(message):
        stage.sent.append(message.text)
        if len(stage.sent) == 1:
            stage.meanwhile_sending()
            raise RuntimeError("no line")

    stage.sent = []
    sender = Sender.objects.create(tenant=stage.tenant, name="out", kind="python", python_name="test")
    stage.set_agent(sender=sender, deliver="sender")
    stage.publish(document(SAY | {"steps": [{"id": "a", "say": "Um."}, {"id": "b", "say": "Dois."}]}))
    stage.answers("oi")
    return stage


def _state_of(text):
    return Message.objects.get(text=text).state


@pytest.mark.parametrize("how", ["take over", "write"])
def test_what_was_leaving_when_a_person_took_over_is_not_tried_again(sending, how):
    """Its sender failed while somebody began to speak: it would come into the middle of that, minutes later."""
    act = {
        "take over": lambda: take_over(BOSS, sending.session()),
        "write": lambda: write(BOSS, sending.session(), "Sou a Bia."),
    }[how]
    sending.meanwhile_sending = act
    send_due()
    assert (_state_of("Um."), _state_of("Dois.")) == ("queued", "withheld")
    Message.objects.filter(state="queued").update(due=PAST)
    send_due()
    assert sending.sent == ["Um."]
    assert _state_of("Um.") == "expired"
    assert sending.session().messages.filter(direction="out", author="assistant", state="sent").count() == 0


def test_a_person_may_send_it_all_the_same(sending):
    sending.meanwhile_sending = lambda: take_over(BOSS, sending.session())
    send_due()
    send_due()
    resend(BOSS, Message.objects.get(text="Um."))
    send_due()
    assert (sending.sent, _state_of("Um.")) == (["Um.", "Um."], "sent")


def test_what_left_while_a_person_took_over_has_left(stage):
    """It was on its way, and arrived."""
    registry.sender("test")(lambda message: take_over(BOSS, stage.session()))
    sender = Sender.objects.create(tenant=stage.tenant, name="out", kind="python", python_name="test")
    stage.set_agent(sender=sender, deliver="sender").publish(document(SAY))
    stage.answers("oi")
    send_due()
    assert _state_of("Pronto.") == "sent"
