"""Conditions of kind `compare`: a path, an operator, and the argument as the value (flow-spec.md, `condition`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from falai_engine.expressions import OPERATORS, Operator, same_value
from falai_engine.registry import ConditionDefinition, ConditionScope
from falai_engine.values import is_known

__all__ = ["COMPARISONS", "compare_condition"]


def _contains(value: Any, argument: Any) -> bool:
    if isinstance(value, str):
        return isinstance(argument, str) and argument in value
    return isinstance(value, list) and any(same_value(item, argument) for item in value)


def _is_in(value: Any, argument: Any) -> bool:
    return isinstance(argument, list) and _contains(argument, value)


def _ordered(operator: Operator) -> Callable[[Any, Any], bool]:
    row = OPERATORS[operator]
    return lambda value, argument: row.apply(value, argument) is True


COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": _ordered(Operator.EQ),
    "ne": _ordered(Operator.NEQ),
    "gt": _ordered(Operator.GT),
    "gte": _ordered(Operator.GTE),
    "lt": _ordered(Operator.LT),
    "lte": _ordered(Operator.LTE),
    "in": _is_in,
    "contains": _contains,
    "known": lambda value, argument: is_known(value) is (argument is not False),
}
"""By `op`; the orderings are those of the update-state tool."""


def compare_condition(path: str, op: str, argument: Mapping[str, Any] | None = None) -> ConditionDefinition:
    """The condition; a missing path is null."""
    root, *keys = path.split(".")
    compare = COMPARISONS[op]

    def holds(given: Any, scope: ConditionScope) -> bool:
        return compare(
            _value_at({"data": scope.data, "context": scope.context, "input": scope.input}, root, keys), given
        )

    return ConditionDefinition(holds, argument)


def _value_at(roots: Mapping[str, Any], root: str, keys: list[str]) -> Any:
    value = roots.get(root)
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
