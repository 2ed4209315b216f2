"""Keys out of whatever is kept of a reply or an exception (spec: providers.md, "keys masked")."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["masked"]

_MASK: Final = "***"
# What a key looks like at the vendors and in headers: a body may quote another one than ours, a proxy's for example.
_SHAPES: Final = (
    re.compile(r"\b(?:sk|rk|pk|gsk|xai|key)-[A-Za-z0-9_-]{8,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{10,}"),
    re.compile(r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"),
    re.compile(r"""(?i)\b(?:authorization|x-api-key|x-goog-api-key|api[-_]key)['"]?\s*[:=]\s*['"]?[^\s'",}]+"""),
)


def masked(text: str, key: str | None) -> str:
    """The text with the given key, and whatever else looks like one, replaced by `***`."""
    if key:
        text = text.replace(key, _MASK)
    for shape in _SHAPES:
        text = shape.sub(_MASK, text)
    return text
