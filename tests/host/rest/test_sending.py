"""Events to several sessions, and messages for a program that sends."""

from __future__ import annotations

import pytest

from falai_django.models import Agent, Message, Sender, Session, Tenant, Turn
from tests.host.rest.callers import Program
from tests.host.runtime.flows import EVENTS, SAY
from tests.host.runtime.stage import document

PAID = {
    "id": "paid",
    "on": [{"event": "paid", "repeat": "always"}],
    "steps": [{"id": "s", "say": "Recebemos {{input.amount}}."}],
}


def error(response):
    return response.json()["error"]


@pytest.fixture
def polled(stage):
    """An agent whose sender is polled."""
    sender = Sender.objects.create(tenant=stage.tenant, name="bridge", kind="poll")
    stage.agent.sender = sender
    stage.agent.save()
    return stage.publish(document(PAID, SAY, events=EVENTS))


def send(program, **body):
    return program.post(program.of_agent("events"), {"event": "paid", "payload": {"amount": 120}, **body})


def test_an_event_goes_to_the_sessions_of_an_anchor(polled, program):
    """Each has a turn of its own under the one key; what is said leaves by the sender."""
    for name in ("a", "b", "c"):
        Program(polled.tenant, session=name).patch("", {"anchors": {"lead": "7" if name != "c" else "8"}})
    response = send(program, anchor={"name": "lead", "key": "7"}, key="p1")
    assert response.status_code == 202
    told = response.json()
    assert told["key"] == "p1"
    assert [(item["session"], item["isNew"]) for item in told["items"]] == [("a", True), ("b", True)]
    for session in Session.objects.filter(session_id__in=["a", "b"]):
        polled.drains(session.session_id)
    assert set(Message.objects.values_list("text", "state")) == {("Recebemos 120.", "queued")}


def test_an_event_that_comes_again_reaches_nobody_twice(polled, program):
    """Only the sessions that have not had it."""
    send(program, sessions=["a"], key="p1")
    again = send(program, sessions=["a", "b", "a"], key="p1").json()["items"]
    assert [(item["session"], item["isNew"]) for item in again] == [("a", False), ("b", True)]
    assert Turn.objects.count() == 2


def test_an_event_without_a_key_gets_one(polled, program):
    told = send(program, sessions=["a", "b"]).json()
    assert {turn.key for turn in Turn.objects.all()} == {told["key"]}


def test_one_session_that_refuses_keeps_it_from_no_other(polled, program):
    """Its line says why."""
    Session.objects.create(agent=polled.agent, session_id="a", erasing_at="2030-01-01T00:00:00Z")
    items = send(program, sessions=["a", "b"]).json()["items"]
    assert items[0]["error"]["code"] == "erasing"
    assert items[1]["isNew"]


def test_an_agent_that_is_off_takes_no_event(polled, program):
    Agent.objects.update(is_active=False, off_text="Fechado.")
    response = send(program, sessions=["a"])
    assert (response.status_code, error(response)["code"], error(response)["message"]) == (409, "agent-off", "Fechado.")
    assert not Session.objects.exists()


def test_an_event_goes_to_a_bounded_number(polled, program, monkeypatch):
    monkeypatch.setattr("falai_django.rest.sending.MOST_SESSIONS", 1)
    assert send(program, sessions=["a", "b"]).status_code == 400
    assert send(program, sessions=["a"], anchor={"name": "lead", "key": "7"}).status_code == 400


def test_messages_are_fetched_and_acknowledged(polled, program):
    """Each session's first; what is not acknowledged is kept from others for a while; a repeat is no error."""
    program.post("turns", {"message": "oi", "deliver": "sender"})
    (message,) = program.get("/api/v1/outbox?limit=5").json()["items"]
    assert (message["text"], message["session"], message["agent"]) == ("Pronto.", "5511", "lia")
    assert program.get("/api/v1/outbox").json() == {"items": []}
    for _ in range(2):
        told = program.post("/api/v1/outbox/ack", {"sent": [message["id"], "x"]}).json()
        assert told == {"known": [message["id"]], "unknown": ["x"]}
    assert Message.objects.get(direction="out").state == "sent"


def test_a_message_that_never_leaves_is_refused_with_its_code(polled, program):
    program.post("turns", {"message": "oi", "deliver": "sender"})
    (message,) = program.get("/api/v1/outbox").json()["items"]
    program.post("/api/v1/outbox/ack", {"refused": {message["id"]: "blocked"}})
    row = Message.objects.get(direction="out")
    assert (row.state, row.error) == ("refused", "blocked")


def test_another_tenant_fetches_and_acknowledges_nothing(polled, program):
    program.post("turns", {"message": "oi", "deliver": "sender"})
    stranger = Program(Tenant.objects.create(slug="other", name="Other"))
    assert stranger.get("/api/v1/outbox").json() == {"items": []}
    (message,) = program.get("/api/v1/outbox").json()["items"]
    told = stranger.post("/api/v1/outbox/ack", {"sent": [message["id"]]}).json()
    assert told == {"known": [], "unknown": [message["id"]]}
    assert Message.objects.get(direction="out").state == "sending"


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit=1e3", "cursor=abc", "limt=5"])
def test_the_outbox_takes_a_limit(polled, program, query):
    response = program.get(f"/api/v1/outbox?{query}")
    assert (response.status_code, error(response)["code"]) == (400, "invalid-input")
