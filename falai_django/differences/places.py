"""The path of a thing in a document, as validation writes it, but by id where there is one."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["at_item", "at_key"]

_PLAIN = re.compile(r"[\w-]+")


def at_key(place: str, key: Any) -> str:
    """A key or an id below a place; one that is no plain word stands in brackets, as `with["a b"]`."""
    if not isinstance(key, str) or not _PLAIN.fullmatch(key):
        return f"{place}[{json.dumps(str(key), ensure_ascii=False)}]"
    return f"{place}.{key}" if place else key


def at_item(place: str, index: int) -> str:
    """An item of a list, counted from 0."""
    return f"{place}[{index}]"
