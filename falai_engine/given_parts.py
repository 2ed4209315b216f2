"""The parts of an agent as they may be given: dataclasses, their JSON, or functions; typed before they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from falai_engine.compaction import Compaction
from falai_engine.compiled.agent import AgentParts
from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import Field, Idle, Instruction, Variable
from falai_engine.registry import Action, ConditionDefinition, Event, Tool, as_action, as_condition, as_tool
from falai_engine.spec import (
    event_from_spec,
    field_from_spec,
    idle_from_spec,
    instruction_from_spec,
    variable_from_spec,
)
from falai_engine.update_state import UpdateStateAction, UpdateStateTool

__all__ = ["spec_document", "typed_parts", "with_functions"]

_SPEC_NAMES: Final = {"knowledge_base": "knowledgeBase", "max_tool_loops": "maxToolLoops"}
_NOT_IN_SPECS: Final = frozenset({"business_hours"})


def with_functions(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts that are given (None is not), functions as the action, condition or tool they stand for."""
    out = {name: part for name, part in parts.items() if part is not None}
    for name, stand_in in (("actions", as_action), ("conditions", as_condition)):
        if isinstance(out.get(name), Mapping):
            out[name] = {key: stand_in(each) for key, each in out[name].items()}
    if isinstance(out.get("tools"), list | tuple):
        out["tools"] = [as_tool(each) for each in out["tools"]]
    return out


def spec_document(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts under the names of flow-spec.md, as validation reads them."""
    return {_SPEC_NAMES.get(name, name): part for name, part in parts.items() if name not in _NOT_IN_SPECS}


def typed_parts(parts: Mapping[str, Any]) -> AgentParts:
    """Valid parts as dataclasses. Raises FlowConfigurationError for one that has no handler."""
    typed = {name: _TYPED[name](part) if name in _TYPED else part for name, part in parts.items()}
    _check_handlers("action", typed.get("actions", {}).items(), (Action, UpdateStateAction))
    _check_handlers("condition", typed.get("conditions", {}).items(), (ConditionDefinition,))
    tools = ((getattr(each, "id", "?"), each) for each in typed.get("tools", ()))
    _check_handlers("tool", tools, (Tool, UpdateStateTool))
    hours = typed.get("business_hours")
    if hours is not None and not callable(hours):
        raise FlowConfigurationError("agent", "its business hours are no function", "Pass f(time, scope) -> time")
    return cast("AgentParts", typed)


def _each(kind: type, read: Callable[[Any], Any]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    return lambda given: {name: each if isinstance(each, kind) else read(each) for name, each in given.items()}


_TYPED: Final[Mapping[str, Callable[[Any], Any]]] = {
    "fields": _each(Field, field_from_spec),
    "variables": _each(Variable, variable_from_spec),
    "events": _each(Event, event_from_spec),
    "instructions": lambda given: [
        each if isinstance(each, Instruction) else instruction_from_spec(each) for each in given
    ],
    "idle": lambda given: given if isinstance(given, Idle) else idle_from_spec(given),
    "compaction": lambda given: given if isinstance(given, Compaction) else Compaction.from_spec(given),
}


def _check_handlers(what: str, given: Any, kinds: tuple[type, ...]) -> None:
    for name, each in given:
        if not isinstance(each, kinds):
            raise FlowConfigurationError(
                f'{what} "{name}"', "is described, but nothing runs it", "Pass a function, or use agent_from_spec"
            )
