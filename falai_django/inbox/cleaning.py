"""JSON from outside made fit to be kept: sound text, sound numbers, bounded (spec: host.md sections 3 and 6)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode
from falai_engine.values import finite

__all__ = ["MOST_BYTES", "MOST_DEPTH", "cleaned", "cleaned_text", "invalid"]

MOST_DEPTH: Final = 64
"""Levels of lists and objects within each other; what a handler makes of it lies somewhat deeper."""
MOST_BYTES: Final = 1_000_000
"""Of an input as JSON, context and history included."""

# NUL is no text for PostgreSQL, and a lone surrogate none for UTF-8.
_UNSOUND = re.compile("[\x00\ud800-\udfff]")


def invalid(path: str, message: str) -> InputRefusedError:
    """The error for one part of an input."""
    told = _("`%(path)s`: %(message)s") % {"path": path, "message": message} if path else message
    return InputRefusedError(FailureCode.INVALID_INPUT, told, [(path, message)])


def cleaned_text(text: str) -> str:
    """The text without NUL and lone surrogates."""
    return _UNSOUND.sub("", text)


def cleaned(value: Any, path: str) -> Any:
    """A copy with sound text in values and keys. InputRefusedError for what is no JSON, too deep or too large."""
    copy = _copied(value, path, MOST_DEPTH)
    if len(json.dumps(copy, ensure_ascii=False).encode()) > MOST_BYTES:
        raise invalid(path, _("It is larger than %(most)d bytes. Send less, or a reference.") % {"most": MOST_BYTES})
    return copy


def _copied(value: Any, path: str, depth: int) -> Any:
    if isinstance(value, str):
        return cleaned_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if not finite(value):
            raise invalid(path, _("It holds a number that JSON does not have. Send a finite one, or text."))
        return value
    if not depth:
        raise invalid(path, _("It is nested deeper than %(most)d levels. Flatten it.") % {"most": MOST_DEPTH})
    if isinstance(value, Mapping):
        return {_key(key, path): _copied(part, path, depth - 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(part, path, depth - 1) for part in value]
    raise invalid(path, _("It holds something that is no JSON. Send text, numbers, booleans, lists and objects."))


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise invalid(path, _("A key of an object is no text. Write it as text."))
    return cleaned_text(key)
