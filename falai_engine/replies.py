"""Tolerant reading of what a model answers (spec: engine.md sections 5 and 8). Nothing here raises on junk."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from falai_engine.model import ModelReply
from falai_engine.values import MISSING

__all__ = ["arguments_of", "first_object", "score_of", "sections_of", "speech_of"]

SECTIONS: Final = ("flows", "mentions", "extract", "branches", "fields")
_DECODER: Final = json.JSONDecoder(strict=False)
_SCORE: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_STARTS: Final = 64
_LONGEST_SCORE: Final = 400


def _decode(text: str, start: int) -> Any:
    """The JSON value that starts at an index, MISSING when none parses there (hostile depth counts as none)."""
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return MISSING


def first_object(text: str) -> Mapping[str, Any] | None:
    """The first `{...}` in a text that parses; raw control characters inside strings are forgiven.

    A bounded number of `{` is tried, so that a wall of them costs no more than linear time.
    """
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return None
        value = _decode(text, start)
        if isinstance(value, dict):
            return value
        start = text.find("{", start + 1)
    return None


def _has_section(value: object) -> bool:
    return isinstance(value, Mapping) and any(isinstance(value.get(name), Mapping) for name in SECTIONS)


def sections_of(reply: ModelReply) -> Mapping[str, Any]:
    """The judgement: structured output with a section, else the first object in the text with one, else nothing."""
    if _has_section(reply.structured):
        return reply.structured  # type: ignore[no-any-return]
    found = first_object(reply.message) if reply.message else None
    return found if found is not None and _has_section(found) else {}


def score_of(raw: Any) -> float:
    """A finite number or its text, cut to 0..100, fractions kept; anything else is 0."""
    if isinstance(raw, str):
        raw = raw.strip()
        raw = float(raw) if len(raw) < _LONGEST_SCORE and _SCORE.fullmatch(raw) else 0
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return 0
    try:
        return min(max(raw, 0), 100) if math.isfinite(raw) else 0
    except OverflowError:
        return 100 if raw > 0 else 0


def speech_of(reply: ModelReply) -> tuple[str, Mapping[str, Any]]:
    """`(message, values)` of a speak reply; text that opens like JSON and holds no whole object is never shown."""
    found = reply.structured if isinstance(reply.structured, Mapping) else first_object(reply.message)
    if found is None:
        opens_as_json = reply.message.lstrip().startswith(("{", "```"))
        return ("" if opens_as_json else reply.message), {}
    message = found.get("message")
    return (message if isinstance(message, str) else ""), found


def arguments_of(raw: Any) -> Mapping[str, Any]:
    """A tool call's arguments: an object, or text that holds one; broken ones are `{}`."""
    if isinstance(raw, Mapping):
        return raw
    if not isinstance(raw, str):
        return {}
    try:
        value = json.loads(raw, strict=False)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
