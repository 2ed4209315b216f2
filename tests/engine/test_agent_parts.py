"""What an agent may be given, and what it refuses (AgentParts, Registrations)."""

from __future__ import annotations

import pytest

from falai_engine import (
    Agent,
    ConditionDefinition,
    Flow,
    FlowConfigurationError,
    MessageInput,
    Ok,
    Registrations,
    TurnInput,
    agent_from_spec,
)
from falai_engine.compiled.agent import AgentParts
from falai_engine.testing import ScriptedProvider

ASK = {"id": "f", "on": [{"message": []}], "steps": [{"id": "a", "collect": ["n"], "prompt": "Ask."}]}
AS_JSON = {
    "name": "Ana",
    "goal": "sell",
    "persona": "kind",
    "knowledge_base": "We sell shoes.",
    "locale": "en",
    "timezone": "America/Sao_Paulo",
    "fields": {"n": {"type": "string"}},
    "variables": {"tries": {"type": "integer", "initial": 0}},
    "flows": [ASK],
    "events": {"paid": {"direction": "inbound"}},
    "instructions": [{"prompt": "Be brief."}],
    "idle": {"prompt": "Answer."},
    "max_tool_loops": 2,
    "compaction": {"maxTokens": 1000},
}


def test_every_part_may_be_given_as_json():
    """Parts read like flows do: as values, or as the JSON of flow-spec.md; the agent speaks by them."""
    provider = ScriptedProvider(speak=[{"message": "Your name?"}, {"message": "Sure."}])
    result = Agent(provider=provider, **AS_JSON).turn(TurnInput("s", MessageInput("hi", "m")))
    assert [message.text for message in result.messages] == ["Your name?"]
    assert "[should] [Always] Be brief." in provider.requests[0].prompt
    idle = Agent(provider=ScriptedProvider(speak=[{"message": "Sure."}]), idle={"prompt": "Answer."})
    assert [message.text for message in idle.turn(TurnInput("s", MessageInput("hi", "m"))).messages] == ["Sure."]


def test_a_part_that_is_none_is_not_given():
    """A host passes on what it may not have."""
    agent = Agent(provider=ScriptedProvider(speak=[{"message": "Hi."}]), **dict.fromkeys(AgentParts.__annotations__))
    assert [message.text for message in agent.turn(TurnInput("s", MessageInput("hi", "m"))).messages] == ["Hi."]


@pytest.mark.parametrize(
    "junk",
    [5, "text", [1], {"x": 1}, {"x": {"y": 1}}, object()],
    ids=["number", "text", "list", "object", "nested", "thing"],
)
@pytest.mark.parametrize("part", AgentParts.__annotations__)
def test_any_part_is_an_agent_or_a_configuration_error(part, junk):
    """What cannot work is refused when the agent is built, with a sentence, and never in a customer's turn."""
    parts = {"flows": [ASK], "fields": {"n": {"type": "string"}}, part: junk}
    provider = ScriptedProvider(understand=[{}], speak=[{"message": "Hi."}])
    try:
        agent = Agent(provider=provider, **parts)
    except FlowConfigurationError:
        return
    agent.turn(TurnInput("s", MessageInput("hi", "m")))


def test_a_provider_that_is_none_is_refused():
    """The name of a kind is no provider."""
    with pytest.raises(FlowConfigurationError, match="make_provider"):
        Agent(provider="openai")


def test_a_step_as_json_in_a_flow_of_values_is_refused():
    """Half and half is told at its step."""
    with pytest.raises(FlowConfigurationError, match='flow "f", step #1'):
        Agent(provider=ScriptedProvider(), flows=[Flow(id="f", steps=[{"id": "a", "say": "x"}])])


def test_functions_stand_for_registrations():
    """In Python a plain function is enough, for a document and for parts alike."""
    flow = {
        "id": "f",
        "on": [{"message": []}],
        "steps": [
            {"id": "i", "if": {"open": True}, "then": "d", "else": "end"},
            {"id": "d", "do": "act"},
            {"id": "p", "prompt": "Talk."},
        ],
    }
    document = {
        "flows": [flow],
        "actions": {"act": {"kind": "python"}},
        "tools": [{"id": "look", "kind": "python"}],
        "conditions": {"open": {"kind": "python"}},
    }

    def look(arguments, request):
        """Look it up."""
        return 1

    functions = {
        "actions": {"act": lambda params, call: Ok("done")},
        "conditions": {"open": lambda argument, scope: argument},
    }
    given = Registrations(tools={"look": look}, **functions)
    by_document = agent_from_spec(document, provider=ScriptedProvider(speak=[{"message": "Hi."}]), registrations=given)
    parts = {**functions, "conditions": {"open": ConditionDefinition(functions["conditions"]["open"])}}
    by_parts = Agent(provider=ScriptedProvider(speak=[{"message": "Hi."}]), flows=[flow], tools=[look], **parts)
    for agent in (by_document, by_parts):
        result = agent.turn(TurnInput("s", MessageInput("hi", "m")))
        assert [line.detail for line in result.outcomes][1] == "done"
        assert [tool.name for tool in agent.provider.requests[0].tools] == ["look"]
