"""The kinds of value an expression knows, and which constants may stand in one (spec: update-state.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from falai_engine.values import finite

__all__ = ["LITERAL_KINDS", "TEXT_LIMIT", "VALUE_TYPES", "Kind", "kind_of", "text_flaw", "value_flaw"]

TEXT_LIMIT: Final = 10_000
"""Characters: a longer text is never written, so no constant may hold one either."""


class Kind(StrEnum):
    """What sort of value it is; two values of different kinds are never equal."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    OTHER = "no text, number, boolean or null"


LITERAL_KINDS: Final[Mapping[str, Kind]] = {
    "string_literal": Kind.TEXT,
    "number_literal": Kind.NUMBER,
    "boolean_literal": Kind.BOOLEAN,
    "null_literal": Kind.NULL,
}


def kind_of(value: Any) -> Kind:
    """The kind of any value; lists, objects and the like are OTHER."""
    if value is None:
        return Kind.NULL
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if isinstance(value, str):
        return Kind.TEXT
    return Kind.NUMBER if isinstance(value, int | float) else Kind.OTHER


def _is_whole(value: Any) -> bool:
    return finite(value) and value == value // 1


VALUE_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": finite,
    "integer": _is_whole,
    "boolean": lambda value: isinstance(value, bool),
}
"""The types of `value_schema` (and of fields and variables), each with what its values are; nothing is coerced here."""


def value_flaw(value: Any) -> str | None:
    """Why a value can never be written: a text that is too long, a number that no double holds. None: it can."""
    kind = kind_of(value)
    if kind is Kind.TEXT and len(value) > TEXT_LIMIT:
        return f"the text has {len(value):,} characters, over {TEXT_LIMIT:,}"
    if kind is Kind.NUMBER and not finite(value):
        return "the number is not finite as a double"
    return None


def text_flaw(text: str) -> str | None:
    """Why a text may not stand in an expression: too long, or holding half a character that UTF-8 cannot carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "the text holds half of a character (a lone surrogate)"
    return value_flaw(text)
