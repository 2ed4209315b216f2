"""Trigger phrases and their `!` exclusions (spec: engine.md section 5)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["split_phrases"]


def split_phrases(phrases: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """`(counts, excludes)`: trimmed; a phrase that starts with `!` excludes; blank ones and a bare `!` are ignored."""
    counts: list[str] = []
    excludes: list[str] = []
    for phrase in map(str.strip, phrases):
        if phrase.startswith("!"):
            excludes.append(phrase[1:].strip())
        else:
            counts.append(phrase)
    return tuple(filter(None, counts)), tuple(filter(None, excludes))
