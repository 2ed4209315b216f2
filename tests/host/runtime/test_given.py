"""What a turn works from, and what handlers bring into it (spec: host.md section 3)."""

from __future__ import annotations

import pytest

from falai_django import registry
from falai_django.conversations.people import write
from falai_django.conversations.silence import give_back
from falai_django.inbox import event
from falai_django.models import Message
from falai_django.roles import Actor
from tests.host.runtime.flows import ACTIONS, EVENTS, SAY, acting
from tests.host.runtime.stage import document

UNSOUND = "A\x00n\ud800a"
IDLE = {**document(), "idle": {"prompt": "Answer."}}


def test_each_message_of_a_group_may_say_something_of_the_context(stage):
    """Laid over each other in their order; null takes away. Nothing of it is lost because another message followed."""
    said = {"id": "say", "on": [{"message": []}], "steps": [{"id": "s", "say": "{{context.a}} {{context.b}}"}]}
    stage.set_agent(gather_ms=2_000).publish(document(said))
    for text, context in (("um", {"a": 1, "gone": 1}), ("dois", {"b": {"x": 1}}), ("três", {"b": 2, "gone": None})):
        stage.says(text, context=context)
    stage.make_due_for_gathering()
    assert stage.drains().turns == 1
    assert stage.texts() == ["1 2"]
    assert stage.session().context == {"a": 1, "b": 2}


def test_what_was_sent_without_a_text_is_told_in_the_history_too(stage):
    """Else a photo would be forgotten by the next turn, and a vendor would refuse an empty text."""
    stage.publish(IDLE)
    stage.answers("", media={"type": "image", "url": "x"}, speak=[{"message": "Bonita!"}])
    stage.answers("", media=["x"], speak=[{"message": "O que é?"}])
    write(Actor.command("test"), stage.session(), "", media={"type": "audio"})
    give_back(Actor.command("test"), stage.session())
    stage.answers("oi", speak=[{"message": "Oi!"}])
    told = [item["content"] for item in stage.provider.requests[0].history]
    assert told == ["[image]", "Bonita!", "[media]", "O que é?", "[audio]"]


@pytest.fixture
def unsound(stage):
    """What the site's own functions give holds what no database takes."""

    @registry.action("act", parameters={})
    def act(params, call):
        call.set({"nome": UNSOUND})
        return {"ok": True, "detail": UNSOUND}

    @registry.context_provider("crm")
    def crm(request):
        return {"plan": UNSOUND}

    return stage


def test_what_a_handler_brings_into_a_text_is_made_fit_to_be_sent(unsound):
    """In messages, notices and reasons; the turn does not die of it, and the value is kept as it was given."""
    steps = [
        {"id": "n", "do": "notify", "with": {"to": "{{data.nome}}", "text": "{{context.plan}}"}},
        {"id": "s", "say": "Oi, {{data.nome}} {{context.plan}}."},
        {"id": "h", "do": "hand_off", "with": {"reason": "{{data.nome}}"}},
    ]
    flow = {"id": "acting", "on": [{"event": "go"}], "steps": [{"id": "do", "do": "act"}, *steps]}
    unsound.publish(document(flow, actions=ACTIONS, events=EVENTS))
    unsound.takes(event("go"), deliver="sender")
    unsound.drains()
    assert unsound.last_turn().state == "done"
    told = [(row.direction, row.recipient, row.text) for row in Message.objects.order_by("seq")]
    assert told == [("out", "", "Oi, Ana Ana."), ("notice", "Ana", "Ana")]
    assert unsound.session().silenced == "Ana"


def test_what_a_handler_raises_with_is_made_fit_to_be_kept(stage):
    """Three times, then dead: what was raised stands in the turn."""

    @registry.context_provider("crm")
    def crm(request):
        raise RuntimeError(UNSOUND)

    stage.publish(document(SAY))
    stage.says("oi")
    for _ in range(3):
        stage.drains()
        stage.make_due()
    turn = stage.last_turn()
    assert turn.state == "dead"
    assert "\x00" not in turn.error_detail
    assert turn.error_detail.startswith("RuntimeError: A")


@pytest.mark.parametrize(
    "junk",
    ["{", "```json\n{}\n```", "null", "[1]", '{"message": 7}', "", "\x00", "\ud800"],
    ids=["open", "fenced", "null", "list", "number", "empty", "nul", "surrogate"],
)
def test_a_model_that_answers_junk_does_not_break_a_turn(stage, junk):
    """Nothing of it is shown raw; the customer gets the apology."""
    stage.set_agent(apology="Desculpe.").publish(IDLE)
    turn = stage.answers("oi", speak=[{"message": junk}])
    assert turn.state == "done"
    assert all("\x00" not in text and "\ud800" not in text for text in stage.texts())
    assert len(stage.texts()) == 1


def test_a_model_that_writes_what_no_database_takes(stage):
    """It is left out, the rest is said."""
    stage.publish(IDLE)
    stage.answers("oi", speak=[{"message": f"Oi, {UNSOUND} 👋🏽 שלום"}])
    assert stage.texts() == ["Oi, Ana 👋🏽 שלום"]


def test_an_event_s_payload_may_be_any_json(stage):
    """As deep as the door takes it."""
    registry.action("act", parameters={})(lambda params, call: None)
    stage.publish(document(acting(), actions=ACTIONS, events=EVENTS))
    deep = "x"
    for _ in range(50):
        deep = [deep]
    for number, payload in enumerate((None, 0, "", [], {"a": {"b": [None, True, 1.5]}}, deep, "é" * 10_000)):
        stage.takes(event("go", key=f"k{number}", payload=payload))
        stage.drains()
        assert stage.last_turn().state == "done"
