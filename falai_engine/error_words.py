"""Words for error messages about values and names that may be anything: short, and never an error themselves."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Mapping
from typing import Any, Final

__all__ = ["closest", "shown", "told"]

_SHOWN: Final = 40
_LONGEST_SLIP: Final = 100
_MOST_NAMES: Final = 2_000


def shown(value: Any) -> str:
    """The head of a text in quotes, a number, or what sort of thing it is."""
    if isinstance(value, str):
        head = value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
        return json.dumps(head, ensure_ascii=False).encode(errors="replace").decode()
    if value is None or isinstance(value, bool | float):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**_SHOWN else "a very large number"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"a Python {type(value).__name__}"


def told(error: BaseException) -> str:
    """What an exception says, or its class where it says nothing or cannot."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001 - an exception of somebody else's making
        return type(error).__name__


def closest(name: Any, names: Collection[Any]) -> str | None:
    """The known name that was probably meant; None when none is near, or it is no slip, or there are too many."""
    if not isinstance(name, str) or len(name) > _LONGEST_SLIP or not names or len(names) > _MOST_NAMES:
        return None
    known = [each for each in names if isinstance(each, str)]
    return next(iter(difflib.get_close_matches(name, known, n=1)), None)
