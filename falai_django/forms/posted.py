"""What a browser makes of a text, and what it sends back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["Posted", "input_key", "many_lines", "one_line"]

_LONE_SURROGATES: Final = re.compile(r"[\ud800-\udfff\x00]")
_LINE_END: Final = re.compile(r"\r\n?")


def many_lines(text: str) -> str:
    r"""The text as an input shows it and sends it: every line end is one `\n`, what no page can hold is marked.

    A stored text goes through this before it is compared with what was sent, so that a text which a page cannot show as
    it is does not look like one that somebody edited.
    """
    return _LINE_END.sub("\n", _LONE_SURROGATES.sub("\ufffd", text))


def one_line(text: str) -> str:
    """The same for an `<input>`, in which a browser leaves out the line ends."""
    return many_lines(text).replace("\n", "")


def input_key(name: str) -> str:
    """A name as part of an input's name and id: letters, digits and `_`, and one code for each other sign."""
    return re.sub(r"[^A-Za-z0-9_]", lambda sign: f".{ord(sign[0]):x}.", name)


class Posted:
    """The inputs that came: texts by name, with one line end for all browsers."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def has(self, name: str) -> bool:
        return name in self._data

    def all(self, name: str) -> list[str]:
        """The values of every input of this name, in the order of the page."""
        getlist = getattr(self._data, "getlist", None)
        values: Sequence[Any] = getlist(name) if getlist else self._given(name)
        return [many_lines(value) for value in values if isinstance(value, str)]

    def text(self, name: str) -> str:
        """The last value of this name, empty when there is none."""
        return next(reversed(self.all(name)), "")

    def _given(self, name: str) -> Sequence[Any]:
        value = self._data.get(name)
        return value if isinstance(value, list | tuple) else [value]
