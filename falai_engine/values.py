"""JSON values: what counts as known, equality, number text and coercion (spec: engine.md section 11)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

__all__ = [
    "BAD_VALUE",
    "MISSING",
    "NOT_IN_ENUM",
    "Missing",
    "boolean_of",
    "coerce",
    "coercer",
    "copied",
    "finite",
    "is_known",
    "json_equal",
    "json_text",
    "number_text",
    "unshared",
    "value_text",
]

BAD_VALUE: Final = "bad-value"
NOT_IN_ENUM: Final = "not-in-enum"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 400
_YES = frozenset({"true", "sim", "yes", "1"})
_NO = frozenset({"false", "não", "nao", "no", "0"})
DEEPEST: Final = 200
_EXPONENT_FROM = 10**21
_EXPONENT_BELOW = 1e-6

Coerced: TypeAlias = tuple[Any, str | None]
"""The value and None, or None and the code that says what is wrong with it."""


class Missing:
    """The one value for "no such key", where null means something else."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> Missing:
        return self

    def __deepcopy__(self, memo: object) -> Missing:
        return self

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


def is_known(value: Any) -> bool:
    """Not null, not absent, not `""`."""
    return value is not None and value is not MISSING and value != ""


def finite(value: Any) -> bool:
    """A number (no boolean) that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def json_equal(left: Any, right: Any) -> bool:
    """JSON's equality: a boolean never equals a number, 1 equals 1.0, absent is not null."""
    if left is right:
        return left is not MISSING
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(json_equal(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return bool(left == right)


def number_text(value: float) -> str:
    """A number as templates print it: no `.0`, an exponent only from 1e21 up and below 1e-6."""
    if isinstance(value, int):
        return str(value) if -_EXPONENT_FROM < value < _EXPONENT_FROM else _wide(value)
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    if _EXPONENT_BELOW <= abs(value) < _EXPONENT_FROM:
        plain = format(Decimal(repr(value)), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    return _exponent(value)


def _wide(value: int) -> str:
    try:
        return _exponent(float(value))
    except OverflowError:
        return f"{Decimal(value):e}"


def _exponent(value: float) -> str:
    mantissa, _, exponent = f"{Decimal(repr(value)).normalize():e}".partition("e")
    return f"{mantissa}e{int(exponent):+d}"


def copied(value: Any, depth: int = DEEPEST) -> Any:
    """A copy that shares no list or object with the value; TypeError for what is no JSON, or lies too deep."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        if not finite(value):
            raise TypeError(f"{value!r} is no number that JSON has")
        return value
    if not depth:
        raise TypeError(f"the value is nested deeper than {DEEPEST}")
    if isinstance(value, Mapping):
        return {_key(key): copied(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [copied(item, depth - 1) for item in value]
    raise TypeError(f"a {type(value).__name__} is no JSON value")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a {type(key).__name__} is no key of a JSON object")
    return key


def unshared(value: Any) -> Any:
    """The value itself, or a copy where it is a list or object that somebody might change."""
    return copied(value) if isinstance(value, dict | list) else value


def json_text(value: Any) -> str:
    """Compact JSON, nothing escaped that need not be, numbers as in templates."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, Mapping):
        members = (f"{json.dumps(str(key), ensure_ascii=False)}:{json_text(item)}" for key, item in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(json_text, value)) + "]"
    return json.dumps(str(value), ensure_ascii=False)


def value_text(value: Any) -> str:
    """A value as a template prints it; a list is its values joined by `, `."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return ", ".join("" if item is None else value_text(item) for item in value)
    return json_text(value)


def _number_of(raw: Any) -> Any:
    if isinstance(raw, str):
        return _number_in(raw.strip())
    return raw if finite(raw) else None


def _number_in(text: str) -> Any:
    if text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if len(text) > _LONGEST_NUMBER or _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < _EXPONENT_FROM else number


def boolean_of(raw: Any) -> bool | None:
    """The boolean table: a boolean, or one of the texts that mean one; None for anything else."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        folded = raw.strip().casefold()
        return True if folded in _YES else False if folded in _NO else None
    return None


def _to_string(raw: Any) -> Any:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bool):
        return "true" if raw else "false"
    return number_text(raw) if finite(raw) else None


def _to_integer(raw: Any) -> Any:
    number = _number_of(raw)
    return None if number is None else math.trunc(number)


_CONVERT: Final[Mapping[str, Callable[[Any], Any]]] = {
    "string": _to_string,
    "number": _number_of,
    "integer": _to_integer,
    "boolean": boolean_of,
}


def coercer(type_: str, enum: Sequence[Any] | None = None) -> Callable[[Any], Coerced]:
    """The coercion of model values for one field, made once: `raw -> (value, None)` or `(None, code)`."""
    convert = _CONVERT[type_]
    allowed = None if enum is None else tuple(enum)

    def apply(raw: Any) -> Coerced:
        value = convert(raw)
        if value is None:
            return None, BAD_VALUE
        if allowed is not None and not any(json_equal(value, choice) for choice in allowed):
            return None, NOT_IN_ENUM
        return value, None

    return apply


def coerce(type_: str, raw: Any, enum: Sequence[Any] | None = None) -> Coerced:
    """Coerce one value; see `coercer`."""
    return coercer(type_, enum)(raw)
