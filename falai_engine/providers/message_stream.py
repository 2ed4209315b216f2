"""The text of `message` out of growing JSON, for streams (spec: providers.md, "Streaming yields only the text")."""

from __future__ import annotations

import string
from typing import Final

__all__ = ["MessageStream"]

_BLANKS: Final = " \t\r\n"
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX: Final = frozenset(string.hexdigits)
_HEX_DIGITS: Final = 4
_HIGH_HALVES: Final = range(0xD800, 0xDC00)
_LOW_HALVES: Final = range(0xDC00, 0xE000)
_LOST: Final = "\ufffd"


class _StringReader:
    """One JSON string from behind its opening quote, a character at a time. `closed` or `broken` when it is over."""

    __slots__ = ("_escape", "_high", "broken", "closed")

    def __init__(self) -> None:
        self._escape: str | None = None
        self._high = ""
        self.closed = False
        self.broken = False

    def feed(self, char: str) -> str:
        """What the character adds to the value, which is nothing inside an escape or half a surrogate pair."""
        if self._escape is not None:
            return self._in_escape(self._escape + char)
        if char == '"':
            self.closed = True
            return self._settled()
        if char == "\\":
            self._escape = ""
            return ""
        return self._settled() + char

    def _in_escape(self, escape: str) -> str:
        if escape in _ESCAPES:
            self._escape = None
            return self._settled() + _ESCAPES[escape]
        if escape[0] != "u" or not _HEX.issuperset(escape[1:]):
            self.broken = True
            return ""
        if len(escape) <= _HEX_DIGITS:
            self._escape = escape
            return ""
        self._escape = None
        return self._unit(int(escape[1:], 16))

    def _unit(self, unit: int) -> str:
        if unit in _LOW_HALVES:
            high, self._high = self._high, ""
            return (high + chr(unit)).encode("utf-16", "surrogatepass").decode("utf-16") if high else _LOST
        settled = self._settled()
        if unit in _HIGH_HALVES:
            self._high = chr(unit)
            return settled
        return settled + chr(unit)

    def _settled(self) -> str:
        """A high half that no low one followed, as the reply will read it."""
        lost = _LOST if self._high else ""
        self._high = ""
        return lost


class MessageStream:
    """`feed(text)` gives the characters that this text adds to the first `message` of the first object.

    What stands before the object is passed over, other keys and what lies deeper too. When that object parses in the
    end, what was given is exactly what `json_text.first_object` reads there, at every moment a beginning of it.
    """

    __slots__ = ("_at_key", "_depth", "_is_next", "_is_over", "_key", "_reader", "_reads", "_was_met")

    def __init__(self) -> None:
        self._depth = 0
        self._at_key = False  # on the first level, before a colon
        self._key = ""
        self._is_next = False  # the value that comes is the message
        self._was_met = False
        self._reader: _StringReader | None = None
        self._reads = ""  # "key", "message" or "" (another string)
        self._is_over = False

    def feed(self, text: str) -> str:
        """The new characters of the message, often none."""
        if self._is_over:
            return ""
        return "".join([self._char(char) for char in text])

    def _char(self, char: str) -> str:
        if self._is_over:
            return ""
        if self._reader is not None:
            return self._in_string(self._reader, char)
        if self._depth == 0:
            self._seek(char)
        elif char == '"':
            self._open_string()
        elif self._depth == 1:
            self._on_first_level(char)
        elif char in "{[":
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
        return ""

    def _seek(self, char: str) -> None:
        if char == "{":
            self._depth, self._at_key = 1, True

    def _open_string(self) -> None:
        self._reader = _StringReader()
        self._reads = ""
        if self._depth == 1 and self._at_key:
            self._reads, self._key = "key", ""
        elif self._depth == 1 and self._is_next:
            self._reads = "message"

    def _in_string(self, reader: _StringReader, char: str) -> str:
        added = reader.feed(char)
        if reader.broken:
            self._is_over = True
        if reader.closed:
            self._reader = None
            # Whatever comes behind the message is of no use to whoever reads along.
            self._is_over = self._reads == "message"
        if self._reads == "key":
            self._key += added
        return added if self._reads == "message" else ""

    def _on_first_level(self, char: str) -> None:
        if char == ":" and self._at_key:
            self._at_key = False
            self._is_next = self._key == "message" and not self._was_met
            self._was_met = self._was_met or self._is_next
        elif char == ",":
            self._at_key, self._is_next = True, False
        elif char == "}":
            self._is_over = True
        elif self._at_key and char not in _BLANKS:
            self._depth = int(char == "{")  # a brace in prose, no object: look for the next, which this may be
        elif char in "{[":
            self._depth, self._is_next = 2, False
