"""Turns through the API: answered, joined, queued, refused, failed."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from falai_django import registry
from falai_django.models import Agent, Message, Session, Turn
from falai_django.turns.lease import take_lease
from tests.host.rest.callers import Program
from tests.host.runtime.flows import ACTIONS, ASK_NAME, ASKS, EVENTS, SAY, UNDERSTOOD, acting
from tests.host.runtime.stage import document

APOLOGY = "Desculpe, volto já."


def texts(response):
    return [message["text"] for message in response.json()["messages"]]


def error(response):
    return response.json()["error"]


@pytest.fixture
def asking(stage):
    """It has asked for the name: from now on each message is first understood."""
    Agent.objects.filter(pk=stage.agent.pk).update(apology=APOLOGY)
    stage.agent.refresh_from_db()
    stage.publish(document(ASK_NAME))
    stage.answers("oi", understand=UNDERSTOOD, speak=ASKS)
    return stage


def test_a_message_is_answered(program):
    """200 with the result, without the session, and where the conversation stands."""
    response = program.says("oi", id="m1")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    told = response.json()
    assert told["turn"] == {"id": Turn.objects.get().pk, "kind": "message", "key": "m1", "state": "done"}
    assert texts(response) == ["Pronto."]
    assert "session" not in told
    assert {"data", "asking", "waiting", "outcomes", "llmCalls", "schedule"} <= set(told)


def test_text_alone_is_a_message(program):
    assert texts(program.post("turns", {"message": "oi"})) == ["Pronto."]


def test_media_without_text_is_told_to_the_flow(stage, program):
    """`context.message` holds all of it."""
    say = {"id": "say", "on": [{"message": []}], "steps": [{"id": "s", "say": "{{context.message.media.type}}"}]}
    stage.publish(document(say))
    assert texts(program.post("turns", {"message": {"media": {"type": "image"}, "reply": {"to": "m0"}}})) == ["image"]


def test_events_starts_and_values(stage, program):
    """The other three kinds."""
    done = []
    registry.action("act")(lambda params, call: done.append(call.payload if hasattr(call, "payload") else True))
    stage.publish(document(acting(), SAY, actions=ACTIONS, events=EVENTS))
    assert texts(program.post("turns", {"event": "go", "payload": {"a": 1}, "key": "e1"})) == ["Feito."]
    assert texts(program.post("turns", {"start": {"flow": "acting", "key": "s1"}})) == ["Feito."]
    assert len(done) == 2
    response = program.post("turns", {"set": {"data": {"nome": "Ana"}, "metadata": {"crm": 7}}})
    assert response.json()["data"] == {"nome": "Ana"}
    assert program.get().json()["metadata"] == {"crm": 7}


def test_what_is_given_along_counts(stage, program):
    """Context and anchors are kept; `silenced` is for that turn."""
    body = {"message": "oi", "context": {"channel": "web"}, "anchors": {"lead": "7"}, "silenced": "night"}
    assert texts(program.post("turns", body)) == []
    told = program.get().json()
    assert (told["context"], told["anchors"]) == ({"channel": "web"}, {"lead": "7"})


def test_a_message_that_comes_again_gets_the_same_answer(program):
    """Also when what is given along differs."""
    first = program.says("oi", id="m1").json()
    again = program.post("turns", {"message": {"text": "oi", "id": "m1"}, "context": {"retry": 2}})
    assert again.status_code == 200
    assert again.json() == first
    assert Turn.objects.count() == 1


def test_another_message_under_the_same_id_is_refused(program):
    program.says("oi", id="m1")
    response = program.says("tchau", id="m1")
    assert (response.status_code, error(response)["code"]) == (409, "key-reused")


def test_respond_async_gives_an_address_at_once(stage, program):
    """202; the address tells when the turn has ended."""
    response = program.post("turns", {"message": "oi"}, Prefer="wait=10, Respond-Async")
    assert response.status_code == 202
    assert response["Preference-Applied"] == "respond-async"
    assert response.json()["turn"]["state"] == "received"
    assert program.get(response["Location"]).json()["response"] is None
    stage.drains()
    told = program.get(response["Location"]).json()
    assert told["state"] == "done"
    assert [message["text"] for message in told["response"]["messages"]] == ["Pronto."]


def test_a_turn_that_waits_too_long_gives_its_address(stage, program, settings):
    """Somebody else runs the session: 202, and the loop goes on."""
    settings.FALAI_WAIT_SECONDS = 0
    stage.says("primeira")
    assert take_lease(stage.session().pk, "another", 60)
    response = program.says("segunda", id="m2")
    assert response.status_code == 202
    assert response["Location"].endswith(f"/turns/{response.json()['turn']['id']}")
    stage.expire()
    stage.drains()
    assert program.says("segunda", id="m2").status_code == 200


def test_messages_that_are_answered_together_say_so(stage, program):
    """The earlier ones are merged into the last."""
    Agent.objects.filter(pk=stage.agent.pk).update(gather_ms=1_000)
    for name in ("m1", "m2"):
        assert program.post("turns", {"message": {"text": "oi", "id": name}}, Prefer="respond-async").status_code == 202
    Turn.objects.update(received_at="2020-01-01T00:00:00Z")
    stage.make_due()
    stage.drains()
    merged = program.says("oi", id="m1").json()
    assert merged["mergedInto"] == "m2"
    assert merged["messages"] == []
    assert texts(program.says("oi", id="m2")) == ["Pronto."]


def test_by_the_sender_there_is_something_in_the_outbox(program):
    """The request decides how the answer leaves."""
    program.post("turns", {"message": "oi", "deliver": "sender"})
    assert Message.objects.get(direction="out").state == "queued"
    program.session = "5512"
    program.post("turns", {"message": "oi", "deliver": "response"})
    assert Message.objects.get(direction="out", session__session_id="5512").state == "recorded"


def test_another_release_takes_an_author(stage, program):
    """And there must be one."""
    stage.publish(document({**SAY, "steps": [{"id": "s", "say": "Nova."}]}))
    assert texts(program.post("turns", {"message": "oi", "release": 1})) == ["Pronto."]
    bridge = Program(stage.tenant, session="5512", scopes=["turns", "read"])
    assert texts(bridge.post("turns", {"message": "oi"})) == ["Nova."]
    refused = bridge.post("turns", {"message": "oi", "release": 1})
    assert (refused.status_code, error(refused)["code"]) == (403, "missing-scope")
    for number in (99, 0, -1, "x", 10**30):
        unknown = program.post("turns", {"message": "oi", "release": number})
        assert (unknown.status_code, error(unknown)["code"]) == (400, "unknown-release")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, ""),
        ({"message": "oi", "event": "go"}, ""),
        ({"message": ""}, "message.text"),
        ({"message": {"txt": "oi"}}, "message.txt"),
        ({"message": {"text": 7}}, "message.text"),
        ({"message": {"text": "x" * 70_000}}, "message.text"),
        ({"message": {"text": "oi", "id": ""}}, "message.id"),
        ({"message": {"text": "oi", "id": "x" * 300}}, "message.id"),
        ({"message": {"text": "oi", "at": "yesterday"}}, "at"),
        ({"mesage": "oi"}, "mesage"),
        ({"message": "oi", "deliver": "pigeon"}, "deliver"),
        ({"message": "oi", "release": 1.5}, "release"),
        ({"message": "oi", "release": True}, "release"),
        ({"message": "oi", "context": []}, "context"),
        ({"message": "oi", "history": [{"role": "system", "content": "x"}]}, "history[0]"),
        ({"event": 7}, "event.event"),
        ({"start": {"flow": ""}}, "start.flow"),
        ({"set": {"data": {"nome": 7, "idade": 1}}}, "set.data.idade"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_input_is_told_where(stage, program, body, path):
    """400 with the place; nothing was recorded."""
    response = program.post("turns", body)
    assert (response.status_code, error(response)["code"]) == (400, "invalid-input")
    assert path in [problem["path"] for problem in error(response)["problems"]]
    assert not Turn.objects.exists()


def test_a_mistyped_key_is_told_its_neighbour(program):
    told = error(program.post("turns", {"mesage": {"text": "oi"}}))["message"]
    assert "`message`" in told
    assert "`text`" in error(program.post("turns", {"message": {"txt": "oi"}}))["message"]


@pytest.mark.parametrize(("off_text", "told"), [("Voltamos às 8.", "Voltamos às 8."), ("", "The agent answers nobody")])
def test_an_agent_that_is_off_says_its_text(stage, program, off_text, told):
    """409, and nothing was recorded."""
    Agent.objects.filter(pk=stage.agent.pk).update(is_active=False, off_text=off_text)
    response = program.says("oi")
    assert (response.status_code, error(response)["code"]) == (409, "agent-off")
    assert error(response)["message"].startswith(told)
    assert not Session.objects.exists()


def test_too_many_inputs_wait(stage, program, settings):
    """429 with Retry-After."""
    settings.FALAI_WAITING_INPUTS = 1
    program.post("turns", {"message": "oi"}, Prefer="respond-async")
    response = program.says("oi")
    assert (response.status_code, error(response)["code"]) == (429, "too-many-inputs")
    assert int(response["Retry-After"]) == error(response)["retryAfter"] > 0


def test_a_session_that_is_being_erased_takes_nothing(stage, program):
    program.says("oi")
    Session.objects.update(erasing_at="2030-01-01T00:00:00Z")
    response = program.says("oi")
    assert (response.status_code, error(response)["code"]) == (409, "erasing")


def test_a_turn_that_was_dropped_is_gone(stage, program):
    turn = stage.says("oi", id="m1")
    Turn.objects.filter(pk=turn.pk).update(state="dropped")
    response = program.says("oi", id="m1")
    assert (response.status_code, error(response)["code"]) == (410, "erased")


def test_a_model_that_refuses_fails_the_turn(asking, program):
    """502, with the apology in the stored response."""
    asking.script([{"fail": {"kind": "auth"}}])
    response = program.says("Ana", id="m2")
    assert (response.status_code, error(response)["code"]) == (502, "model-failed")
    assert [message["text"] for message in response.json()["turn"]["messages"]] == [APOLOGY]
    assert response["Location"].endswith(f"/turns/{response.json()['turn']['turn']['id']}")
    assert program.says("Ana", id="m2").json() == response.json()


def test_a_model_that_is_down_is_tried_again_by_itself(asking, program):
    """503 with Retry-After and where the turn is read; it is kept."""
    asking.script([{"fail": {"kind": "network"}}])
    response = program.says("Ana", id="m2")
    assert (response.status_code, error(response)["code"]) == (503, "model-unavailable")
    assert 1 <= int(response["Retry-After"]) <= 3
    assert error(response)["retryAfter"] == int(response["Retry-After"])
    asking.script([{"fields": {"nome": "Ana"}}])
    asking.make_due()
    asking.drains()
    assert program.get(response["Location"]).json()["state"] == "done"


def test_an_agent_that_cannot_be_built_is_told(stage, program):
    """503 `agent-unavailable`; nothing of why reaches the caller."""
    stage.publish(document(acting(), SAY, actions=ACTIONS, events=EVENTS))
    response = program.says("oi")
    assert (response.status_code, error(response)["code"]) == (503, "agent-unavailable")
    assert int(response["Retry-After"]) > 30


def test_a_session_that_cannot_be_read_is_told(stage, program):
    program.says("oi")
    Session.objects.update(blob={"no": "session"})
    response = program.says("oi")
    assert (response.status_code, error(response)["code"]) == (503, "session-unreadable")
    assert int(response["Retry-After"]) > 30


def test_a_turn_that_raises_three_times_is_dead(stage, program, settings):
    """202 while it is tried again, then 500 with its code; the words of the exception stay inside."""
    settings.FALAI_WAIT_SECONDS = 0

    @registry.context_provider("broken")
    def broken(request):
        raise RuntimeError("secret of a customer")

    first = program.says("oi", id="m1")
    assert first.status_code == 202
    for _ in range(3):
        stage.make_due()
        stage.drains()
    response = program.says("oi", id="m1")
    assert (response.status_code, error(response)["code"]) == (500, "turn-dead")
    assert b"secret" not in response.content
    assert b"secret" not in program.get(first["Location"]).content


def test_the_log_has_a_line_for_each_turn(stage, program):
    """With its outcomes and what it cost; `input` and `response` are of one turn alone."""
    program.says("oi", id="m1")
    program.says("tudo bem?", id="m2")
    items = program.get("turns").json()["items"]
    assert [(item["key"], item["state"], item["release"]) for item in items] == [("m2", "done", 1), ("m1", "done", 1)]
    assert "response" not in items[0]
    one = program.get(f"turns/{items[1]['id']}").json()
    assert one["input"]["message"]["text"] == "oi"
    assert one["response"]["turn"]["key"] == "m1"


def test_turns_commit_on_their_own_although_the_site_wraps_its_views(transactional_stage, monkeypatch):
    """ATOMIC_REQUESTS of a site changes nothing: no transaction is open around a turn."""
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)  # noqa: FBT003 - as a site sets it
    assert Program(transactional_stage.tenant).says("oi").status_code == 200


def test_a_view_that_is_wrapped_all_the_same_says_why(transactional_stage):
    """500 `inside-transaction`: a mistake of the site's, no answer that the document tells."""
    program = Program(transactional_stage.tenant, is_told=False)
    with transaction.atomic():
        response = program.says("oi")
    assert (response.status_code, error(response)["code"]) == (500, "inside-transaction")
