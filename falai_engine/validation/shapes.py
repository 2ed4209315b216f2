"""The plain questions about a JSON value, each noted when the answer is no. Null means: not set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

from falai_engine.errors import FlowConfigurationError
from falai_engine.times import duration_ms
from falai_engine.validation.report import Spot, listed
from falai_engine.values import finite

__all__ = [
    "check_choice",
    "check_duration",
    "check_flags",
    "check_keys",
    "check_texts",
    "check_whole",
    "is_list",
    "is_object",
    "is_text",
    "is_whole",
]

_LONGEST_DURATION = 40
"""No author writes more digits, and arithmetic on a megabyte of them takes its time."""


def is_object(value: Any, spot: Spot) -> TypeGuard[Mapping[Any, Any]]:
    """A JSON object, or a note."""
    if isinstance(value, Mapping):
        return True
    spot.misfit("not-an-object", value)
    return False


def is_list(value: Any, spot: Spot) -> TypeGuard[list[Any]]:
    """A JSON list, or a note."""
    if isinstance(value, (list, tuple)):
        return True
    spot.misfit("not-a-list", value)
    return False


def is_text(value: Any, spot: Spot) -> TypeGuard[str]:
    """Text, or a note."""
    if isinstance(value, str):
        return True
    spot.misfit("not-text", value)
    return False


def is_whole(value: Any) -> bool:
    """As JSON means it: 3.0 is whole, true is no number."""
    return finite(value) and value == int(value)


def check_texts(spec: Mapping[str, Any], spot: Spot, *keys: str) -> None:
    """Optional texts."""
    for key in keys:
        value = spec.get(key)
        if value is not None and not isinstance(value, str):
            spot.at(key).misfit("not-text", value)


def check_flags(spec: Mapping[str, Any], spot: Spot, *keys: str) -> None:
    """Optional booleans."""
    for key in keys:
        value = spec.get(key)
        if value is not None and not isinstance(value, bool):
            spot.at(key).misfit("not-a-boolean", value)


def check_choice(value: Any, choices: Collection[str], spot: Spot) -> bool:
    """An optional word out of a few; False for any other."""
    if value is None or (isinstance(value, str) and value in choices):
        return True
    spot.misnamed("not-one-of", value, choices, choices=listed(choices))
    return False


def check_whole(value: Any, least: int, spot: Spot) -> None:
    """An optional whole number."""
    if value is not None and not (is_whole(value) and value >= least):
        spot.misfit("not-a-whole-number", value, least=str(least))


def check_duration(value: Any, spot: Spot) -> None:
    """An optional duration, as engine.md section 11 writes it."""
    if value is not None and not _is_duration(value):
        spot.misfit("bad-duration", value)


def _is_duration(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _LONGEST_DURATION:
        return False
    try:
        duration_ms(value)
    except FlowConfigurationError:
        return False
    return True


def check_keys(spec: Mapping[Any, Any], known: Collection[str], spot: Spot) -> None:
    """Warn of keys that nothing reads, with the word that was probably meant."""
    for key in spec:
        if key not in known and spec[key] is not None:
            spot.key(key).misnamed("unknown-key", key, known)
