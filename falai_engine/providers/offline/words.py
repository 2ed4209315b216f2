"""Folding, tokens, stems and edit distance: how two spellings of a word are known to be the same word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from falai_engine.providers.offline.lexicon import ABBREVIATIONS, word_set

__all__ = ["Token", "clean", "distance_within", "fold", "normal_form", "same_word", "stem", "tokens"]

READ_LIMIT = 4_000
"""Characters of a message that are read: nobody says in words 5,000 what they meant, and time stays bounded."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TOKEN = re.compile(r"e-mails?\b|[^\W_]+(?:['’`´][^\W_]+)*")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_BREAK = re.compile(r"[,.;:!?\n()\"“”]| - | – ")


class _BaseLetters(dict[int, str]):
    """Maps a code point to its letter without accent and case; always one character, so offsets stay."""

    def __missing__(self, code: int) -> str:
        decomposed = unicodedata.normalize("NFD", chr(code))[0]
        lowered = decomposed.lower()
        self[code] = lowered if len(lowered) == 1 else decomposed
        return self[code]


_BASE = _BaseLetters()


def clean(text: str) -> str:
    """The part of a text that is read, composed, control characters as spaces."""
    return unicodedata.normalize("NFC", _CONTROL.sub(" ", text[:READ_LIMIT]))


def fold(text: str) -> str:
    """Lower case without accents, of the same length: a span found in it can be cut out of the original."""
    return text.translate(_BASE)


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text: what it reads as (abbreviations written out) and where it stands."""

    word: str
    start: int
    end: int
    after_break: bool


def _expanded(raw: str) -> str:
    known = ABBREVIATIONS.get(raw)
    if known is not None or (raw.isalnum() and not _STRETCHED.search(raw)):
        return known or raw
    word = _STRETCHED.sub(r"\1", raw).replace("’", "'").replace("`", "'").replace("´", "'")
    return ABBREVIATIONS.get(word) or ABBREVIATIONS.get(word.replace("'", "")) or word.replace("'", "").replace("-", "")


def tokens(folded: str) -> tuple[Token, ...]:
    """The words of a folded text; `after_break` when punctuation parts a word from the one before."""
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(folded):
        gap = folded[end : match.start()]
        found.append(Token(_expanded(match[0]), match.start(), match.end(), bool(found and _BREAK.search(gap))))
        end = match.end()
    return tuple(found)


def normal_form(words: tuple[Token, ...]) -> str:
    """The words written out with single spaces, a comma standing for any punctuation: what cues are matched on."""
    return " ".join(f", {token.word}" if token.after_break else token.word for token in words)


# One list for both languages: the language of a short text is not known for sure, and an overlap needs no real roots.
_ENDINGS = tuple(
    sorted(
        word_set(
            "amentos imentos amento imento acoes icoes acao icao mente ments ment ations ation ando endo indo aram "
            "eram iram aria eria iria avam ados adas idos idas ado ada ido ida ava ing ies ied ou ei iu eu ar er ir "
            "am em as es os is ed ly a e o s y i oes ao ais al eis el inhos inhas amos emos imos inho inha zinho zinha"
        ),
        key=lambda ending: (-len(ending), ending),
    )
)
_SHORTEST_STEM = 3


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The word without one common Portuguese or English ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=8192)
def distance_within(left: str, right: str, limit: int) -> bool:
    """Whether at most `limit` insertions, deletions, changes or swaps of neighbours make one the other."""
    if abs(len(left) - len(right)) > limit:
        return False
    before: list[int] = []
    last = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        row = [i]
        for j, other in enumerate(right, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return False
        before, last = last, row
    return last[-1] <= limit


def same_word(left: str, right: str) -> bool:
    """Equal but for a slip of the finger: one in words of five letters, two from nine; short words must be exact."""
    if left == right:
        return True
    shorter = min(len(left), len(right))
    if shorter < 5 or left[0] != right[0] or left.isdigit() or right.isdigit():
        return False
    return distance_within(left, right, 2 if shorter >= 9 else 1)
