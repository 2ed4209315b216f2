"""Machine paths of problems, `flows[2].steps[1].then.step`: taken apart and put together (spec: flow-spec.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

__all__ = ["Part", "joined", "path_parts", "path_tail"]

Part: TypeAlias = str | int
"""A key of an object, or a place in a list."""

_PLAIN: Final = re.compile(r"[\w-]+")
_PART: Final = re.compile(r"\.?(?P<key>[\w-]+)|\[(?P<item>\d+)\]|\[(?P<quoted>\"(?:[^\"\\]|\\.)*\")\]")


def path_parts(path: str) -> list[Part]:
    """The parts of a path, outermost first; what cannot be read ends it."""
    return [_part(match) for match in _matches(path)]


def path_tail(path: str, parts: int) -> str:
    """What is left of a path, as it was written, below its first `parts` parts."""
    ends = [0, *(match.end() for match in _matches(path))]
    return path[ends[min(parts, len(ends) - 1)] :].lstrip(".")


def joined(path: str, *parts: Part) -> str:
    """The path below `path`; keys that are more than a word are written as `["a key"]`."""
    for part in parts:
        if isinstance(part, int):
            path = f"{path}[{part}]"
        elif _PLAIN.fullmatch(part):
            path = f"{path}.{part}" if path else part
        else:
            path = f"{path}[{json.dumps(part)}]"
    return path


def _matches(path: str) -> Iterator[re.Match[str]]:
    at = 0
    while (match := _PART.match(path, at)) is not None:
        yield match
        at = match.end()


def _part(match: re.Match[str]) -> Part:
    if match["item"] is not None:
        return int(match["item"])
    return match["key"] if match["key"] is not None else str(json.loads(match["quoted"]))
