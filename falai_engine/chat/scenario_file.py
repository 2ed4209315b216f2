"""A conversation as a scenario file: the format of falai_engine/testing/README.md, which that package runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from falai_engine.chat.conversation import TakenTurn
from falai_engine.errors import ProviderError
from falai_engine.records.encode import result_to_json
from falai_engine.testing.difference import Difference
from falai_engine.testing.scenario import run_scenario, scenario_turns
from falai_engine.testing.stage import SCENARIO_CONDITIONS

__all__ = ["json_layout", "scenario_of", "write_scenario"]

_WIDTH: Final = 120
_INDENT: Final = 2


def write_scenario(
    path: Path, start: str, document: Mapping[str, Any], taken: Sequence[TakenTurn]
) -> Difference | None:
    """Write the scenario, named for its file. Returns what differs when it is run, None when nothing does.

    Something may: a scenario file knows no business hours of a registry, no condition but its own, and no tool that
    refuses some of its calls.
    """
    scenario = scenario_of(path.stem.replace("-", " ").replace("_", " "), start, document, taken)
    _replace(path, json_layout(scenario) + "\n")
    return run_scenario(scenario)[1]


def _replace(path: Path, text: str) -> None:
    """Write all of a file or nothing of it: what stood there is only lost to a whole new one.

    A half surrogate that somebody typed becomes its escape, which JSON reads back.
    """
    content = text.encode("utf-8", "backslashreplace")
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a pipe or a device is written to, never replaced
        return
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(content)
    beside.replace(path)


def scenario_of(name: str, start: str, document: Mapping[str, Any], taken: Sequence[TakenTurn]) -> dict[str, Any]:
    """The scenario of the turns that can be taken again: an error of the model can, one of a handler cannot.

    `document` is a staged one (`stand_ins.stage`); what its actions and tools gave becomes their scripts.
    """
    kept = [each for each in taken if each.error is None or isinstance(each.error, ProviderError)]
    scenario: dict[str, Any] = {"name": name, "start": start, "agent": _scripted(document, kept)}
    summaries = [script for each in kept for script in each.heard.summaries]
    if summaries:
        scenario["summaries"] = summaries
    scenario["turns"] = [_turn(each, with_history=document.get("compaction") is not None) for each in kept]
    scenario = json.loads(json.dumps(scenario, default=str))
    _expect_calls(scenario)
    return scenario


def _scripted(document: Mapping[str, Any], kept: Sequence[TakenTurn]) -> dict[str, Any]:
    """The document with the `results` that its actions and tools gave, in the order of their calls."""
    results: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in kept:
        for call in each.heard.performed:
            results.setdefault((call.sort, call.name), []).append(call.result)

    def scripted(sort: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        found = results.get((sort, name))
        return {**spec, "results": found} if found else dict(spec)

    agent = dict(document)
    if agent.get("actions"):
        agent["actions"] = {name: scripted("action", name, each) for name, each in agent["actions"].items()}
    if agent.get("tools"):
        agent["tools"] = [scripted("tool", each["id"], each) for each in agent["tools"]]
    if agent.get("conditions"):
        agent["conditions"] = {name: _condition(name, each) for name, each in agent["conditions"].items()}
    return agent


def _condition(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario has its own conditions; the stand-in is the one that holds where its argument is true."""
    if spec.get("kind") is not None or name in SCENARIO_CONDITIONS:
        return dict(spec)
    return {**spec, "name": "always"}


def _turn(taken: TakenTurn, *, with_history: bool) -> dict[str, Any]:
    """The history goes along only where it counts for more than the model's own words: where it is compacted."""
    given = {**taken.given, "history": taken.history} if with_history else dict(taken.given)
    replies = {"understand": taken.heard.understand, "speak": taken.heard.speak}
    heard = {name: scripts for name, scripts in replies.items() if scripts}
    return {"at": taken.at, "input": given, **heard, "expect": _expected(taken)}


def _expected(taken: TakenTurn) -> dict[str, Any]:
    if taken.result is None:
        kind = taken.error.kind if isinstance(taken.error, ProviderError) else None
        return {"error": {"name": type(taken.error).__name__, "kind": kind}}
    result = result_to_json(taken.result)
    for line in (*result["outcomes"], *result["skipped"]):
        line.pop("message", None)
    return {"result": result}


def _expect_calls(scenario: dict[str, Any]) -> None:
    """What the handlers are called with, in the runner's own words."""
    parts = [part for part in ("actions", "tools") if scenario["agent"].get(part)]
    for turn, (_, got) in zip(scenario["turns"], scenario_turns(scenario) if parts else (), strict=False):
        if "result" in turn["expect"]:
            turn["expect"].update({part: got[part] for part in parts})


def json_layout(value: Any, before: int = 0, indent: int = 0) -> str:
    """JSON for people: what fits on a line stands on one. `before`: how much of the line is taken already."""
    flat = json.dumps(value, ensure_ascii=False)
    if before + len(flat) < _WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    inner = indent + _INDENT
    if isinstance(value, dict):
        keys = [json.dumps(key, ensure_ascii=False) for key in value]
        heads = zip(keys, value.values(), strict=True)
        lines = [f"{key}: {json_layout(each, inner + len(key) + 2, inner)}" for key, each in heads]
    else:
        lines = [json_layout(each, inner, inner) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f",\n{' ' * inner}".join([f"{opening}\n{' ' * inner}{lines[0]}", *lines[1:]]) + f"\n{' ' * indent}{closing}"
