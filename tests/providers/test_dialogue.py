"""One dialogue, end to end through each vendor's format: the turns' results are those of the scripted provider."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from falai_engine import RESET, Agent, Tool, TurnResult, result_to_json, session_to_json
from falai_engine.spec import field_from_spec
from falai_engine.testing import FakeClock, ScriptedProvider
from tests.providers.fakes import Said
from tests.providers.local_server import Reply
from tests.providers.vendors import FAKES, KINDS, provider_of

FIELDS = {
    "nome": {"type": "string", "label": "Nome"},
    "porte": {"type": "string", "enum": ["1-10", "11-50"], "ask": "Quantas pessoas?"},
    "confirmado": {"type": "boolean"},
}
FLOW = {
    "id": "compra",
    "on": [{"message": ["quer comprar"]}],
    "steps": [
        {
            "id": "dados",
            "kind": "collect",
            "prompt": "Pergunte nome e porte.",
            "collect": ["nome", "porte"],
            "tools": [],
        },
        {"id": "confirma", "kind": "collect", "prompt": "Confira o estoque e confirme.", "collect": ["confirmado"]},
    ],
}
USAGE = {"usage": {"promptTokens": 100, "completionTokens": 20, "cachedInputTokens": 40}}
UNDERSTAND, SPEAK = "understand", "speak"
# The customer's messages, and the model's replies to each, in the order of the calls.
TURNS = [
    (
        "Oi, quero comprar cadeiras. Sou a Bia \N{SLICE OF PIZZA}",
        [
            (UNDERSTAND, {"flows": {"compra": 92}, "fields": {"nome": "Bia", "porte": None}}),
            (SPEAK, {"message": 'Oi, Bia! "Quantas" pessoas são?\n', "porte": None}),
        ],
    ),
    (
        "somos 30",
        [
            (UNDERSTAND, {"flows": {"compra": 80}, "fields": {"porte": "11-50"}}),
            (SPEAK, {"message": "", "toolCalls": [{"toolName": "estoque", "arguments": {"item": "cadeira"}}]}),
            (SPEAK, {"message": "Temos 40 cadeiras. Confirma? \N{GRINNING FACE}", "confirmado": None}),
        ],
    ),
    (
        "sim!",
        [
            (SPEAK, {"message": "Fechado!", "confirmado": True}),
        ],
    ),
]


def agent_of(provider, seen):
    def handler(arguments, request):
        seen.append((dict(arguments), dict(request.data)))
        return {"left": 40}

    return Agent(
        provider=provider,
        clock=FakeClock("2026-09-21T10:00:00.000Z"),
        fields={slug: field_from_spec(spec) for slug, spec in FIELDS.items()},
        flows=[FLOW],
        tools=[Tool(id="estoque", handler=handler, description="Quantos há", parameters=ITEM, read_only=True)],
        persona="Ana, vendedora",
        knowledge_base="Vendemos cadeiras.",
    )


ITEM = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}


def turn(agent, given):
    return agent.turn(given, time.monotonic() + 20)


def aturn(agent, given):
    async def run():
        async with agent.provider:
            return await agent.aturn(given, time.monotonic() + 20)

    return asyncio.run(run())


def stream(agent, given):
    return _streamed(list(agent.stream(given, time.monotonic() + 20)))


def astream(agent, given):
    async def run():
        async with agent.provider:
            return [item async for item in agent.astream(given, time.monotonic() + 20)]

    return _streamed(asyncio.run(run()))


def _streamed(items):
    """The result, when what the stream showed in the end is the message that goes out."""
    *shown, result = items
    assert isinstance(result, TurnResult)
    last = max((place for place, item in enumerate(shown) if item is RESET), default=-1)
    assert "".join(shown[last + 1 :]) == "".join(message.text for message in result.messages)
    return result


def held(way, provider, scripts):
    """All the turns: their results as JSON, and what the tool saw."""
    seen, results, session = [], [], None
    agent = agent_of(provider, seen)
    for number, (message, replies) in enumerate(TURNS):
        scripts(replies)
        given = {"sessionId": "s", "message": message, "id": f"m{number}"} | ({"session": session} if session else {})
        result = way(agent, given)
        results.append(result_to_json(result))
        session = json.loads(json.dumps(session_to_json(result.session)))
    return results, seen


@pytest.fixture(scope="module")
def expected():
    provider = ScriptedProvider()

    def script(replies):
        by_name = {name: [reply | USAGE for kind, reply in replies if kind == name] for name in (UNDERSTAND, SPEAK)}
        provider.script(by_name[UNDERSTAND], by_name[SPEAK])

    results, seen = held(turn, provider, script)
    # The ruler itself: a whole dialogue, with its tool round and its confirmation.
    assert results[-1]["session"]["data"] == {"nome": "Bia", "porte": "11-50", "confirmado": True}
    assert [result["llmCalls"] for result in results] == [2, 3, 1]
    assert results[-1]["ended"][0]["reason"] == "end"
    assert seen == [({"item": "cadeira"}, {"nome": "Bia", "porte": "11-50"})]
    return results, seen


def answering(fake, reply):
    """The vendor's reply to one call, streamed when it is asked so."""
    calls = tuple((call["toolName"], call["arguments"]) for call in reply.get("toolCalls", ()))
    told = {key: value for key, value in reply.items() if key != "toolCalls"}
    said = Said(json.dumps(told, ensure_ascii=False) if not calls else "", calls, "Hm." if calls else None)

    def answer(asked):
        is_streamed = "stream" in asked.path.lower() or asked.body.get("stream")
        return Reply.of_events(fake.frames(said)) if is_streamed else Reply.of_json(fake.body(said))

    return answer


@pytest.mark.parametrize("way", [turn, aturn, stream, astream])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_dialogue_through_every_vendor(servers, expected, kind, way):
    """Two fields, a tool round and a confirmation: results, sessions, usage and what the tool saw are the same."""
    server, fake = servers(kind), FAKES[kind]

    def script(replies):
        server.say(*[answering(fake, reply) for _, reply in replies])

    with provider_of(kind, server) as provider:
        results, seen = held(way, provider, script)
    assert seen == expected[1]
    assert results == expected[0]
    assert len(server.asked) == sum(len(replies) for _, replies in TURNS)
