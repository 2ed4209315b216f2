"""Every place where flow-spec.md names something, as tables; one walk finds the names, and changes them.

A walk copies a spec and asks `rename` about each name it meets; what has another shape than flow-spec.md says is left
as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from django.db.models import Model

from falai_django.documents import joined
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_engine.flows import END

__all__ = ["Name", "Rename", "Sort", "names_in", "with_names"]


class Sort(StrEnum):
    """What a name is the name of. Fields and variables share theirs."""

    FIELD = "field"
    FLOW = "flow"
    STEP = "step"
    ACTION = "action"
    EVENT = "event"
    CONDITION = "condition"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a spec; `path` is its machine path."""

    sort: Sort
    name: str
    path: str


Rename: TypeAlias = Callable[[Name], str]
Part: TypeAlias = Callable[[Any, str, Rename], Any]
"""`(value, path, rename) -> value`: the walk of one part."""

_DATA: Final = re.compile(r"(?P<before>\{\{\s*data\.)(?P<name>[^{}.\s]+)(?=[^{}]*\}\})")
_OWN_CONDITIONS: Final = frozenset({"equals", "known", "silenced"})


def with_names(model: type[Model], spec: Mapping[str, Any], rename: Rename) -> dict[str, Any]:
    """A copy of what a row of this model says, with the names that `rename` gives."""
    changed: dict[str, Any] = _TABLES[model](spec, "", rename)
    return changed


def names_in(model: type[Model], spec: Mapping[str, Any]) -> list[Name]:
    """All names in what a row of this model says, in order."""
    found: list[Name] = []

    def note(name: Name) -> str:
        found.append(name)
        return name.name

    with_names(model, spec, note)
    return found


def _as_is(value: Any, _path: str, _rename: Rename) -> Any:
    return value


def _name(sort: Sort) -> Part:
    def walk(value: Any, path: str, rename: Rename) -> Any:
        return rename(Name(sort, value, path)) if isinstance(value, str) else value

    return walk


def _each(part: Part) -> Part:
    def walk(value: Any, path: str, rename: Rename) -> Any:
        if not isinstance(value, list):
            return value
        return [part(item, joined(path, index), rename) for index, item in enumerate(value)]

    return walk


def _keyed(sort: Sort, part: Part = _as_is) -> Part:
    """An object whose keys are names."""

    def walk(value: Any, path: str, rename: Rename) -> Any:
        if not isinstance(value, Mapping):
            return value
        ways = ((key, joined(path, key), item) for key, item in value.items())
        return {rename(Name(sort, key, at)): part(item, at, rename) for key, at, item in ways}

    return walk


def _object(parts: Mapping[str, Part], other: Part = _as_is) -> Part:
    def walk(value: Any, path: str, rename: Rename) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {key: parts.get(key, other)(item, joined(path, key), rename) for key, item in value.items()}

    return walk


def _text(value: Any, path: str, rename: Rename) -> Any:
    """A template: `{{data.x}}` names a field."""
    if not isinstance(value, str) or "{{" not in value:
        return value
    return _DATA.sub(lambda found: found["before"] + rename(Name(Sort.FIELD, found["name"], path)), value)


def _texts(value: Any, path: str, rename: Rename) -> Any:
    """Templates at every depth."""
    if isinstance(value, Mapping):
        return {key: _texts(item, joined(path, key), rename) for key, item in value.items()}
    if isinstance(value, list):
        return [_texts(item, joined(path, index), rename) for index, item in enumerate(value)]
    return _text(value, path, rename)


def _condition(value: Any, path: str, rename: Rename) -> Any:
    if not isinstance(value, Mapping):
        return value
    changed = {}
    for key, argument in value.items():
        at = joined(path, key)
        name = key if key in _OWN_CONDITIONS else rename(Name(Sort.CONDITION, key, at))
        changed[name] = _OWN_ARGUMENTS.get(key, _as_is)(argument, at, rename)
    return changed


def _next(value: Any, path: str, rename: Rename) -> Any:
    if isinstance(value, str):
        return value if value == END else rename(Name(Sort.STEP, value, path))
    return _TARGET(value, path, rename)


def _target_step(value: Any, path: str, rename: Rename) -> Any:
    return _next(value, path, rename) if isinstance(value, str) else value


def _chained(value: Any, path: str, rename: Rename) -> Any:
    """The flow of a chain, or a template that gives one."""
    if isinstance(value, str) and "{{" not in value:
        return rename(Name(Sort.FLOW, value, path))
    return _text(value, path, rename)


def _compared(value: Any, path: str, rename: Rename) -> Any:
    """The path of a comparison: `data.x` names a field."""
    root, dot, rest = value.partition(".") if isinstance(value, str) else ("", "", "")
    if root != "data" or not rest:
        return value
    name, more, tail = rest.partition(".")
    return f"{root}{dot}{rename(Name(Sort.FIELD, name, path))}{more}{tail}"


def _expression(value: Any, path: str, rename: Rename) -> Any:
    if not isinstance(value, Mapping):
        return value
    changed = _NODE(value, path, rename)
    if value.get("type") == "dynamic_variable":
        changed["name"] = _FIELD(value.get("name"), joined(path, "name"), rename)
    return changed


_FIELD: Final = _name(Sort.FIELD)
_FIELDS: Final = _each(_FIELD)
_OWN_ARGUMENTS: Final[Mapping[str, Part]] = {"equals": _keyed(Sort.FIELD), "known": _FIELDS}
_TARGET: Final = _object({"step": _target_step, "clear": _FIELDS, "flow": _chained, "input": _texts})
_TOOLS: Final = _each(_name(Sort.TOOL))
_INSTRUCTIONS: Final = _each(_object({"prompt": _text, "if": _condition}))
_BRANCHES: Final = _each(_object({"then": _next, "when": _text, "if": _condition}))
_PHRASES: Final = _each(_text)
_NODE: Final = _object(
    {
        "children": _each(_expression),
        **dict.fromkeys(("left", "right", "condition", "trueExpression", "falseExpression"), _expression),
    }
)
_UPDATES: Final = _each(_object({"variable": _FIELD, "expression": _expression}))
_CALL: Final = _object(
    {"updates": _UPDATES, "request": _texts, "answer": _object({"set": _keyed(Sort.FIELD)})},
)

_TABLES: Final[Mapping[type[Model], Part]] = {
    Agent: _object(
        {
            **dict.fromkeys(("goal", "persona", "knowledgeBase"), _text),
            "instructions": _INSTRUCTIONS,
            "idle": _object({"prompt": _text, "tools": _TOOLS, "instructions": _INSTRUCTIONS}),
        }
    ),
    Field: _object({"ask": _text}),
    Flow: _object(
        {
            "description": _text,
            "while": _condition,
            "collect": _FIELDS,
            "clearOnStart": _FIELDS,
            "instructions": _INSTRUCTIONS,
            "tools": _TOOLS,
        }
    ),
    Trigger: _object(
        {"message": _PHRASES, "mention": _PHRASES, "event": _name(Sort.EVENT), "if": _condition},
    ),
    Step: _object(
        {
            **dict.fromkeys(("prompt", "question", "say"), _text),
            **dict.fromkeys(("then", "else", "onFail"), _next),
            "collect": _FIELDS,
            "ask": _keyed(Sort.FIELD, _text),
            "branches": _BRANCHES,
            "do": _name(Sort.ACTION),
            "with": _texts,
            "wait": _object({"event": _name(Sort.EVENT)}),
            "if": _condition,
            "tools": _TOOLS,
            "instructions": _INSTRUCTIONS,
            "media": _texts,
        }
    ),
    Action: _CALL,
    Event: _as_is,
    Condition: _object({"path": _compared}),
    Tool: _CALL,
}
