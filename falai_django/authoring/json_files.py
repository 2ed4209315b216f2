"""JSON that somebody uploads, read strictly; what is wrong is told with line and column (spec: host.md section 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.authoring.row_problems import RowProblem, refused
from falai_django.conf import settings
from falai_django.errors import AuthoringError
from falai_engine.error_words import shown
from falai_engine.validation import Severity
from falai_engine.values import finite

__all__ = ["parse_json"]

_LONGEST_NUMBER: Final = 400
_MOST_TOLD: Final = 50
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+')


def parse_json(content: str | bytes) -> Any:
    """The JSON value of a text or a file; a byte order mark is no matter.

    AuthoringError for all that programs read in different ways (no UTF-8, no JSON, a key twice in an object, NaN or
    Infinity, numbers beyond doubles) and for a file that is too large or nested too deep.
    """
    text = _text(content)
    suspicious: list[str] = []
    try:
        value = _decoder(suspicious).decode(text)
    except json.JSONDecodeError as error:
        message = _("Here it is no JSON (%(reason)s).") % {"reason": error.msg}
        raise refused([_problem(error.lineno, error.colno, message)]) from error
    except RecursionError as error:
        raise AuthoringError(_("This file is nested too deep to be read. Make it flatter.")) from error
    if suspicious:
        raise refused([problem for problem, _number in zip(_slips(text), range(_MOST_TOLD), strict=False)])
    return value


def _text(content: str | bytes) -> str:
    most = settings().import_max_bytes
    size = len(content) if isinstance(content, bytes) else len(content.encode(errors="surrogatepass"))
    if size > most:
        raise AuthoringError(
            _("This file has %(size)d bytes, and an import reads at most %(most)d. Import its flows one by one.")
            % {"size": size, "most": most}
        )
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AuthoringError(
            _("This file is no UTF-8 text at byte %(byte)d. Save it as UTF-8 and try again.") % {"byte": error.start}
        ) from error


def _decoder(suspicious: list[str]) -> json.JSONDecoder:
    """It reads on at what is wrong, so that all of it can be told together."""

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) < len(members):
            suspicious.append("twice")
        return found

    def number(text: str) -> Any:
        if _is_number(text):
            return json.loads(text)
        suspicious.append(text[:_LONGEST_NUMBER])
        return 0

    return json.JSONDecoder(
        object_pairs_hook=pairs, parse_int=number, parse_float=number, parse_constant=suspicious.append
    )


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and finite(json.loads(text))


def _slips(text: str) -> Iterator[RowProblem]:
    """What is wrong in a text that is JSON otherwise, in order."""
    # The keys so far of each object that is open; None for a list.
    around: list[set[str] | None] = []
    lines, is_key = _Lines(text), False
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word in "[{":
            around.append(set() if word == "{" else None)
        elif word in "]}":
            around.pop()
        elif word not in ",:":
            keys = around[-1] if is_key else None
            message = _slip_of_value(word) if keys is None else _slip_of_key(json.loads(word), keys)
            if message:
                yield _problem(*lines.place(match.start()), message)
        is_key = word in "{," and around[-1] is not None


def _slip_of_key(key: str, keys: set[str]) -> str | None:
    if key not in keys:
        keys.add(key)
        return None
    return _("The key %(key)s is in this object twice. Remove one of the two.") % {"key": shown(key)}


def _slip_of_value(word: str) -> str | None:
    if word[0] in '"tfn':
        return None
    if word in ("NaN", "Infinity", "-Infinity"):
        return _("%(value)s is no JSON. Write a number or null.") % {"value": word}
    if _is_number(word):
        return None
    return _("This number is too large to be kept. Write a smaller one.")


class _Lines:
    """Line and column of places that are asked for in order."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self.begin = text, 0, 1, 0

    def place(self, at: int) -> tuple[int, int]:
        self.line += self.text.count("\n", self.at, at)
        self.begin = max(self.begin, self.text.rfind("\n", self.at, at) + 1)
        self.at = at
        return self.line, at - self.begin + 1


def _problem(line: int, column: int, message: str) -> RowProblem:
    place = _("Line %(line)d, column %(column)d: %(message)s") % {"line": line, "column": column, "message": message}
    return RowProblem(None, "", Severity.ERROR, place, "json")
