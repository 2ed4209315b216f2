"""Conversations in which state is set, to the letter (spec: update-state.md), through every way of taking a turn."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from falai_engine import Agent
from falai_engine.testing import run_scenario

TESTS = Path(__file__).resolve().parent.parent.parent
SCENARIOS = json.loads((TESTS / "scenarios" / "update-state.json").read_text(encoding="utf-8"))
HELD = [each for each in SCENARIOS if "turns" in each]


def last_of_stream(agent, given, deadline=None):
    *_, result = agent.stream(given, deadline)
    return result


async def last_of_astream(agent, given, deadline):
    *_, result = [item async for item in agent.astream(given, deadline)]
    return result


WAYS = {
    "turn": Agent.turn,
    "aturn": lambda agent, given, deadline=None: asyncio.run(agent.aturn(given, deadline)),
    "stream": last_of_stream,
    "astream": lambda agent, given, deadline=None: asyncio.run(last_of_astream(agent, given, deadline)),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("scenario", HELD, ids=[each["name"] for each in HELD])
def test_a_conversation(scenario, way, monkeypatch):
    """Results, calls, actions and tools are what the scenario says, however the turn is driven."""
    monkeypatch.setattr(Agent, "turn", way)
    turns, difference = run_scenario(scenario)
    assert difference is None, str(difference)
    assert turns == len(scenario["turns"])


@pytest.mark.parametrize("scenario", [each for each in SCENARIOS if "turns" not in each], ids=lambda each: each["name"])
def test_a_refused_agent(scenario):
    """An agent that cannot work is refused when it is built."""
    assert scenario["expectError"]
    assert run_scenario(scenario) == (0, None)


@pytest.mark.parametrize("scenario", HELD, ids=[each["name"] for each in HELD])
def test_a_conversation_is_told_whole(scenario):
    """Every turn says the whole result and the model calls, so that nothing else can have happened unseen."""
    for turn in scenario["turns"]:
        assert {"session", "outcomes", "messages", "ended", "schedule", "llmCalls"} <= turn["expect"]["result"].keys()
        assert "calls" in turn["expect"]
        assert len(turn["expect"]["calls"]) == turn["expect"]["result"]["llmCalls"]
