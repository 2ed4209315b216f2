"""The first difference between two JSON values, as a readable path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from falai_engine.values import MISSING, json_equal, json_text

__all__ = ["Difference", "first_difference"]

LONGEST = 400


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two values part; MISSING stands for nothing there."""

    path: str
    expected: Any
    got: Any

    def under(self, prefix: str) -> Difference:
        """The same difference seen from further out."""
        return Difference(f"{prefix}.{self.path}".strip("."), self.expected, self.got)

    def __str__(self) -> str:
        return f"{self.path}\n    expected {_shown(self.expected)}\n    got      {_shown(self.got)}"


def _shown(value: Any) -> str:
    text = "nothing" if value is MISSING else json_text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def first_difference(expected: Any, got: Any, path: str = "") -> Difference | None:
    """None when the two are equal as JSON; the order of an object's keys does not matter."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        for key in [*expected, *[key for key in got if key not in expected]]:
            found = first_difference(expected.get(key, MISSING), got.get(key, MISSING), f"{path}.{key}".strip("."))
            if found is not None:
                return found
        return None
    if isinstance(expected, list) and isinstance(got, list):
        for index in range(max(len(expected), len(got))):
            left = expected[index] if index < len(expected) else MISSING
            right = got[index] if index < len(got) else MISSING
            found = first_difference(left, right, f"{path}[{index}]")
            if found is not None:
                return found
        return None
    return None if json_equal(expected, got) else Difference(path, expected, got)
