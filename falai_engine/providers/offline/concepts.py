"""The topics of a text: its words as concepts, so that "qto sai" and "pede um orçamento" meet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from falai_engine.providers.offline.lexicon import CONCEPTS, DESCRIBING, GENERIC, STOP
from falai_engine.providers.offline.words import distance_within, same_word, stem

__all__ = ["GENERIC_WEIGHT", "concepts", "covers", "topic_weights"]

GENERIC_WEIGHT = 0.35
_MARK = "#"
_OWN_BUSINESS = frozenset(("#company", "#product", "#service"))
"""What every flow of a business is about."""


def _word_tables() -> tuple[dict[str, str], dict[str, str]]:
    exact: dict[str, str] = {}
    by_stem: dict[str, str] = {}
    for topic, (words, _) in CONCEPTS.items():
        for word in words.split():
            exact.setdefault(word.lstrip("="), _MARK + topic)
            if not word.startswith("="):
                by_stem.setdefault(stem(word), _MARK + topic)
    return exact, by_stem


_EXACT, _BY_STEM = _word_tables()
_TURNS = {turn: _MARK + topic for topic, (_, turns) in CONCEPTS.items() for turn in turns.split("|") if turn}
_TURN = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, _TURNS), key=len, reverse=True)) + r")\b")
_PLAIN = STOP | DESCRIBING | GENERIC
_KNOWN_BY_INITIAL: dict[str, list[str]] = {}
for _word in sorted(set(_EXACT) | {word for word in _PLAIN if len(word) >= 6}):
    _KNOWN_BY_INITIAL.setdefault(_word[0], []).append(_word)


@lru_cache(maxsize=8192)
def _spelled(word: str) -> str:
    """The known word that this one is a slip of, else the word. Short words are left: too many are one letter apart."""
    if len(word) < 6 or word.isdigit():
        return word
    close = (w for w in _KNOWN_BY_INITIAL.get(word[0], ()) if len(w) >= 6 and distance_within(word, w, 1))
    return next(close, word)


@lru_cache(maxsize=8192)
def _concept(word: str) -> str:
    known = _EXACT.get(word)
    if known or word in _PLAIN:
        return known or word
    by_stem = _BY_STEM.get(stem(word))
    if by_stem and len(word) >= 4:
        return by_stem
    spelled = _spelled(word)
    return _EXACT.get(spelled) or (spelled if spelled in _PLAIN else stem(word))


def concepts(normal: str) -> Iterator[tuple[str, str, int]]:
    """(concept, the words it stands for, offset in the normal form) in order; unknown words are their stems."""
    end = 0
    for turn in _TURN.finditer(normal):
        yield from _single(normal, end, turn.start())
        yield _TURNS[turn[0]], turn[0], turn.start()
        end = turn.end()
    yield from _single(normal, end, len(normal))


_LONGEST_WORD = 40
"""No topic is longer, and what is kept of a stranger's text stays small."""
_WORD = re.compile(r"[^\s,]+")


def _single(normal: str, start: int, end: int) -> Iterator[tuple[str, str, int]]:
    for match in _WORD.finditer(normal, start, end):
        yield _concept(match[0][:_LONGEST_WORD]), match[0], match.start()


def _weight(concept: str) -> float:
    if concept in STOP or concept in DESCRIBING:
        return 0.0
    return GENERIC_WEIGHT if concept in GENERIC or concept in _OWN_BUSINESS else 1.0


def topic_weights(normal: str) -> dict[str, float]:
    """What a text is about, each concept with its weight; a text of plain words only counts its plain words."""
    found = [concept for concept, _, _ in concepts(normal)]
    weights = {concept: _weight(concept) for concept in found if _weight(concept)}
    if sum(weights.values()) >= 0.5:
        return weights
    return {concept: 1.0 for concept in found if concept not in STOP} or dict.fromkeys(found, 1.0)


def covers(said: frozenset[str], concept: str) -> bool:
    """Whether a concept is among those said, a typing slip forgiven."""
    if concept in said:
        return True
    if concept.startswith(_MARK) or len(concept) < 5:
        return False
    return any(same_word(concept, other) for other in said if not other.startswith(_MARK))
