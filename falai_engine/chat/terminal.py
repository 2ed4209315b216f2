"""Lines that a person types, or that come through a pipe."""

from __future__ import annotations

import contextlib
import sys

__all__ = ["Terminal"]


class Terminal:
    """Reads lines: with a prompt, editing and history where somebody types, without any noise in a pipe."""

    def __init__(self, prompt: str) -> None:
        self.is_typed = sys.stdin.isatty()
        self._prompt = prompt
        if self.is_typed:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415 - importing it gives `input` its editing; Windows has none

    def line(self) -> str | None:
        """The next line without its end, None when there is no more. Raises KeyboardInterrupt."""
        if not self.is_typed:
            text = sys.stdin.readline()
            return text.rstrip("\r\n") if text else None
        try:
            return input(self._prompt)
        except EOFError:
            print()
            return None
