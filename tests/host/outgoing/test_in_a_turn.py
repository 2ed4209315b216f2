"""HTTP actions and tools within turns of the host: keys, replays, budgets, and what a customer's text cannot do."""

from __future__ import annotations

import pytest

from falai_django.models import Turn
from falai_django.registry import isolated
from tests.host.runtime.stage import Stage, document
from tests.providers.local_server import Reply


@pytest.fixture
def stage(db, monkeypatch):
    with isolated():
        yield Stage(monkeypatch)


SAVING = {
    "id": "save",
    "on": [{"message": [], "repeat": "always"}],
    "steps": [{"id": "do", "do": "save", "with": {"who": "{{context.message.text}}"}}, {"id": "say", "say": "Salvo."}],
}


def save(server):
    return {
        "kind": "http",
        "parameters": {"who": {"type": "string", "optional": True}},
        "request": {"method": "POST", "url": f"{server.url}/save", "body": {"who": "{{input.who}}"}},
    }


def keys(server):
    return [asked.headers["idempotency-key"] for asked in server.asked]


def test_each_turn_has_a_key_of_its_own(stage, allowed):
    stage.publish(document(SAVING, actions={"save": save(allowed)}))
    allowed.say(Reply([b""]), Reply([b""]))
    stage.answers("one")
    stage.answers("two")
    first, second = keys(allowed)
    assert first != second
    assert stage.texts() == ["Salvo.", "Salvo."]


def test_a_replay_asks_again_under_the_same_key(stage, allowed):
    """Killed after the request and before its receipt: the receiver is told that it has seen it."""
    stage.publish(document(SAVING, actions={"save": save(allowed)}))
    allowed.say(Reply([b""]), Reply([b""]))
    stage.says("oi")
    stage.dies_at("action-ran", stage.drains)
    stage.make_due()
    stage.drains()
    first, second = keys(allowed)
    assert first == second
    assert stage.texts() == ["Salvo."]


def test_a_replay_does_not_ask_again_what_is_done(stage, allowed):
    stage.publish(document(SAVING, actions={"save": save(allowed)}))
    allowed.say(Reply([b""]))
    stage.says("oi")
    stage.dies_at("receipt-done", stage.drains)
    stage.make_due()
    stage.drains()
    assert (len(allowed.asked), stage.texts()) == (1, ["Salvo."])


def test_what_may_not_be_done_twice_counts_as_failed_when_in_doubt(stage, allowed):
    action = {**save(allowed), "idempotent": False}
    stage.publish(document(SAVING, actions={"save": action}))
    allowed.say(Reply([b""]))
    stage.says("oi")
    stage.dies_at("action-ran", stage.drains)
    stage.make_due()
    stage.drains()
    assert len(allowed.asked) == 1
    (line,) = [line for line in Turn.objects.get().outcomes if line.get("stepId") == "do"]
    assert (line["status"], "nobody knows" in line["detail"]) == ("failed", True)


PRICES = {
    "id": "prices",
    "on": [{"message": []}],
    "steps": [{"id": "talk", "kind": "prompt", "prompt": "Tell the price.", "tools": ["price"]}],
}


def test_a_tool_looks_up_a_price_that_the_model_then_says(stage, allowed):
    price = {
        "id": "price",
        "kind": "http",
        "parameters": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]},
        "request": {"method": "GET", "url": f"{allowed.url}/prices/{{{{input.sku}}}}"},
        "answer": {"value": "/price"},
    }
    stage.publish(document(PRICES, tools=[price]))
    allowed.say(Reply.of_json({"price": 9.5}))
    asks = {"message": "", "toolCalls": [{"toolName": "price", "arguments": {"sku": "a/b"}}]}
    stage.answers("quanto custa?", speak=[asks, {"message": "Custa 9,50."}])
    assert allowed.asked[0].path == "/prices/a%2Fb"
    assert len(keys(allowed)[0]) == 64
    assert stage.texts() == ["Custa 9,50."]
    assert stage.provider.requests[-1].history[-1]["content"] == "9.5"


def test_a_host_that_nobody_allowed_is_a_failed_line_of_the_turn(stage, server):
    stage.publish(document(SAVING, actions={"save": save(server)}))
    stage.answers("oi")
    (line,) = [line for line in Turn.objects.get().outcomes if line.get("stepId") == "do"]
    assert (line["status"], "not https" in line["detail"], server.connections) == ("failed", True, 0)
