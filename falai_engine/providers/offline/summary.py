"""The two replies that no brief stands behind: a summary of older messages, and an empty answer of the right shape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from falai_engine.providers.offline.language import language_of
from falai_engine.providers.offline.wording import say
from falai_engine.providers.offline.words import clean

__all__ = ["blank_shape", "summarised"]

_LINES = 8
_LINE_LIMIT = 160
_HEAD_LIMIT = 4_000
_DEEPEST = 10


def summarised(text: str) -> str:
    """The first sentence of each of the last lines: an extract, not an abstract."""
    tail = clean(text[-_HEAD_LIMIT:])
    lines = [line.strip() for line in tail.splitlines() if len(line.strip()) > 2][-_LINES:]
    language = language_of(None, tail)
    if not lines:
        return say("nothing_to_summarise", language)
    firsts = (re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0][:_LINE_LIMIT] for line in lines)
    return "\n".join([say("summary_head", language), *(f"- {first}" for first in firsts)])


def blank_shape(schema: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """An object that fits a closed schema and says nothing: every leaf null."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or depth > _DEEPEST:
        return {}
    return {str(name): _blank(part, depth) for name, part in properties.items()}


def _blank(part: Any, depth: int) -> Any:
    is_object = isinstance(part, Mapping) and isinstance(part.get("properties"), Mapping)
    return blank_shape(part, depth + 1) if is_object else None
