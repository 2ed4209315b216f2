"""JSON as rows keep it: plain, without nulls that mean nothing, with texts that every database takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from falai_engine.spec.nulls import condition_json, without_nulls

__all__ = ["is_storable_text", "without_empty_keys", "without_unset"]

_UNSTORABLE: Final = re.compile(r"[\x00\ud800-\udfff]")
_CONDITIONS: Final = frozenset({"if", "while"})
_OPAQUE: Final = frozenset({"input", "media", "ui", "with"})


def is_storable_text(value: Any, most: int | None = None) -> bool:
    """Text of at most `most` characters that a text column of every database holds: no NUL, no half of a pair."""
    return isinstance(value, str) and (most is None or len(value) <= most) and _UNSTORABLE.search(value) is None


def without_unset(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a flow, trigger, step, instruction ... without nulls at any depth.

    Those in the `equals` of a condition stay: they are errors, which validation has to see.
    """
    return {key: _part(key, value) for key, value in spec.items() if value is not None}


def without_empty_keys(spec: Mapping[str, Any], *inner: str) -> dict[str, Any]:
    """A copy of a definition without the keys that are null, at every depth of those named `inner`.

    Elsewhere a null may mean something: the `const` of a JSON Schema, the leaf of a request's body.
    """
    given = {key: value for key, value in spec.items() if value is not None}
    return {key: without_nulls(value) if key in inner else value for key, value in given.items()}


def _part(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        if key in _CONDITIONS:
            return condition_json(value)
        return without_nulls(value) if key in _OPAQUE else without_unset(value)
    if isinstance(value, list | tuple):
        return [without_unset(item) if isinstance(item, Mapping) else item for item in value]
    return value
