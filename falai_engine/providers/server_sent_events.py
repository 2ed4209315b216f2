"""Server-sent events out of bytes that are cut anywhere (the format of every vendor's stream)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["EventReader", "ServerSentEvent"]

_NEWLINE: Final = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its name (`message` when it has none) and its data, lines joined."""

    name: str
    data: str


class EventReader:
    """`feed(bytes)` gives the events that are complete; `close()` the one that the end of the stream completed.

    Comments, ids and retry times are passed over. The format lets an event without its blank line fall; `close` gives
    it all the same, for servers that end with `data: [DONE]` and nothing behind it.
    """

    __slots__ = ("_data", "_name", "_rest", "_skips_newline")

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # the line that is not whole yet, in pieces: joined once, however small they come
        self._skips_newline = False
        self._name = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        if not piece:
            return
        if self._skips_newline:
            piece = piece.removeprefix(b"\n")
        *lines, rest = _NEWLINE.split(piece)
        # A line may end in \r\n, and the two may come apart.
        self._skips_newline = piece.endswith(b"\r")
        for line in lines:
            self._rest.append(line)
            yield from self._line(self._taken())
        self._rest.append(rest)

    def close(self) -> Iterator[ServerSentEvent]:
        if rest := self._taken():
            yield from self._line(rest)
        yield from self._line(b"")

    def _taken(self) -> bytes:
        line = b"".join(self._rest)
        self._rest.clear()
        return line

    def _line(self, line: bytes) -> Iterator[ServerSentEvent]:
        if not line:
            if self._data:
                yield ServerSentEvent(self._name or "message", "\n".join(self._data))
            self._name, self._data = "", []
            return
        field, _, value = line.decode("utf-8", "replace").removeprefix("\ufeff").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
