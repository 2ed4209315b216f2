"""What a model thought before its calls goes back to it with their results, unchanged and in its place."""

from __future__ import annotations

import pytest

from tests.providers import ways
from tests.providers.fakes import Said
from tests.providers.local_server import Reply
from tests.providers.requests import PING, STOCK, speak, tool_round
from tests.providers.vendors import FAKES, FORMATS, provider_of

CALLS = (("check_stock", {"item": "mesa"}), ("ping", {}))
USER = {"role": "user", "content": "E mesa?"}


def second_body(servers, kind, way, **other):
    """The body of the second round, when the first one's reasoning is given back as it was received."""
    server, fake = servers(kind), FAKES[kind]
    server.say(ways.scripted(way, fake, Said("Vou ver.", CALLS, "Hm, a table.")), Reply.of_json(fake.body(Said("{}"))))
    request = speak(tools=(STOCK, PING))
    with provider_of(kind, server) as provider:
        _, reply = way(provider, request)
    history = [USER, *tool_round(CALLS, ["3", "ok"], text="Vou ver.", reasoning=reply.reasoning)]
    with provider_of(kind, server, **other) as provider:
        provider.generate(speak(tools=(STOCK, PING), history=history))
    return server.asked[1].body


@pytest.mark.parametrize("way", ways.ALL)
def test_openai(servers, way):
    """Reasoning items with their encrypted content, as the finished item had it; the calls under our ids."""
    items = second_body(servers, "openai", way)["input"][2:7]
    assert items[0]["encrypted_content"] == "sealed(Hm, a table.)"
    assert (items[0]["type"], items[1]["type"], items[1]["id"]) == ("reasoning", "message", "msg_1")
    assert [item.get("call_id") for item in items[2:]] == ["call_1", "call_2", "call_1"]


@pytest.mark.parametrize("way", ways.ALL)
def test_anthropic(servers, way):
    """Thinking blocks, signed and redacted ones, in front of their calls."""
    content = second_body(servers, "anthropic", way)["messages"][1]["content"]
    assert content[0] == {"type": "thinking", "thinking": "Hm, a table.", "signature": "signed"}
    assert content[1] == {"type": "redacted_thinking", "data": "hidden"}
    assert content[2] == {"type": "text", "text": "Vou ver."}
    assert [block["id"] for block in content[3:]] == ["call_1", "call_2"]


@pytest.mark.parametrize("way", ways.ALL)
def test_gemini(servers, way):
    """The signature on the part that carried it."""
    parts = second_body(servers, "gemini", way)["contents"][1]["parts"]
    assert parts[0] == {"text": "Hm, a table.", "thought": True}
    assert [part.get("thoughtSignature") for part in parts[2:]] == ["c2lnbmVk", None]
    assert [part["functionCall"]["id"] for part in parts[2:]] == ["call_1", "call_2"]


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("kind", ["deepseek", "openrouter", "openai-compatible"])
def test_chat_completions(servers, kind, way):
    """Under the names under which it came; pieces of a stream are one again."""
    message = second_body(servers, kind, way)["messages"][2]
    assert message["reasoning_content"] == "Hm, a table."
    detail = {"type": "reasoning.text", "index": 0, "text": "Hm, a table.", "signature": "signed"}
    assert message["reasoning_details"] == [detail]
    assert [call["id"] for call in message["tool_calls"]] == ["call_1", "call_2"]


@pytest.mark.parametrize("kind", FORMATS)
def test_another_model_is_not_told(servers, kind):
    """A fallback in mid-turn, to another model or another vendor: signatures of others are refused."""
    server, fake = servers(kind), FAKES[kind]
    server.check = None
    for foreign in ({"kind": "other", "model": fake.MODEL}, {"kind": kind, "model": "another"}):
        server.say(Reply.of_json(fake.body(Said("{}"))))
        reasoning = foreign | {"items": [{"secret": "thought"}]}
        with provider_of(kind, server) as provider:
            provider.generate(speak(history=[USER, *tool_round(CALLS, ["3", "ok"], reasoning=reasoning)]))
    assert all(b"secret" not in asked.raw for asked in server.asked)


@pytest.mark.parametrize("reasoning", [None, "text", 7, [], {"kind": "openai"}, {"items": "x"}])
@pytest.mark.parametrize("kind", FORMATS)
def test_reasoning_that_is_none(servers, kind, reasoning):
    """Whatever stands there in a history, the calls go out."""
    server, fake = servers(kind), FAKES[kind]
    server.say(Reply.of_json(fake.body(Said("{}"))))
    if isinstance(reasoning, dict):
        reasoning = {"kind": kind, "model": fake.MODEL} | reasoning
    with provider_of(kind, server) as provider:
        provider.generate(speak(history=[USER, *tool_round(CALLS, ["3", "ok"], reasoning=reasoning)]))
    assert b"call_2" in server.asked[0].raw


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("kind", FORMATS)
def test_thinking_before_an_answer_is_not_kept(servers, kind, way):
    """Only a round of calls is told again."""
    server, fake = servers(kind), FAKES[kind]
    server.say(ways.scripted(way, fake, Said('{"message": "Oi"}', (), "Hm.")))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, speak())
    assert reply.reasoning is None
    assert reply.message == "Oi"
    assert shown is None or "".join(shown) == "Oi"
