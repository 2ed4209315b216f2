"""JSON Pointers (RFC 6901): the paths of an `answer` (spec: flow-spec.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from falai_engine.values import MISSING

__all__ = ["is_pointer", "value_at"]

_POINTER: Final = re.compile(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL)
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")


def is_pointer(text: object) -> bool:
    """Whether a text is one: empty for the whole, else `/name/0`."""
    return isinstance(text, str) and _POINTER.fullmatch(text) is not None


def value_at(document: Any, pointer: str) -> Any:
    """What it points at; MISSING when there is nothing."""
    value = document
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and _INDEX.fullmatch(key):
            value = value[int(key)] if int(key) < len(value) else MISSING
        else:
            return MISSING
    return value
