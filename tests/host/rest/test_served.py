"""The API behind uvicorn, by a real connection."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import uvicorn
from django.core.handlers.asgi import ASGIHandler
from django.db import connection

from falai_django.models import Turn
from falai_django.rest import turns
from tests.host.rest.asgi import events_in
from tests.host.rest.callers import Program
from tests.host.rest.test_streams import GatedProvider, names, the_turns_end
from tests.host.runtime.flows import ASK_NAME, ASKS
from tests.host.runtime.stage import document


@pytest.fixture
def served(transactional_stage, monkeypatch):
    """(client, provider): the agent asks for the name, its model waits after the first word."""
    provider = GatedProvider()
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: provider)
    transactional_stage.publish(document(ASK_NAME))
    provider.script(speak=ASKS)
    # Whoever connects waits in its queue until the server takes it.
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(ASGIHandler(), lifespan="off", log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    program = Program(transactional_stage.tenant)
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {program.secret}"}, timeout=30) as client:
        yield client, program.url("turns"), provider
    server.should_exit = True
    thread.join(30)
    listening.close()
    the_turns_end()


def test_words_come_while_the_turn_runs(served):
    """The first is here before the model has said the second."""
    client, url, provider = served
    with client.stream("POST", url, json={"message": "oi"}, headers={"Accept": "text/event-stream"}) as response:
        pieces = response.iter_bytes()
        first = next(pieces)
        assert names(events_in(first)) == ["delta"]
        provider.may_go_on.set()
        assert names(events_in(first + b"".join(pieces)))[-2:] == ["message", "result"]


def test_a_connection_that_breaks_stops_no_turn(served):
    client, url, provider = served
    body = {"message": {"text": "oi", "id": "m1"}}
    with client.stream("POST", url, json=body, headers={"Accept": "text/event-stream"}) as response:
        next(response.iter_bytes())
    provider.may_go_on.set()
    the_turns_end()
    assert Turn.objects.get().state == "done"
    assert client.post(url, json=body).json()["messages"][0]["text"] == "Como se chama?"


def test_a_body_in_chunks_is_read(served):
    """Nothing says how long it is before it is there."""
    client, url, provider = served
    provider.may_go_on.set()
    pieces = [b'{"message": {"text": ', b'"oi"}}']
    response = client.post(url, content=iter(pieces), headers={"Content-Type": "application/json"})
    assert response.status_code == 200
    assert response.json()["messages"][0]["text"] == "Como se chama?"


def test_a_client_that_hangs_up_without_waiting_stops_no_turn(served, monkeypatch):
    """A plain request, too: what it began is committed, and a repeat reads it."""
    client, url, provider = served
    body = {"message": {"text": "oi", "id": "m1"}}
    asked, done = threading.Event(), threading.Event()
    generate = provider.generate

    def slow(request):
        asked.set()
        assert provider.may_go_on.wait(30)
        return generate(request)

    provider.generate = slow
    answer = turns.answer_outcome
    monkeypatch.setattr(turns, "answer_outcome", lambda *given: done.set() or answer(*given))
    request = client.build_request("POST", url, json=body)
    with socket.create_connection((request.url.host, request.url.port)) as connection:
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        connection.sendall(f"POST {url} HTTP/1.1\r\n{head}\r\n".encode() + request.content)
        assert asked.wait(30)
    provider.may_go_on.set()
    assert done.wait(30)
    answered = client.post(url, json=body)
    assert answered.status_code == 200
    assert Turn.objects.count() == 1
    assert len(provider.requests) == 1


@pytest.mark.skipif(connection.vendor == "sqlite", reason="tables in memory lock out who reads while another commits")
def test_who_joins_while_a_turn_runs_gets_its_result(served, settings):
    """By a stream, which then has no words, and by a plain request."""
    client, url, provider = served
    settings.FALAI_WAIT_POLL_SECONDS = 0.01
    body = {"message": {"text": "oi", "id": "m1"}}
    with (
        ThreadPoolExecutor(2) as pool,
        client.stream("POST", url, json=body, headers={"Accept": "text/event-stream"}) as first,
    ):
        pieces = first.iter_bytes()
        begun = next(pieces)
        joined = pool.submit(client.post, url, json=body, headers={"Accept": "text/event-stream"})
        plain = pool.submit(client.post, url, json=body)
        provider.may_go_on.set()
        events = events_in(begun + b"".join(pieces))
        assert names(events_in(joined.result(30).content)) == ["message", "result"]
        assert plain.result(30).json() == events[-1][1] == events_in(joined.result(30).content)[-1][1]
    assert len(provider.requests) == 1
