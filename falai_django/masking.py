"""Sensitive values where they need not be read (spec: host.md section 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

__all__ = ["MASK", "masked", "sensitive_values"]

MASK: Final = "***"
SHORTEST: Final = 3
"""A shorter value is not looked for in texts: it would be met everywhere."""


def sensitive_values(data: Mapping[str, Any], slugs: Collection[str]) -> frozenset[str]:
    """The values of sensitive fields as they may stand in a text."""
    texts = (str(data[slug]) for slug in slugs if data.get(slug) is not None and not isinstance(data[slug], bool))
    return frozenset(text for text in texts if len(text) >= SHORTEST)


def masked(value: Any, slugs: Collection[str], values: Collection[str] = ()) -> Any:
    """A copy without what stands under these slugs, at any depth, and without these values in its texts."""
    if not slugs:
        return value
    if isinstance(value, Mapping):
        return {
            name: MASK if name in slugs and part is not None else masked(part, slugs, values)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(part, slugs, values) for part in value]
    return _without(value, values) if isinstance(value, str) else value


def _without(text: str, values: Collection[str]) -> str:
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, MASK)
    return text
