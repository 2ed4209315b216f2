"""Tolerant reading of what a model answers (spec: engine.md sections 5 and 8). Nothing here raises on junk."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from falai_engine.model import ModelReply, ToolCall, Usage
from falai_engine.values import MISSING, finite

__all__ = ["arguments_of", "first_object", "score_of", "sections_of", "sound_reply", "sound_text", "speech_of"]

SECTIONS: Final = ("flows", "mentions", "extract", "branches", "fields")


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of duplicate keys the first counts, as in a stream, where its text has been shown already."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_first_wins)
_SCORE: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_IN_VAIN: Final = 20_000_000
_COST_OF_A_TRY: Final = 1_000
_COST_OF_DEPTH: Final = 100_000
_DEEPEST: Final = 64
_LONGEST_SCORE: Final = 400


def _decode(text: str, start: int) -> tuple[Any, int]:
    """`(value, cost)` of the JSON at an index, MISSING when none parses there or it is too deep.

    The cost is about the characters looked at: an error counts the lines before it.
    """
    try:
        return _DECODER.raw_decode(text, start)[0], 0
    except json.JSONDecodeError as error:
        return MISSING, error.pos + _COST_OF_A_TRY
    except (ValueError, RecursionError):
        return MISSING, _COST_OF_DEPTH


def sound_text(value: Any) -> str:
    """Text that every database takes: no NUL, no lone surrogate; empty for what is no text."""
    if not isinstance(value, str):
        return ""
    text = value if value.isascii() else value.encode("utf-8", "ignore").decode()
    return text.replace("\0", "")


def sound_json(value: Any, depth: int = _DEEPEST) -> Any:
    """The same value where it is JSON that can be stored; null for a part that is not, or lies too deep."""
    if isinstance(value, str):
        return sound_text(value)
    if value is None or isinstance(value, bool):
        return value
    if depth and isinstance(value, Mapping):
        return {sound_text(key): sound_json(item, depth - 1) for key, item in value.items() if isinstance(key, str)}
    if depth and isinstance(value, list | tuple):
        return [sound_json(item, depth - 1) for item in value]
    return value if finite(value) else None


def sound_reply(reply: ModelReply) -> ModelReply:
    """A reply whose every part has its type and can be stored, whatever the model wrote or the provider made of it."""
    given: Any = reply.tool_calls
    calls = given if isinstance(given, list | tuple) else ()
    return replace(
        reply,
        message=sound_text(reply.message),
        structured=sound_json(reply.structured),
        tool_calls=tuple(map(_sound_call, (each for each in calls if isinstance(each, ToolCall)))),
        usage=_sound_usage(reply.usage),
    )


def _sound_call(call: ToolCall) -> ToolCall:
    return ToolCall(sound_text(call.name), sound_json(call.arguments))


def _sound_usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Usage):
        return None
    return Usage(*map(_sound_count, (usage.prompt_tokens, usage.completion_tokens, usage.cached_input_tokens)))


def _sound_count(count: Any) -> int:
    return count if isinstance(count, int) and count > 0 else 0


def first_object(text: str) -> Mapping[str, Any] | None:
    """The first `{...}` in a text that parses; raw control characters inside strings are forgiven.

    What may be read in vain is bounded, so that a wall of braces costs no more than a long text.
    """
    start = text.find("{")
    in_vain = 0
    while start >= 0 and in_vain < _MOST_IN_VAIN:
        value, read = _decode(text, start)
        if isinstance(value, dict):
            return sound_json(value)  # type: ignore[no-any-return]
        in_vain += read
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
    return sound_json(value) if isinstance(value, dict) else {}
