"""The body of an answer as JSON, whatever came (spec: flow-spec.md, answer)."""

from __future__ import annotations

import codecs
import json
from typing import Any, Final, NoReturn

from django.utils.translation import gettext as _

from falai_django.errors import OutgoingError
from falai_django.outgoing.connection import Answered
from falai_django.outgoing.json_values import DEEPEST
from falai_engine.values import MISSING

__all__ = ["document_of"]

_MANY_DIGITS: Final = 400
# Read when UTF-8 does not fit and the answer says so. Not whatever Python knows: some take very long, some are no text.
_OLD_CHARSETS: Final = frozenset({"iso-8859-1", "iso-8859-15", "latin-1", "us-ascii", "windows-1252"})


def document_of(answered: Answered) -> Any:
    """The JSON of the body; MISSING when there is no body. OutgoingError (`broken`) when it is no JSON."""
    text = _text(answered)
    if not text.strip():
        return MISSING
    try:
        document = json.loads(text, parse_constant=_no_number, parse_int=_whole)
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        what = _("the answer is no JSON (%(type)s, %(size)d bytes)")
        told = answered.content_type[:60] or _("of no type")
        raise _broken(what % {"type": told, "size": len(answered.body)}) from None
    if _is_deeper(document, DEEPEST):
        raise _too_deep()
    return document


def _too_deep() -> OutgoingError:
    return _broken(_("the answer is nested too deep"))


def _broken(what: str) -> OutgoingError:
    return OutgoingError("broken", what)


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _whole(text: str) -> float:
    """A number that no double holds is one all the same: who asks for it is told."""
    return int(text) if len(text) < _MANY_DIGITS else float(text)


def _text(answered: Answered) -> str:
    try:
        return answered.body.decode("utf-8-sig")
    except UnicodeDecodeError:
        charset = answered.headers.get("content-type", "").lower().rpartition("charset=")[2].strip("\"' ;")
        if charset not in _OLD_CHARSETS:
            raise _broken(_("the answer is not in UTF-8")) from None
        return codecs.decode(answered.body, charset, "replace")


def _is_deeper(document: Any, depth: int) -> bool:
    """Level by level, so that no depth is too much for looking."""
    level = [document]
    for _level in range(depth):
        level = [
            item
            for each in level
            if isinstance(each, dict | list)
            for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return any(isinstance(each, dict | list) for each in level)
