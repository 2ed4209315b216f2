"""Cutting texts for a sentence, so that what differs can be seen."""

from __future__ import annotations

from typing import Final

__all__ = ["CUT_MARK", "LONGEST", "excerpt", "excerpts", "plain"]

LONGEST: Final = 90
"""Characters that a sentence quotes of a text, at most, the marks not counted."""

CUT_MARK: Final = "…"
_LEAD: Final = 30


def plain(text: str) -> str:
    """In one line, with single spaces."""
    return " ".join(text.split())


def excerpt(text: str, longest: int = LONGEST) -> str:
    """The beginning of a text, in one line."""
    return _window(plain(text), 0, longest)


def excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts in one line; when one is long, both from a little before the place where they begin to differ."""
    before, after = plain(before), plain(after)
    if max(len(before), len(after)) <= LONGEST:
        return before, after
    differ_at = _common_length(before, after)
    # Short enough before it that the difference lies in the window.
    start = 0 if differ_at <= _LEAD else _word_start(after or before, differ_at - _LEAD, differ_at)
    return _window(before, start, LONGEST), _window(after, start, LONGEST)


def _common_length(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _word_start(text: str, earliest: int, latest: int) -> int:
    space = text.find(" ", earliest, latest)
    return earliest if space < 0 else space + 1


def _window(text: str, start: int, longest: int) -> str:
    end = min(len(text), start + longest)
    if end < len(text):
        space = text.rfind(" ", start + longest * 2 // 3, end)
        end = end if space < 0 else space
    cut = text[start:end]
    return f"{CUT_MARK if start else ''}{cut}{CUT_MARK if end < len(text) else ''}"
