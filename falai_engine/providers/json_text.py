"""JSON that comes from outside (spec: providers.md): of duplicate keys the first counts, and nothing here raises."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["arguments_of", "first_object", "object_of", "objects", "parsed", "reach", "text_of", "whole"]

# A reply that opens more braces than this without one object that parses holds none: so a hostile one costs little.
_MOST_STARTS: Final = 64
_HALF: Final = re.compile("[\ud800-\udfff]")


def _first_wins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


def _number(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


# NaN and infinities are no JSON, and no database takes them: they count as null. Raw control characters are forgiven.
_DECODER: Final = json.JSONDecoder(
    strict=False, object_pairs_hook=_first_wins, parse_float=_number, parse_constant=lambda _: None
)


def _whole_characters(value: Any) -> Any:
    """Halves of surrogate pairs replaced by U+FFFD: no database and no socket takes them."""
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case list():
            return [_whole_characters(each) for each in value]
        case dict():
            return {_whole_characters(key): _whole_characters(each) for key, each in value.items()}
    return value


def _decode(text: str, start: int) -> tuple[bool, Any]:
    try:
        value, _ = _DECODER.raw_decode(text, start)
        return True, _whole_characters(value) if "\\u" in text else value
    except (ValueError, RecursionError):
        return False, None


def parsed(text: str | bytes) -> Any:
    """The JSON value of a whole body; None when there is none."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    # A byte order mark and blanks around are no reason to lose a reply.
    return _decode(text.lstrip("\ufeff \t\r\n"), 0)[1]


def first_object(text: str) -> dict[str, Any] | None:
    """The first `{...}` in a model's text that parses, None when there is none."""
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            break
        is_json, value = _decode(text, start)
        if is_json:
            return value  # type: ignore[no-any-return]
        start = text.find("{", start + 1)
    return None


def arguments_of(raw: object) -> dict[str, Any]:
    """A tool call's arguments, which come as text, as an object, or broken: broken ones are `{}`."""
    value = parsed(raw) if isinstance(raw, str) else raw
    return dict(value) if isinstance(value, Mapping) else {}


def reach(value: Any, *path: str | int) -> Any:
    """What lies at a path of keys and indexes; None when something on the way is missing or of another shape."""
    for step in path:
        if isinstance(step, str) and isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def objects(value: object) -> Iterator[dict[str, Any]]:
    """The objects in what should be a list of them."""
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def object_of(value: object) -> dict[str, Any]:
    """An object, an empty one when it is none."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """A text, empty when it is none."""
    return value if isinstance(value, str) else ""


def whole(value: object) -> int:
    """A count that is not negative, 0 when it is none."""
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0
