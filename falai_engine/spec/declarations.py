"""What an agent declares beside its flows: fields, variables, events, instructions, idle (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import Field, Idle, Instruction, Variable
from falai_engine.registry import Event
from falai_engine.spec.nulls import condition_json
from falai_engine.spec.rows import Shape, each, names, row, shape

__all__ = [
    "EVENT",
    "FIELD",
    "IDLE",
    "INSTRUCTION",
    "VARIABLE",
    "event_from_spec",
    "event_to_spec",
    "field_from_spec",
    "field_to_spec",
    "idle_from_spec",
    "idle_to_spec",
    "instruction_from_spec",
    "instruction_to_spec",
    "instructions_from_spec",
    "instructions_to_spec",
    "variable_from_spec",
    "variable_to_spec",
]

T = TypeVar("T")

FIELD = shape(Field, row("type"), row("enum", names), row("label"), row("description"), row("ask"), row("extract"))
VARIABLE = shape(Variable, row("type"), row("initial"), row("shown", write=lambda shown: shown or None))
EVENT = shape(Event, row("direction"), row("description"))
INSTRUCTION = shape(
    Instruction, row("id"), row("kind"), row("when", names), row("if_", condition_json, condition_json), row("prompt")
)


def _read(shape: Shape[T], spec: Any, where: str) -> T:
    if not isinstance(spec, Mapping):
        raise FlowConfigurationError(where, f"{type(spec).__name__} is not an object", "Write an object")
    missing = shape.missing(spec)
    if missing:
        raise FlowConfigurationError(where, f"`{missing}` is missing", f"Add `{missing}`")
    return shape.read(spec)


def field_from_spec(spec: Mapping[str, Any], where: str = "field") -> Field:
    """A field; values are kept as written. FlowConfigurationError when it is no object or has no type."""
    return _read(FIELD, spec, where)


def field_to_spec(field: Field) -> dict[str, Any]:
    """The JSON of a field."""
    return FIELD.write(field)


def variable_from_spec(spec: Mapping[str, Any], where: str = "variable") -> Variable:
    """A variable (spec: update-state.md). FlowConfigurationError when it is no object or has no type."""
    return _read(VARIABLE, spec, where)


def variable_to_spec(variable: Variable) -> dict[str, Any]:
    """The JSON of a variable; `shown` is written when it is."""
    return VARIABLE.write(variable)


def event_from_spec(spec: Mapping[str, Any], where: str = "event") -> Event:
    """A registered event. FlowConfigurationError when it is no object."""
    return _read(EVENT, spec, where)


def event_to_spec(event: Event) -> dict[str, Any]:
    """The JSON of an event."""
    return EVENT.write(event)


def instruction_from_spec(spec: Mapping[str, Any], where: str = "instruction") -> Instruction:
    """An instruction. FlowConfigurationError when it is no object or has no prompt."""
    return _read(INSTRUCTION, spec, where)


def instruction_to_spec(instruction: Instruction) -> dict[str, Any]:
    """The JSON of an instruction; a predicate in its `if` stays one."""
    return INSTRUCTION.write(instruction)


def _instruction_or_json(spec: Any) -> Any:
    readable = isinstance(spec, Mapping) and INSTRUCTION.missing(spec) is None
    return INSTRUCTION.read(spec) if readable else condition_json(spec)


def _json_of_instruction(value: Any) -> Any:
    return INSTRUCTION.write(value) if isinstance(value, Instruction) else condition_json(value)


instructions_from_spec = each(_instruction_or_json, tuple)
"""Instructions inside a flow, a step or idle; one that cannot be read stays as it was written."""

instructions_to_spec = each(_json_of_instruction, list)
"""The way back."""

IDLE = shape(
    Idle, row("prompt"), row("tools", names), row("instructions", instructions_from_spec, instructions_to_spec)
)


def idle_from_spec(spec: Mapping[str, Any] | str, where: str = "idle") -> Idle | Literal["silent"]:
    """Who answers when no flow does, or `"silent"`. FlowConfigurationError for anything else."""
    if spec == "silent":
        return "silent"
    return _read(IDLE, spec, where)


def idle_to_spec(idle: Idle | Literal["silent"]) -> dict[str, Any] | str:
    """The JSON of idle; tools given as values stay values."""
    return "silent" if idle == "silent" else IDLE.write(idle)
