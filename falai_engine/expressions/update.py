"""Updates, `variable = expression`: their JSON and everything that can be wrong with it (spec: update-state.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from falai_engine.expressions.codec import (
    Reading,
    expression_to_json,
    given_keys,
    read_expression,
    read_text,
    report_undeclared,
)
from falai_engine.expressions.fitting import fitted
from falai_engine.expressions.formatter import format_expression
from falai_engine.expressions.kinds import LITERAL_KINDS, VALUE_TYPES, kind_of
from falai_engine.expressions.lexer import spelled
from falai_engine.expressions.nodes import Node
from falai_engine.expressions.problems import ExpressionProblem
from falai_engine.flows import Field, Variable

__all__ = ["UPDATE_LIMIT", "Update", "check_updates", "format_update", "updates_from_json", "updates_to_json"]

UPDATE_LIMIT: Final = 10


@dataclass(frozen=True, slots=True)
class Update:
    """Set a field or variable to the value of an expression.

    `required` False: the model may leave its `llm` values out. None means True, and is written to JSON as no key.
    """

    variable: str
    expression: Node
    required: bool | None = None

    @property
    def is_required(self) -> bool:
        return self.required is not False


def updates_from_json(value: Any, path: str = "updates") -> tuple[Update, ...]:
    """The updates that any JSON value describes; declarations are not looked at.

    Raises FlowConfigurationError (`where` = machine path) on the first problem.
    """
    reading = Reading([])
    updates = _read_updates(value, path, reading)
    if reading.problems:
        raise reading.problems[0].error()
    return tuple(updates)


def updates_to_json(updates: Sequence[Update]) -> list[dict[str, Any]]:
    """The JSON of updates; reading it gives equal ones."""
    return [_update_to_json(update) for update in updates]


def _update_to_json(update: Update) -> dict[str, Any]:
    required = {} if update.required is None else {"required": update.required}
    return {"variable": update.variable, "expression": expression_to_json(update.expression), **required}


def format_update(update: Update) -> str:
    """`variable = expression`, to be shown."""
    return f"{spelled(update.variable)} = {format_expression(update.expression)}"


def check_updates(
    value: Any, declared: Mapping[str, Field | Variable], path: str = "updates", *, allow_llm: bool = True
) -> list[ExpressionProblem]:
    """All problems of any JSON value given as updates, each with its machine path; never raises.

    `declared`: the agent's fields and variables. `allow_llm` False is for an action, which asks no model.
    """
    reading = Reading([], declared, allow_llm)
    _read_updates(value, path, reading)
    return reading.problems


def _read_updates(value: Any, path: str, reading: Reading) -> list[Update]:
    if not isinstance(value, list | tuple) or not value:
        reading.misfit(path, "not-a-list", value)
        return []
    if len(value) > UPDATE_LIMIT:
        reading.report(path, "too-many-updates", count=f"{len(value):,}", most=str(UPDATE_LIMIT))
    places: dict[str, str] = {}
    # A few beyond the limit are read as well: whoever removes one too many sees what else is wrong.
    read = [_read_update(item, f"{path}[{at}]", places, reading) for at, item in enumerate(value[: 2 * UPDATE_LIMIT])]
    return [update for update in read if update is not None]


def _read_update(value: Any, path: str, places: dict[str, str], reading: Reading) -> Update | None:
    if not isinstance(value, dict):
        reading.misfit(path, "not-an-object", value)
        return None
    body = given_keys(value, ("variable", "expression", "required"), path, reading)
    variable = read_text(body, "variable", path, reading)
    if variable is not None:
        _check_variable(variable, path, places, reading)
    required = body.get("required")
    if required is not None and not isinstance(required, bool):
        reading.misfit(f"{path}.required", "not-a-boolean", required)
    node = _read_set_expression(body, variable, path, reading)
    return None if variable is None or node is None else Update(variable, node, required)


def _check_variable(variable: str, path: str, places: dict[str, str], reading: Reading) -> None:
    report_undeclared(variable, f"{path}.variable", reading)
    first = places.setdefault(variable, path)
    if first != path:
        reading.misfit(f"{path}.variable", "set-twice", variable, first=first)


def _read_set_expression(body: Mapping[str, Any], variable: str | None, path: str, reading: Reading) -> Node | None:
    if "expression" not in body:
        reading.report(f"{path}.expression", "missing")
        return None
    expression = body["expression"]
    node = read_expression(expression, f"{path}.expression", reading)
    taker = None if variable is None or reading.declared is None else reading.declared.get(variable)
    # Past a limit the tree may be huge; a declaration that makes no sense is a problem of its own.
    if taker is not None and _is_sound(taker) and not reading.stopped:
        _check_constants(expression, taker, f"{path}.expression", reading)
    return node


def _is_sound(taker: Field | Variable) -> bool:
    """Declarations come as they were written: a type or an enum may be any JSON."""
    type_: Any = taker.type
    enum: Any = None if isinstance(taker, Variable) else taker.enum
    has_choices = enum is None or (isinstance(enum, list | tuple) and bool(enum))
    return isinstance(type_, str) and type_ in VALUE_TYPES and has_choices


def _check_constants(expression: Any, taker: Field | Variable, path: str, reading: Reading) -> None:
    for constant, at in _results(expression, path):
        reason = fitted(taker, constant)[1]
        if reason is not None:
            reading.report(at, "literal-misfit", reason=reason)


def _results(expression: Any, path: str) -> Iterator[tuple[Any, str]]:
    """The constants that may be the value of an expression as a whole, in JSON that may be broken elsewhere."""
    if not isinstance(expression, dict) or not isinstance(expression.get("type"), str):
        return
    value = expression.get("value")
    if expression["type"] == "conditional_operator":
        for key in ("trueExpression", "falseExpression"):
            yield from _results(expression.get(key), f"{path}.{key}")
    elif LITERAL_KINDS.get(expression["type"]) is kind_of(value):
        yield value, f"{path}.value"
