"""Which value of an enum is meant: its own words, its place in the list, or the range a number falls into."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import Any

from falai_engine.providers.offline.answers import yes_or_no
from falai_engine.providers.offline.concepts import concepts, covers
from falai_engine.providers.offline.lexicon import STOP
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.numbers import Number, numbers_in
from falai_engine.providers.offline.words import clean, fold, normal_form, same_word, tokens

__all__ = ["are_ranges", "named_choice", "range_choice"]

_OPEN_UP = re.compile(
    r"\d\s*\+|\b(?:mais de|acima de|maior que|a partir de|over|above|more than|from)\b|>|\bou mais\b|\bor more\b|\be "
    r"acima\b"
)
_OPEN_DOWN = re.compile(
    r"\b(?:ate|menos de|abaixo de|menor que|up to|under|below|less than)\b|<|\bou menos\b|\bor less\b"
)
_SAID_OVER = re.compile(r"(?:mais de|acima de|passa(?:mos)? de|superior a|more than|over|above)\s*(?:r\$\s*)?$")
_SAID_UNDER = re.compile(r"(?:menos de|abaixo de|quase|less than|under|fewer than|almost)\s*(?:r\$\s*)?$")
_BETWEEN = re.compile(r"\s*(?:a|e|ate|to|and|ou|or|-|–)\s*(?:r\$\s*)?")
_ORDINALS = (
    "primeir[oa]|first|1[ao]?|a",
    "segund[oa]|second|2[ao]?|b",
    "terceir[oa]|third|3[ao]?|c",
    "quart[oa]|fourth|4[ao]?|d",
    "quint[oa]|fifth|5[ao]?|e",
)
_LAST = re.compile(r"(?:a |o |the )?(?:ultim[oa]|last)(?: opcao| one| option)?")
_YES_NO = {"sim": True, "yes": True, "nao": False, "no": False, "true": True, "false": False}


@lru_cache(maxsize=1024)
def _range(option: str) -> tuple[float, float] | None:
    folded = fold(clean(option))
    found = [number.value for number in numbers_in(folded) if not number.weak]
    if len(found) == 2 and found[0] <= found[1]:
        return found[0], found[1]
    if len(found) == 1 and _OPEN_UP.search(folded):
        return found[0], inf
    if len(found) == 1 and _OPEN_DOWN.search(folded):
        return -inf, found[0]
    return (found[0], found[0]) if len(found) == 1 and re.match(r"[\d.,]+\s", folded + " ") else None


def _ranges(options: Sequence[Any]) -> list[tuple[Any, float, float]]:
    parsed = ((option, _range(option)) for option in options if isinstance(option, str))
    return [(option, span[0], span[1]) for option, span in parsed if span is not None]


def are_ranges(options: Sequence[Any]) -> bool:
    """Whether numbers are to be sorted into these options: at least two are ranges."""
    return sum(low != high for _, low, high in _ranges(options)) >= 2


def range_choice(options: Sequence[Any], numbers: Sequence[Number], folded: str) -> tuple[Any, int, int] | None:
    """The option a number of the message falls into, with the span of that number; None when none does."""
    if not numbers:
        return None
    first = numbers[0]
    value, end = first.value, first.end
    if len(numbers) > 1 and _BETWEEN.fullmatch(folded[first.end : numbers[1].start]):
        value, end = (first.value + numbers[1].value) / 2, numbers[1].end
    elif _SAID_OVER.search(folded[max(0, first.start - 20) : first.start]) or folded[end : end + 1] == "+":
        value += 0.5
    elif _SAID_UNDER.search(folded[max(0, first.start - 20) : first.start]):
        value -= 0.5
    ranges = _ranges(options)
    within = [option for option, low, high in ranges if low <= value <= high]
    rounded = [option for option, low, high in ranges if low <= round(value + 0.001) <= high]
    chosen = (within or rounded)[:1]
    return (chosen[0], first.start, end) if chosen else None


def named_choice(options: Sequence[Any], message: Message, asked: bool) -> Any | None:
    """The option that the message names. Of several none, unless one holds the others ("200+" and "200")."""
    texts = [(option, _normal(str(option))) for option in options]
    if {text for _, text in texts} <= set(_YES_NO) or sum(text in _YES_NO for _, text in texts) >= 2:
        return _yes_no_choice(texts, message) if asked else None
    named = _most_telling([(option, text) for option, text in texts if text and _is_named(text, message)])
    if len(named) == 1 or not asked:
        return named[0][0] if len(named) == 1 else None
    if named:
        return None
    return _by_place(options, message) or _by_topic(texts, message)


def _normal(text: str) -> str:
    return normal_form(tokens(fold(clean(text)))).replace(" ,", "")


def _yes_no_choice(texts: Sequence[tuple[Any, str]], message: Message) -> Any | None:
    answer = yes_or_no(message)
    for option, text in texts:
        if text not in _YES_NO and text and _is_named(text, message):
            return option
    return next((option for option, text in texts if answer is not None and _YES_NO.get(text) is answer), None)


_BETWEEN_WORDS = 2
_NOT_THIS = re.compile(
    r"(?:^|\s)(?:nao(?: \S+){0,2}|not(?: \S+){0,2}|nem(?: \S+)?|menos|except|exceto|sem|desde(?: [oa])?|since)$"
)


def _is_named(text: str, message: Message) -> bool:
    """Its words in order, near each other, a slip of the finger forgiven, and not turned down right before."""
    words = text.split()
    said = message.normal.split()
    for at in range(len(said) - len(words) + 1):
        if _stand_from(words, said, at):
            before = " ".join(said[max(0, at - 3) : at]).rpartition(",")[2]
            if not _NOT_THIS.search(before) or "so" in before.split():
                return True
    return False


def _stand_from(words: Sequence[str], said: Sequence[str], at: int) -> bool:
    """Whether the words follow from a place on, with at most two others between: "build some muscle"."""
    if not _is_word(words[0], said[at]):
        return False
    for word in words[1:]:
        near = range(at + 1, min(at + 2 + _BETWEEN_WORDS, len(said)))
        found = next((i for i in near if _is_word(word, said[i])), None)
        if found is None:
            return False
        at = found
    return True


def _is_word(word: str, said: str) -> bool:
    return (
        word == said
        or same_word(word, said)
        or (len(word) > 3 and said in (word + "s", word + "es", word[:-1] + "a", word[:-1] + "o"))
    )


def _most_telling(named: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    return [
        (option, text)
        for option, text in named
        if not any(other != text and f" {text} " in f" {other} " for _, other in named)
    ]


def _by_place(options: Sequence[Any], message: Message) -> Any | None:
    """By place, "a primeira", "opção 2", "the last one"; a bare figure only when the options are no numbers."""
    said = message.normal
    for option, words in zip(options, _ORDINALS, strict=False):
        if re.fullmatch(
            r"(?:(?:e|fico com|quero|prefiro|pode ser|it is|i pick|i want) )?(?:a |o |the )?(?:opcao |option |"
            rf"numero |number |letra |letter )?(?:{words})(?: opcao| one| option)?",
            said,
        ):
            return (
                None
                if re.fullmatch(r"\d+", said) and any(re.search(r"\d", str(other)) for other in options)
                else option
            )
    return options[-1] if options and _LAST.fullmatch(said) else None


def _by_topic(texts: Sequence[tuple[Any, str]], message: Message) -> Any | None:
    """The one option whose every topic the message touches, else the one that it touches most."""
    scores = [(_touched(text, message), option) for option, text in texts]
    best = max(scores, key=lambda score: score[0], default=(0.0, None))
    rivals = sum(score == best[0] for score, _ in scores)
    return best[1] if best[0] >= 0.5 and rivals == 1 else None


def _touched(text: str, message: Message) -> float:
    about = [concept for concept, _, _ in concepts(text) if concept not in STOP]
    return sum(covers(message.said, concept) for concept in about) / len(about) if about else 0.0
