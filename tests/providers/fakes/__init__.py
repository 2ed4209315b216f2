"""Each vendor's side: what it takes and how it answers, in its own types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What a fake model says; `usage` is (prompt with what was cached, completion, cached).

    `cut`: it ran into its limit; `size`: how many characters a delta of a stream carries.
    """

    text: str = ""
    calls: tuple = ()
    thinking: str | None = None
    usage: tuple = (100, 20, 40)
    cut: bool = False
    size: int = 4


def in_pieces(text, size):
    return [text[start : start + size] for start in range(0, len(text), size)]
