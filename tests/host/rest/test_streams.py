"""Turns as streams of events, under ASGI and WSGI alike."""

from __future__ import annotations

import threading

import pytest

from falai_django import registry
from falai_django.models import Agent, Turn
from falai_django.turns.lease import take_lease
from falai_engine.testing import ScriptedProvider
from tests.host.rest.asgi import Listener, events_in
from tests.host.rest.callers import Program
from tests.host.runtime.flows import ASK_NAME, ASKS, SAY
from tests.host.runtime.stage import document

LOOK = {
    "id": "look",
    "on": [{"message": []}],
    "steps": [{"id": "talk", "kind": "prompt", "prompt": "Tell the price.", "tools": ["price"]}],
}
TOOLS = [{"id": "price", "kind": "python", "name": "price", "description": "The price."}]


@pytest.fixture
def asking(transactional_stage):
    return transactional_stage.publish(document(ASK_NAME))


@pytest.fixture(params=["asgi", "wsgi"])
def streamed(request):
    """What a program reads that posts this and listens to the end: (status, events, raw)."""

    def asgi(program, body):
        heard = Listener(program, body).listen()
        assert heard.has_ended
        return heard.status, heard.events, heard.body

    def wsgi(program, body):
        response = program.post("turns", body, Accept="text/event-stream")
        raw = b"".join(response.streaming_content) if response.streaming else response.content
        return response.status_code, events_in(raw) if response.streaming else [], raw

    yield {"asgi": asgi, "wsgi": wsgi}[request.param]
    the_turns_end()


def the_turns_end():
    """Wait for the threads that run turns of streams."""
    for thread in threading.enumerate():
        if thread.name == "falai-stream":
            thread.join(30)
            assert not thread.is_alive()


class GatedProvider(ScriptedProvider):
    """Says its first word, then waits until it may go on."""

    def __init__(self):
        super().__init__()
        self.may_go_on = threading.Event()

    def stream(self, request):
        for number, item in enumerate(super().stream(request)):
            if number == 1:
                assert self.may_go_on.wait(30)
            yield item


def names(events):
    return [name for name, _ in events]


def test_the_text_comes_as_it_is_phrased(asking, streamed):
    """`delta`s, then each message as it counts, then the result that a plain request gets."""
    asking.script(speak=ASKS)
    program = Program(asking.tenant)
    status, events, _ = streamed(program, {"message": {"text": "oi", "id": "m1"}})
    assert status == 200
    assert names(events) == ["delta", "delta", "delta", "message", "result"]
    assert "".join(data["text"] for name, data in events if name == "delta").strip() == "Como se chama?"
    assert events[-2][1]["text"] == "Como se chama?"
    assert events[-1][1] == program.says("oi", id="m1").json()


def test_a_stream_is_told_as_one(asking):
    """No proxy keeps it back."""
    asking.script(speak=ASKS)
    heard = Listener(Program(asking.tenant), {"message": "oi"}).listen()
    assert heard.headers["content-type"] == "text/event-stream"
    assert (heard.headers["cache-control"], heard.headers["x-accel-buffering"]) == ("no-store", "no")
    the_turns_end()


def test_a_round_of_tools_takes_back_what_was_shown(transactional_stage, streamed):
    """`reset` before the round that follows."""
    registry.tool("price", description="The price.")(lambda arguments, request: "10")
    transactional_stage.publish(document(LOOK, tools=TOOLS))
    asks = {"message": "Um momento", "toolCalls": [{"toolName": "price", "arguments": {}}]}
    transactional_stage.script(speak=[asks, {"message": "Custa 10."}])
    _, events, _ = streamed(Program(transactional_stage.tenant), {"message": "quanto?"})
    assert names(events) == ["delta", "delta", "reset", "delta", "delta", "message", "result"]
    assert [message["text"] for message in events[-1][1]["messages"]] == ["Custa 10."]


def test_a_turn_that_ended_before_gives_its_messages_and_result(asking, streamed):
    """A joined turn has no deltas; nothing runs twice."""
    asking.script(speak=ASKS)
    program = Program(asking.tenant)
    first = program.says("oi", id="m1").json()
    _, events, _ = streamed(program, {"message": {"text": "oi", "id": "m1"}})
    assert names(events) == ["message", "result"]
    assert events[-1][1] == first
    assert Turn.objects.count() == 1


def test_a_turn_that_somebody_else_runs_gives_its_result(asking, settings, streamed):
    """Or, when that takes too long, where it will be."""
    settings.FALAI_WAIT_SECONDS = 0
    turn = asking.says("oi", id="m1")
    assert take_lease(turn.session_id, "another", 60)
    _, events, _ = streamed(Program(asking.tenant), {"message": {"text": "oi", "id": "m1"}})
    assert names(events) == ["result"]
    told = events[0][1]
    assert told["turn"]["state"] == "received"
    assert told["location"].endswith(f"/turns/{turn.pk}")


def test_what_the_door_refuses_is_an_answer_as_any_other(asking, streamed):
    """A status, and no stream."""
    Agent.objects.update(is_active=False)
    status, _, raw = streamed(Program(asking.tenant), {"message": "oi"})
    assert status == 409
    assert b'"agent-off"' in raw
    status, _, raw = streamed(Program(asking.tenant), {"mesage": "oi"})
    assert (status, b"invalid-input" in raw) == (400, True)


def test_a_turn_that_fails_ends_the_stream_with_its_error(asking, streamed):
    """The same body as the plain answer has, apology and all."""
    Agent.objects.update(apology="Desculpe.")
    asking.script(speak=ASKS)
    program = Program(asking.tenant)
    program.says("oi")
    asking.script([{"fail": {"kind": "auth"}}])
    _, events, _ = streamed(program, {"message": {"text": "Ana", "id": "m2"}})
    assert names(events) == ["error"]
    assert events[0][1] == program.says("Ana", id="m2").json()
    assert events[0][1]["error"]["code"] == "model-failed"


def test_what_nobody_planned_ends_the_stream_too(asking, streamed, monkeypatch):
    """With the code of the table and none of its words."""

    def breaks(*_given):
        raise RuntimeError("secret")

    monkeypatch.setattr("falai_django.rest.turns.bring_to_its_end", breaks)
    _, events, raw = streamed(Program(asking.tenant), {"message": "oi"})
    assert names(events) == ["error"]
    assert events[0][1]["error"]["code"] == "internal"
    assert b"secret" not in raw


def test_a_silent_stream_says_that_it_lives(asking, settings, monkeypatch):
    """Comments, which no client shows."""
    settings.FALAI_HEARTBEAT_SECONDS = 0.01
    provider = GatedProvider()
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: provider)
    provider.script(speak=ASKS)
    heard = Listener(Program(asking.tenant), {"message": "oi"}, at=(b": alive\n\n", provider.may_go_on.set)).listen()
    the_turns_end()
    assert names(heard.events) == ["delta", "delta", "delta", "message", "result"]


def test_under_wsgi_it_lives_too(asking, settings, monkeypatch):
    settings.FALAI_HEARTBEAT_SECONDS = 0.01
    provider = GatedProvider()
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: provider)
    provider.script(speak=ASKS)
    response = Program(asking.tenant).post("turns", {"message": "oi"}, Accept="text/event-stream")
    pieces = iter(response.streaming_content)
    heard = [next(pieces)]
    while not heard[-1].startswith(b": alive"):
        heard.append(next(pieces))
    provider.may_go_on.set()
    assert names(events_in(b"".join([*heard, *pieces])))[-1] == "result"
    the_turns_end()


def test_a_client_that_leaves_stops_no_turn(asking, monkeypatch):
    """It is committed, and a repeat of the input gets its answer."""
    provider = GatedProvider()
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: provider)
    provider.script(speak=ASKS)
    program = Program(asking.tenant)
    heard = Listener(program, {"message": {"text": "oi", "id": "m1"}}, leaves_at=b"delta").listen()
    assert not heard.has_ended
    assert Turn.objects.get().state == "received"
    provider.may_go_on.set()
    the_turns_end()
    assert Turn.objects.get().state == "done"
    assert [message["text"] for message in program.says("oi", id="m1").json()["messages"]] == ["Como se chama?"]
    assert len(provider.requests) == 1


def test_under_wsgi_neither(asking, monkeypatch):
    """The server closes the response of a client that is gone."""
    provider = GatedProvider()
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: provider)
    provider.script(speak=ASKS)
    response = Program(asking.tenant).post("turns", {"message": "oi"}, Accept="application/json, text/event-stream;q=1")
    assert next(response.streaming_content).startswith(b"event: delta")
    response.close()
    provider.may_go_on.set()
    the_turns_end()
    assert Turn.objects.get().state == "done"


def test_respond_async_has_an_address_in_its_only_event(asking):
    wanted = {"Accept": "text/event-stream", "Prefer": "respond-async"}
    response = Program(asking.tenant).post("turns", {"message": "oi"}, **wanted)
    events = events_in(b"".join(response.streaming_content))
    the_turns_end()
    assert names(events) == ["result"]
    assert Turn.objects.get().state == "received"


def test_two_streams_of_one_message_have_one_turn(transactional_stage, streamed):
    """A flow that needs no model, too."""
    transactional_stage.publish(document(SAY))
    program = Program(transactional_stage.tenant)
    for _ in range(2):
        _, events, _ = streamed(program, {"message": {"text": "oi", "id": "m1"}})
        assert names(events) == ["message", "result"]
    assert Turn.objects.count() == 1
