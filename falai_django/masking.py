"""Sensitive values where they need not be read (spec: host.md section 6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

__all__ = ["MASK", "masked", "sensitive_values"]

MASK: Final = "***"
SHORTEST: Final = 3
"""A shorter value is not looked for in texts: it would be met everywhere."""
NUMBER_DIGITS: Final = 6
"""What has so many is a number of the kind that people write in groups: 123.456.789-00 is 12345678900."""
NUMBER_CHARACTERS: Final = 40
_BETWEEN_GROUPS: Final = r"[\s.,/()_-]{0,3}"


def sensitive_values(data: Mapping[str, Any], slugs: Collection[str]) -> frozenset[str]:
    """The values of sensitive fields as they may stand in a text."""
    texts = (text for slug in slugs for text in _texts(data.get(slug)))
    return frozenset(text for text in texts if len(text) >= SHORTEST)


def _texts(value: Any) -> Iterator[str]:
    """An action may have written any JSON."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, float) and value.is_integer():
        yield from (str(value), str(int(value)))
    elif value is not None and not isinstance(value, bool):
        yield str(value)


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
    return _anywhere(frozenset(values)).sub(MASK, text) if values else text


@lru_cache(maxsize=64)
def _anywhere(values: frozenset[str]) -> re.Pattern[str]:
    """The longest first, in whatever letters and groups they were written: a model tidies what it reads."""
    ordered = sorted(values, key=lambda value: (-len(value), value))
    return re.compile("|".join(_written(value) for value in ordered), re.IGNORECASE)


def _written(value: str) -> str:
    exactly, told = re.escape(value), [character for character in value if character.isalnum()]
    if len(told) > NUMBER_CHARACTERS or sum(character.isdigit() for character in told) < NUMBER_DIGITS:
        return exactly
    return f"{exactly}|{_BETWEEN_GROUPS.join(map(re.escape, told))}"
