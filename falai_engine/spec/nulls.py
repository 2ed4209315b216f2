"""Plain JSON inside a flow: optional values may be null on the way in and are never written (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["MAX_DEPTH", "condition_json", "too_deep", "without_nulls"]

MAX_DEPTH = 100
"""Levels of nesting that a document may have; deeper ones are no flow, only a way to exhaust the stack."""


def without_nulls(value: Any) -> Any:
    """A copy without the null-valued keys of objects, at every depth. Items of a list keep their places."""
    if isinstance(value, Mapping):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    if isinstance(value, (list, tuple)):
        return [without_nulls(part) for part in value]
    return value


def condition_json(condition: Any) -> Any:
    """A condition without nulls, except those in `equals`, which validation has to see. A predicate stays itself."""
    if not isinstance(condition, Mapping):
        return without_nulls(condition)
    return {
        name: _equals(argument) if name == "equals" else without_nulls(argument)
        for name, argument in condition.items()
        if argument is not None
    }


def _equals(argument: Any) -> Any:
    if not isinstance(argument, Mapping):
        return without_nulls(argument)
    return {name: without_nulls(value) for name, value in argument.items()}


def too_deep(value: Any) -> bool:
    """Whether the JSON is nested deeper than MAX_DEPTH (one that holds itself is). Walks without recursion."""
    branches = [_parts(value)]
    while branches:
        part = next(branches[-1], None)
        if part is None:
            branches.pop()
        elif isinstance(part, (Mapping, list, tuple)):
            if len(branches) > MAX_DEPTH:
                return True
            branches.append(_parts(part))
    return False


def _parts(value: Any) -> Iterator[Any]:
    # Only containers matter, and leaving the rest out keeps None free to mean "no more".
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return iter(())
    return (part for part in value if isinstance(part, (Mapping, list, tuple)))
