"""Reading scenario files: what is no scenario, or misspells a part of one, is refused instead of passing untested."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from falai_engine.error_words import closest, shown
from falai_engine.errors import ErrorKind

__all__ = ["read_json", "read_scenarios"]

_SCENARIO: Final = frozenset({"name", "start", "agent", "session", "summaries", "turns", "expectError"})
_TURN: Final = frozenset({"at", "input", "agent", "understand", "speak", "noSession", "expect"})
_EXPECT: Final = frozenset({"result", "error", "calls", "actions", "tools"})


def read_json(path: Path) -> Any:
    """The JSON of a file, unpacked when it ends in .gz. Raises ValueError with the file's name."""
    try:
        raw = path.read_bytes()
        return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error


def read_scenarios(path: Path) -> list[Mapping[str, Any]]:
    """The scenarios of a file: a list of them, or one alone. Raises ValueError that says what is wrong where."""
    value = read_json(path)
    scenarios = value if isinstance(value, list) else [value]
    for index, scenario in enumerate(scenarios):
        problem = _problem(scenario)
        if problem is not None:
            name = scenario.get("name", index) if isinstance(scenario, Mapping) else index
            raise ValueError(f"{path}: scenario {name} cannot be run: {problem}")
    return scenarios


def _problem(scenario: Any) -> str | None:
    if not isinstance(scenario, Mapping):
        return f"it is {shown(scenario)}, not an object"
    missing = [key for key in ("start", "agent") if key not in scenario]
    if missing or not ("turns" in scenario or "expectError" in scenario):
        return f"it has no `{(missing or ['turns'])[0]}`; an agent's document is not a scenario"
    turns = scenario.get("turns", [])
    if not isinstance(turns, list):
        return f"`turns` is {shown(turns)}, not a list"
    problems = [_misspelt(scenario, _SCENARIO), *[_turn_problem(index, turn) for index, turn in enumerate(turns)]]
    return next((problem for problem in problems if problem is not None), None)


def _turn_problem(index: int, turn: Any) -> str | None:
    problem = _shape_of_turn(turn)
    return None if problem is None else f"turns[{index}]: {problem}"


def _shape_of_turn(turn: Any) -> str | None:
    if not isinstance(turn, Mapping) or not isinstance(turn.get("input"), Mapping) or "at" not in turn:
        return "it needs `at` and `input`"
    expect = turn.get("expect", {})
    if not isinstance(expect, Mapping):
        return f"`expect` is {shown(expect)}, not an object"
    problems = [_misspelt(turn, _TURN), _misspelt(expect, _EXPECT)]
    problems += [_script_problem(turn.get(key), key) for key in ("understand", "speak")]
    return next((problem for problem in problems if problem is not None), None)


def _script_problem(script: Any, key: str) -> str | None:
    if script is None:
        return None
    if not isinstance(script, list) or not all(isinstance(each, Mapping) for each in script):
        return f"`{key}` is not a list of answers"
    kinds = [each["fail"].get("kind") for each in script if isinstance(each.get("fail"), Mapping)]
    unknown = [kind for kind in kinds if kind not in frozenset(ErrorKind)]
    return f"`{key}` fails with {shown(unknown[0])}, which is no kind of error" if unknown else None


def _misspelt(value: Mapping[str, Any], known: frozenset[str]) -> str | None:
    """A key that is nearly one of ours would leave a test that tests nothing; any other is the author's own."""
    for key in value.keys() - known:
        near = closest(key, known)
        if near is not None:
            return f"{shown(key)} means nothing; did you mean `{near}`?"
    return None
