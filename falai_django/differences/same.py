"""When two pieces of a document are the same (spec: flow-spec.md, first paragraph)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final

from falai_engine.values import MISSING

__all__ = ["same", "stand_in", "without_nulls"]

# A null in them has a meaning of its own: what a host sends and reads, and the values that a condition compares with.
_LITERAL: Final = frozenset({"answer", "equals", "request"})


def without_nulls(value: Any, *, literal: bool = False) -> Any:
    """A copy without the keys that are null, which says no more than leaving them out; all of them when `literal`.

    Of dicts and lists; never an error.
    """
    if isinstance(value, Mapping):
        return {
            key: without_nulls(part, literal=literal or key in _LITERAL)
            for key, part in value.items()
            if literal or part is not None or key == "equals"
        }
    return [without_nulls(part, literal=literal) for part in value] if isinstance(value, (list, tuple)) else value


def stand_in(value: Any) -> Hashable:
    """Equal for the same JSON, whatever the order of its keys; 1 and 1.0 are one number, and true is none."""
    if isinstance(value, Mapping):
        return "object", frozenset((key, stand_in(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return "list", tuple(map(stand_in, value))
    if isinstance(value, bool) or value is None or value is MISSING:
        return "word", repr(value)
    # What is not a number by itself is told by its text, for it does not even equal itself.
    is_number = isinstance(value, int | float) and value == value  # noqa: PLR0124
    return ("number", value) if is_number else (type(value).__name__, str(value))


def same(one: Any, other: Any) -> bool:
    """Whether two pieces of JSON say the same."""
    return one is other or stand_in(one) == stand_in(other)
