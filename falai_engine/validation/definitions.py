"""Actions, tools and conditions of an agent (spec: flow-spec.md, `action`, `tool`, `condition`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias

from falai_engine.expressions import check_updates, updates_to_json
from falai_engine.registry import Action, ConditionDefinition, Tool
from falai_engine.update_state import UpdateStateAction, UpdateStateTool
from falai_engine.validation.conditions import OWN
from falai_engine.validation.declarations import json_of
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot
from falai_engine.validation.shapes import (
    check_choice,
    check_flags,
    check_keys,
    check_texts,
    check_whole,
    is_list,
    is_object,
    is_text,
)
from falai_engine.validation.values import SCALARS, check_parameter, check_parameters, check_type

__all__ = ["Definition", "DefinitionCheck", "Finding", "check_definitions"]


@dataclass(frozen=True, slots=True)
class Definition:
    """An action, tool or condition of an agent, as JSON."""

    sort: Literal["action", "tool", "condition"]
    name: str
    spec: Mapping[str, Any]


class Finding(Protocol):
    """What a host's check finds: the path below the definition (`request.url`), what is wrong, how to mend it."""

    @property
    def path(self) -> str: ...

    @property
    def what(self) -> str: ...

    @property
    def fix(self) -> str: ...


DefinitionCheck: TypeAlias = Callable[[Definition], Iterable[Finding]]
"""How a host looks at the definitions of a kind that is its own: `http`, and `python` with its registered names."""

_KINDS: Final = ("python", "http", "update_state")
_BODIES: Final = frozenset({"kind", "name", "request", "answer", "updates"})
_ACTION_KEYS: Final = _BODIES | {"description", "parameters", "idempotent"}
_TOOL_KEYS: Final = _ACTION_KEYS | {"id", "readOnly", "destructive", "concurrencySafe", "maxResultSizeChars"}
_CONDITION_KEYS: Final = frozenset({"kind", "name", "argument", "path", "op", "description"})
_ARGUMENT_KEYS: Final = frozenset({"type", "items", "description", "enum"})
_CONDITION_KINDS: Final = ("python", "compare")
_OPERATORS: Final = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "known")
_COMPARED: Final = re.compile(r"(data|context|input)\.([^.]+)(\.[^.]+)*")

_WRITE: Final[Mapping[type, Callable[[Any], Any]]] = {
    Action: lambda action: {"parameters": action.parameters, "description": action.description},
    ConditionDefinition: lambda condition: {"argument": condition.argument, "description": condition.description},
    Tool: lambda tool: {
        "id": tool.id,
        "description": tool.description,
        "parameters": tool.parameters,
        "maxResultSizeChars": tool.max_result_size_chars,
    },
    UpdateStateAction: lambda action: {"kind": "update_state", "updates": updates_to_json(action.updates)},
    UpdateStateTool: lambda tool: {
        "id": tool.id,
        "kind": "update_state",
        "updates": updates_to_json(tool.updates),
    },
}
"""What there is to check of one that is given as a value."""


def check_definitions(
    agent: Mapping[str, Any], spot: Spot, known: Known, checks: Mapping[str, DefinitionCheck]
) -> None:
    """The registries of an agent document; a definition may be a dataclass, and a condition a function, too."""
    check = _Check(known, checks)
    for name, spec, at in _members(agent.get("actions"), spot.at("actions"), "action"):
        check.action(name, spec, at)
    for name, spec, at in _members(agent.get("conditions"), spot.at("conditions"), "condition"):
        check.condition(name, spec, at)
    tools, at = agent.get("tools"), spot.at("tools")
    if tools is not None and is_list(tools, at):
        check.tools(tools, at)


def _members(registry: Any, spot: Spot, noun: str) -> Iterable[tuple[Any, Mapping[str, Any], Spot]]:
    if registry is None or not is_object(registry, spot):
        return
    for name, value in registry.items():
        at = spot.key(name).named(f'{noun} "{name}"')
        spec = {} if callable(value) else json_of(value, _WRITE)
        if is_object(spec, at):
            yield name, spec, at


class _Check:
    def __init__(self, known: Known, checks: Mapping[str, DefinitionCheck]) -> None:
        self.known = known
        self.checks = checks

    def action(self, name: str, spec: Mapping[str, Any], spot: Spot) -> None:
        check_texts(spec, spot, "description")
        check_flags(spec, spot, "idempotent")
        check_parameters(spec.get("parameters"), spot.at("parameters"))
        check_keys(spec, _ACTION_KEYS, spot)
        self.kind(Definition("action", name, spec), spot)

    def tools(self, tools: list[Any], spot: Spot) -> None:
        seen: set[str] = set()
        for index, value in enumerate(tools):
            spec = json_of(value, _WRITE)
            tool_id = spec.get("id") if isinstance(spec, Mapping) else None
            named = isinstance(tool_id, str) and tool_id
            at = spot.item(index).named(f'tool "{tool_id}"' if named else f"tool #{index + 1}")
            if not is_object(spec, at):
                continue
            if isinstance(tool_id, str) and tool_id in seen:
                at.at("id").problem("tool-id-twice")
            elif isinstance(tool_id, str):
                seen.add(tool_id)
            self.tool(spec, at)

    def tool(self, spec: Mapping[str, Any], spot: Spot) -> None:
        if spec.get("id") is None:
            spot.at("id").problem("missing")
        check_texts(spec, spot, "id", "description")
        check_flags(spec, spot, "readOnly", "destructive", "concurrencySafe", "idempotent")
        check_whole(spec.get("maxResultSizeChars"), 1, spot.at("maxResultSizeChars"))
        parameters = spec.get("parameters")
        if parameters is not None and not _is_object_schema(parameters):
            spot.at("parameters").problem("tool-parameters")
        check_keys(spec, _TOOL_KEYS, spot)
        self.kind(Definition("tool", str(spec.get("id")), spec), spot)

    def kind(self, definition: Definition, spot: Spot) -> None:
        """What an action or tool does; one registered in Python says no kind."""
        spec = definition.spec
        kind = spec.get("kind")
        if kind is None or not check_choice(kind, _KINDS, spot.at("kind")):
            return
        check_texts(spec, spot, "name")
        if kind == "update_state":
            self.updates(spec.get("updates"), spot, allow_llm=definition.sort == "tool")
        elif kind == "http" and spec.get("request") is None:
            spot.at("request").problem("missing")
        self.host(kind, definition, spot)

    def updates(self, updates: Any, spot: Spot, *, allow_llm: bool) -> None:
        for found in check_updates(updates, self.known.data, allow_llm=allow_llm):
            spot.below(found.path).problem(f"expression-{found.code}", **found.values)

    def condition(self, name: str, spec: Mapping[str, Any], spot: Spot) -> None:
        if name in OWN:
            spot.problem("condition-name-reserved")
        kind = spec.get("kind")
        check_texts(spec, spot, "name", "description")
        _check_argument(spec.get("argument"), spot.at("argument"))
        check_keys(spec, _CONDITION_KEYS, spot)
        if kind is None or not check_choice(kind, _CONDITION_KINDS, spot.at("kind")):
            return
        if kind == "compare":
            _check_compare(spec, spot, self.known)
        self.host(kind, Definition("condition", name, spec), spot)

    def host(self, kind: str, definition: Definition, spot: Spot) -> None:
        for found in self.checks[kind](definition) if kind in self.checks else ():
            spot.below(found.path).problem("definition", what=found.what, fix=found.fix)


def _is_object_schema(schema: Any) -> bool:
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return False
    properties, required = schema.get("properties", {}), schema.get("required", [])
    return isinstance(properties, Mapping) and isinstance(required, (list, tuple))


def _check_argument(argument: Any, spot: Spot) -> None:
    if argument is None or not is_object(argument, spot):
        return
    check_type(argument, spot, (*SCALARS, "scalar", "array", "map"))
    check_texts(argument, spot, "description")
    check_keys(argument, _ARGUMENT_KEYS, spot)
    items, at = argument.get("items"), spot.at("items")
    if items is not None and is_object(items, at):
        check_parameter(items, at, (*SCALARS, "scalar"), _ARGUMENT_KEYS - {"items"})


def _check_compare(spec: Mapping[str, Any], spot: Spot, known: Known) -> None:
    for key in ("path", "op"):
        if spec.get(key) is None:
            spot.at(key).problem("missing")
    check_choice(spec.get("op"), _OPERATORS, spot.at("op"))
    path, at = spec.get("path"), spot.at("path")
    if path is None or not is_text(path, at):
        return
    found = _COMPARED.fullmatch(path)
    if found is None:
        at.misfit("compare-path", path)
    elif found[1] == "data" and found[2] not in known.data:
        at.misnamed("unknown-field", found[2], known.data)
