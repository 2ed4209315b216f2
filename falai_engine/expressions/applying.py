"""Updates at work: what the model is asked for, and what one call writes (spec: update-state.md, rules)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from falai_engine.expressions.evaluation import Skip, StateReader, evaluate
from falai_engine.expressions.fitting import fitted
from falai_engine.expressions.nodes import Llm, llm_nodes
from falai_engine.expressions.update import Update
from falai_engine.flows import Field, Variable
from falai_engine.wire import is_legal_name

__all__ = ["UpdateOutcome", "apply_updates", "parameter_names", "parameter_schema", "state_reader"]


@dataclass(frozen=True, slots=True)
class UpdateOutcome:
    """What a call did. `written`: new values by variable, all at once. `skipped`: the reason by variable.

    `invalid`: why the call as a whole is refused; then nothing is written and nothing skipped.
    """

    written: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    invalid: str | None = None


def parameter_names(updates: Sequence[Update]) -> tuple[tuple[str, ...], ...]:
    """For each update the parameters of its `llm` nodes: its variable's name, then `_2`, `_3` past names in use.

    A variable whose name no vendor takes travels as `field_<i>` by its update's place, as in a speak call.
    """
    counts = [len(llm_nodes(update.expression)) for update in updates]
    asking = zip(updates, counts, strict=True)
    used = {update.variable for update, count in asking if count and is_legal_name(update.variable)}
    rows = enumerate(zip(updates, counts, strict=True))
    return tuple(_names(update.variable, index, count, used) for index, (update, count) in rows)


def _names(variable: str, index: int, count: int, used: set[str]) -> tuple[str, ...]:
    """A legal variable's own name is among the used ones from the start, for it is nobody else's."""
    legal = is_legal_name(variable)
    stem = variable if legal else f"field_{index}"
    names = [variable] if legal and count else []
    suffix = 1 + legal
    while len(names) < count:
        name = stem if suffix == 1 else f"{stem}_{suffix}"
        if name not in used:
            used.add(name)
            names.append(name)
        suffix += 1
    return tuple(names)


def parameter_schema(updates: Sequence[Update]) -> dict[str, Any]:
    """The closed JSON Schema object of the function the model sees, one property for each `llm` node."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for update, names in zip(updates, parameter_names(updates), strict=True):
        properties.update(zip(names, map(_property, llm_nodes(update.expression)), strict=True))
        required += names if update.is_required else ()
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _property(node: Llm) -> dict[str, Any]:
    choices = {} if node.enum is None else {"enum": list(node.enum)}
    return {"type": node.type, "description": node.description, **choices}


def state_reader(data: Mapping[str, Any], declared: Mapping[str, Field | Variable]) -> StateReader:
    """Reads a name from the data; where that has no value, the variable's initial; else None."""

    def read(name: str) -> Any:
        value = data.get(name)
        declaration = declared.get(name)
        return declaration.initial if value is None and isinstance(declaration, Variable) else value

    return read


def apply_updates(
    updates: Sequence[Update], data: Mapping[str, Any], arguments: Any, declared: Mapping[str, Field | Variable]
) -> UpdateOutcome:
    """What a call with these arguments writes; the data is only read, as it was before the call.

    `arguments`: the object the model gave (`{}` for an action); others than the parameters are ignored.
    """
    if not isinstance(arguments, Mapping):
        return UpdateOutcome(invalid="the arguments must be an object")
    names = parameter_names(updates)
    missing = _missing(updates, names, arguments)
    if missing:
        return UpdateOutcome(invalid=f"required, but missing or null: {', '.join(missing)}")
    read = state_reader(data, declared)
    outcome = UpdateOutcome()
    for update, parameters in zip(updates, names, strict=True):
        value = _new_value(update, [arguments.get(name) for name in parameters], read, declared)
        if isinstance(value, Skip):
            outcome.skipped[update.variable] = value.reason
        else:
            outcome.written[update.variable] = value
    return outcome


def _missing(updates: Sequence[Update], names: Sequence[Sequence[str]], arguments: Mapping[str, Any]) -> list[str]:
    pairs = zip(updates, names, strict=True)
    needed = [name for update, parameters in pairs if update.is_required for name in parameters]
    return [name for name in needed if arguments.get(name) is None]


def _new_value(
    update: Update, given: Sequence[Any], read: StateReader, declared: Mapping[str, Field | Variable]
) -> Any | Skip:
    taker = declared.get(update.variable)
    if taker is None:
        return Skip("no field or variable of the agent")
    if None in given:
        return Skip("left out")
    judged = [fitted(node, value) for node, value in zip(llm_nodes(update.expression), given, strict=True)]
    reason = next((reason for _, reason in judged if reason is not None), None)
    if reason is not None:
        return Skip(reason)
    value = evaluate(update.expression, read, [value for value, _ in judged])
    if isinstance(value, Skip):
        return value
    kept, reason = fitted(taker, value)
    return kept if reason is None else Skip(reason)
