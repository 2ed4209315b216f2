"""Values that are safe to send and to keep: JSON, finite, not endlessly deep, no NUL and no lone surrogate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from falai_engine.replies import sound_text
from falai_engine.values import finite

__all__ = ["DEEPEST", "sound"]

DEEPEST: Final = 64


def sound(value: Any, depth: int = DEEPEST) -> Any:
    """A copy with sound texts; ValueError for what is no JSON, a number that no double holds, or too deep a value."""
    if isinstance(value, str):
        return sound_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if not finite(value):
            raise ValueError("a number that is too large")
        return value
    if not depth:
        raise ValueError("a value that is nested too deep")
    if isinstance(value, Mapping):
        return {sound_text(str(key)): sound(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sound(item, depth - 1) for item in value]
    raise ValueError("a value that is no JSON")
