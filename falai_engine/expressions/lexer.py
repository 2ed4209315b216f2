"""The text form cut into tokens, one at a time (spec: update-state.md).

Tokens come lazily, so the limits of the parser also bound how much of a hostile text is ever looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from falai_engine.error_words import shown
from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions.kinds import text_flaw
from falai_engine.expressions.operators import OPERATORS, Family

__all__ = ["KEYWORDS", "ExpressionSyntaxError", "Token", "TokenKind", "quote", "spelled", "tokens"]

KEYWORDS: Final = frozenset({"and", "or", "if", "then", "else", "llm", "true", "false", "null"})

_BARE_NAME: Final = re.compile(r"[^\W\d]\w*+(?:-\w++)*+")
_SYMBOLS: Final = sorted(
    (row.symbol for row in OPERATORS.values() if row.family is not Family.LOGICAL), key=len, reverse=True
)
_TOKEN: Final = re.compile(
    r"(?P<number>[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"
    rf"|(?P<word>{_BARE_NAME.pattern})"
    r'|(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+")'
    r"|(?P<name>`[^`\\]*+(?:\\.[^`\\]*+)*+`)"
    rf"|(?P<symbol>{'|'.join(map(re.escape, _SYMBOLS))}|[(),:])",
    re.DOTALL,
)
_SPACE: Final = re.compile(r"\s*+")
_WORD_CHARACTER: Final = re.compile(r"\w")
_LONGEST_NUMBER: Final = 400

_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPES: Final = {'"': '"', "`": "`", "\\": "\\", "/": "/", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_WRITTEN: Final = {character: f"\\{letter}" for letter, character in _ESCAPES.items() if letter.isalpha()}
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

_HINTS: Final = {
    "'": 'Put texts in straight double quotes: "..."',
    "\u201c": 'Put texts in straight double quotes: "..."',
    "\u201d": 'Put texts in straight double quotes: "..."',
    '"': 'Close the text with a double quote; write a quote inside it as \\"',
    "`": "Close the name with a backtick",
    "=": "Write == to compare; the variable that is set stands outside of the expression",
    "!": "Write != for not equal",
    "&": "Write AND",
    "|": "Write OR",
    ".": "Write a decimal with a digit in front, as 0.5",
}


class ExpressionSyntaxError(FlowConfigurationError):
    """A text is no expression; `column` counts characters from 1 and is part of `where`."""

    def __init__(self, place: str, column: int, what: str, fix: str) -> None:
        super().__init__(f"{place}, column {column}", what, fix)
        self.place = place
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.place, self.column, self.what, self.fix)


class TokenKind(StrEnum):
    """What a token is; `value` of the Token is the text, the number, the name, the word or the symbol."""

    NUMBER = "number"
    TEXT = "text"
    NAME = "name"
    WORD = "word"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `source` is how it was written, `column` where, from 1."""

    kind: TokenKind
    value: Any
    source: str
    column: int

    def keyword(self) -> str | None:
        """The keyword in lower case, None when the token is something else."""
        return _keyword(self.value) if self.kind is TokenKind.WORD else None


def _keyword(word: str) -> str | None:
    lowered = word.lower()
    return lowered if lowered in KEYWORDS else None


def tokens(text: str, place: str) -> Iterator[Token]:
    """The tokens of a text, with an END at its end. Raises ExpressionSyntaxError where none can be read."""
    position = _after_space(text, 0)
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text[position], place, position + 1)
        yield _token(match, place)
        position = _after_space(text, match.end())
    yield Token(TokenKind.END, None, "", len(text) + 1)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _unreadable(character: str, place: str, column: int) -> ExpressionSyntaxError:
    fix = _HINTS.get(character, "Use variables, texts, numbers, operators and parentheses")
    what = "the quotes are never closed" if character in {'"', "`"} else f"{shown(character)} has no meaning here"
    return ExpressionSyntaxError(place, column, what, fix)


def _token(match: re.Match[str], place: str) -> Token:
    kind = TokenKind(match.lastgroup or "")
    source, column = match[0], match.start() + 1
    value: Any = source
    if kind is TokenKind.NUMBER:
        value = _number(match, place, column)
    elif kind in {TokenKind.TEXT, TokenKind.NAME}:
        value = _unescaped_text(source[1:-1], place, column)
    if isinstance(value, str) and (flaw := text_flaw(value)):
        raise ExpressionSyntaxError(place, column, flaw, "Write another text")
    return Token(kind, value, source, column)


def _number(match: re.Match[str], place: str, column: int) -> int | float:
    source = match[0]
    if _WORD_CHARACTER.match(match.string, match.end()):
        fix = "Put a space or an operator after the number, or the name in backticks"
        raise ExpressionSyntaxError(place, column, "a number runs into a word", fix)
    number = int(source) if source.isdigit() and len(source) <= _LONGEST_NUMBER else float(source)
    if len(source) > _LONGEST_NUMBER or not math.isfinite(float(source)):
        raise ExpressionSyntaxError(place, column, "the number is too big or too long", "Write a number a double holds")
    return number


def _unescaped_text(inner: str, place: str, column: int) -> str:
    text = _ESCAPE.sub(lambda found: _unescaped(found, place, column), inner)
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _unescaped(found: re.Match[str], place: str, column: int) -> str:
    code = found[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    if code not in _ESCAPES:
        at = column + 1 + found.start()
        raise ExpressionSyntaxError(place, at, f"unknown escape {shown(found[0])}", 'Write \\\\, \\", \\n or \\u00e7')
    return _ESCAPES[code]


def quote(text: str, mark: str = '"') -> str:
    """A text between marks, written so that the lexer reads it back and it stays on one line."""
    inner = text.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    return mark + _CONTROL.sub(lambda found: _WRITTEN.get(found[0], f"\\u{ord(found[0]):04x}"), inner) + mark


def spelled(name: str) -> str:
    """A variable's name as an expression writes it: bare where that reads back as a name, else in backticks."""
    bare = _BARE_NAME.fullmatch(name) and _keyword(name) is None
    return name if bare else quote(name, "`")
