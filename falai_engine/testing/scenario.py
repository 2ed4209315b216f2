"""Running scenarios: conversations with what must come of them, as JSON (the format is in tests/vectors/README.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from falai_engine.agent import Agent
from falai_engine.model import ModelRequest
from falai_engine.records.encode import result_to_json
from falai_engine.testing.clock import FakeClock
from falai_engine.testing.difference import Difference, first_difference
from falai_engine.testing.scripted import ScriptedProvider
from falai_engine.testing.stage import Stage

__all__ = ["run_scenario", "scenario_turns"]

WHOLE_RESULT: Final = frozenset(
    {"session", "changed", "messages", "schedule", "outcomes", "started", "ended", "skipped", "llmCalls"}
)


def run_scenario(scenario: Mapping[str, Any]) -> tuple[int, Difference | None]:
    """`(turns run, first difference)`; None when everything the scenario expects came about."""
    if "expectError" in scenario:
        return 0, _refusal_difference(scenario)
    count = 0
    for turn, got in scenario_turns(scenario):
        found = _turn_difference(turn.get("expect") or {}, got)
        if found is not None:
            return count + 1, found.under(f"turns[{count}]")
        count += 1
    return count, None


def scenario_turns(scenario: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """Each turn of a scenario with everything that came of it: `result` or `error`, `calls`, `actions`, `tools`."""
    clock = FakeClock(scenario["start"])
    provider = ScriptedProvider(summaries=scenario.get("summaries") or ())
    stage = Stage(provider, clock)
    agent = stage.build(scenario["agent"])
    session = scenario.get("session")
    for turn in scenario["turns"]:
        clock.set(turn["at"])
        if "agent" in turn:
            agent = stage.build(turn["agent"])
        provider.script(turn.get("understand") or (), turn.get("speak") or ())
        stage.clear()
        given = None if turn.get("noSession") else session
        got = _take(agent, {**turn["input"], "session": given})
        got |= {"calls": list(map(_call, provider.requests)), "actions": stage.actions, "tools": stage.tools}
        yield turn, got
        result = got.get("result")
        if result is not None and not turn.get("noSession"):
            session = json.loads(json.dumps(result["session"]))
            session["version"] += result["changed"]


def _take(agent: Agent, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"result": result_to_json(agent.turn(given))}
    except Exception as error:  # noqa: BLE001 - a scenario may expect any error
        kind = getattr(error, "kind", None)
        named = {"name": type(error).__name__, "text": str(error)}
        return {"error": named if kind is None else {**named, "kind": str(kind)}}


def _call(request: ModelRequest) -> dict[str, Any]:
    return {
        "name": request.schema_name,
        "schema": _shape(request.schema),
        "tools": [tool.name for tool in request.tools],
        "history": [item.get("role") for item in request.history],
    }


def _shape(schema: Any) -> Any:
    """A schema without its texts."""
    if isinstance(schema, list):
        return list(map(_shape, schema))
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: {name: _shape(each) for name, each in value.items()} if key == "properties" else _shape(value)
        for key, value in schema.items()
        if key != "description"
    }


def _refusal_difference(scenario: Mapping[str, Any]) -> Difference | None:
    try:
        Stage(ScriptedProvider(), FakeClock(scenario["start"])).build(scenario["agent"])
    except Exception as error:  # noqa: BLE001 - the scenario names the error it expects
        return first_difference(scenario["expectError"]["name"], type(error).__name__, "expectError.name")
    return Difference("expectError", scenario["expectError"], "the agent was built")


def _turn_difference(expect: Mapping[str, Any], got: Mapping[str, Any]) -> Difference | None:
    """What is left out of `expect` is not compared."""
    for part in ("error", "result", "calls", "actions", "tools"):
        if part not in expect:
            continue
        if part == "error":
            found = _error_difference(expect["error"], got)
        elif part not in got:
            found = Difference(part, expect[part], got.get("error"))
        elif part == "result":
            found = _result_difference(expect["result"], got["result"])
        else:
            found = first_difference(expect[part], got[part], part)
        if found is not None:
            return found
    return None


def _error_difference(expected: Mapping[str, Any], got: Mapping[str, Any]) -> Difference | None:
    error = got.get("error")
    if error is None:
        return Difference("error", expected, "the turn went through")
    return first_difference(expected, {key: error.get(key) for key in expected}, "error")


def _result_difference(expected: Mapping[str, Any], got: Mapping[str, Any]) -> Difference | None:
    """A whole result is compared exactly; of one that lists only some parts, those are."""
    if not expected.keys() >= WHOLE_RESULT:
        got = {key: value for key, value in got.items() if key in expected}
    return first_difference(_without_sentences(expected), _without_sentences(got), "result")


def _without_sentences(result: Mapping[str, Any]) -> dict[str, Any]:
    """The English `message` of outcome and skip lines is ours to change."""
    out = dict(result)
    for part in ("outcomes", "skipped"):
        if part in out:
            out[part] = [{key: value for key, value in line.items() if key != "message"} for line in out[part]]
    return out
