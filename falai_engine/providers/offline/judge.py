"""How well a message fits an author's phrase: literal words, topics, common intents, comparisons of numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from falai_engine.providers.offline.answers import yes_or_no
from falai_engine.providers.offline.concepts import GENERIC_WEIGHT, concepts, covers, topic_weights
from falai_engine.providers.offline.intents import INTENTS, shows
from falai_engine.providers.offline.lexicon import DESCRIBING, GENERIC, STOP, word_set
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.numbers import numbers_in
from falai_engine.providers.offline.words import clean, fold, normal_form, tokens

__all__ = ["HOLDS", "background", "best_fit", "fit", "topic_fit", "topics_of"]

HOLDS = 60
"""From here on a phrase counts as said."""

_COMPARISON = re.compile(
    r"\b(?P<more>mais (?:de|do que|que)|acima de|maior (?:que|do que)|superior a|a partir de|pelo menos|no minimo|"
    r"more than|over|above|greater than|at least)|\b(?P<less>menos (?:de|do que|que)|abaixo de|menor (?:que|do que)|"
    r"inferior a|no maximo|less than|under|below|fewer than|at most)"
)
_NEGATIVE = re.compile(r"\b(?:nao|nunca|sem|nem|not|never|without|no longer)\b")
_ATTITUDES = word_set("gives_up opt_out declines unsure agrees denies complains frustrated expensive later corrects")
"""Intents that say how the customer takes a topic: naming the topic alone does not show them."""
_REACTIONS = frozenset(("agrees", "denies", "gives_up", "declines", "unsure", "later", "solved"))
"""These react to what was just asked, so the customer need not say to what."""
_UNSHOWN = 35.0
_ALTERNATIVE = re.compile(r"\s+(?:ou|or|/)\s+")
_DETERMINED = re.compile(r"(?:o|a|os|as|um|uma|seu|sua|the|their|his|her|an|your) \S")
_HEAD = re.compile(r".*?\S (?=(?:o|a|os|as|um|uma|seu|sua|the|their|his|her|an|your) \S)")
"""What stands before the first article of a phrase, which its alternatives share."""
_INCLUSIVE = ("a partir de", "pelo menos", "no minimo", "no maximo", "at least", "at most")


@dataclass(frozen=True, slots=True)
class Phrase:
    """An author's phrase, read once: its topics, the intents it describes each with the topics left over."""

    normal: str
    weights: dict[str, float]
    intents: tuple[tuple[str, tuple[str, ...]], ...]
    comparison: tuple[bool, bool, float] | None
    literal: re.Pattern[str] | None
    negative: bool


@lru_cache(maxsize=4096)
def _phrase(text: str) -> Phrase:
    folded = fold(clean(text))
    words = tokens(folded)
    normal = normal_form(words)
    return Phrase(
        normal,
        topic_weights(normal),
        tuple(_described(normal)),
        _comparison(normal, folded),
        _literal(normal),
        bool(_NEGATIVE.search(normal)),
    )


@lru_cache(maxsize=4096)
def topics_of(text: str) -> frozenset[str]:
    """Every concept that an author's text names."""
    return frozenset(concept for concept, _, _ in concepts(normal_form(tokens(fold(clean(text))))))


def _literal(normal: str) -> re.Pattern[str] | None:
    return re.compile(rf"(?<!\S){re.escape(normal)}(?!\S)") if normal else None


def _described(normal: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    matches = {name: match for name, intent in INTENTS.items() if (match := intent.described.search(normal))}
    for name, match in matches.items():
        narrower = name == "gives_up" and ("declines" in matches or "opt_out" in matches or _is_of_bots(match, matches))
        if not narrower and not (name in ("agrees", "denies") and _is_negation_of_more(match, normal)):
            yield name, tuple(_left_over(normal[: match.start()] + " " + normal[match.end() :]))


def _is_of_bots(match: re.Match[str], matches: Mapping[str, re.Match[str]]) -> bool:
    """Whether what is not wanted is a bot: "does not want to talk to a bot" wants a person, and does not give up."""
    human = matches.get("human")
    return human is not None and human.start() <= match.start() < human.end()


def _is_negation_of_more(match: re.Match[str], normal: str) -> bool:
    """A lone "não" or "yes" inside a longer phrase ("não recebeu o boleto") is no answer that is described."""
    return match[0] in ("nao", "no", "sim", "yes") and match[0] != normal


def _left_over(rest: str) -> Iterable[str]:
    return (c for c in topic_weights(rest) if c not in STOP and c not in DESCRIBING and c not in GENERIC)


def _comparison(normal: str, folded: str) -> tuple[bool, bool, float] | None:
    match = _COMPARISON.search(normal)
    found = numbers_in(folded)
    if match is None or not found:
        return None
    return match.lastgroup == "more", match[0] in _INCLUSIVE, found[-1].value


def fit(text: str, message: Message, context: frozenset[str] = frozenset(), *, truth: bool = False) -> float:
    """0 to 100; of alternatives ("recusa ou desiste") the best.

    `context`: topics that are on the table (what was asked), which the customer need not name again.
    `truth`: the phrase is to hold, not only to be what the message is about, so what the message denies does not count.
    """
    return max(_fit_one(_phrase(part), message, context, truth) for part in _alternatives(text))


@lru_cache(maxsize=4096)
def _alternatives(text: str) -> tuple[str, ...]:
    """The alternatives of a phrase; "quer corrigir o nome ou a empresa" wants to correct the company, too."""
    first, *others = _ALTERNATIVE.split(text)
    head = _HEAD.match(fold(first))
    if head is None or not any(name in _ATTITUDES for name, _ in _phrase(first).intents):
        return first, *others
    shared = first[: head.end()]
    return first, *(shared + other if _DETERMINED.match(fold(other)) else other for other in others)


def _fit_one(phrase: Phrase, message: Message, context: frozenset[str], truth: bool) -> float:
    if not phrase.normal or not message.normal:
        return 0.0
    if phrase.normal == message.normal:
        return 100.0
    if phrase.comparison is not None:
        return 90.0 if _compares(phrase.comparison, message) else 0.0
    by_words = max(_literal_fit(phrase, message), _topic_fit(phrase.weights, message))
    if _is_unshown(phrase, message) or (truth and _is_denied(phrase, message)):
        by_words = min(by_words, _UNSHOWN)
    return max(by_words, _intent_fit(phrase, message, context))


def _is_unshown(phrase: Phrase, message: Message) -> bool:
    """Naming the topic is not enough: the phrase takes an attitude to it, wants a person, or denies something."""
    if phrase.negative and not _NEGATIVE.search(message.normal):
        return True
    return any(name == "human" or (rest and name in _ATTITUDES) for name, rest in phrase.intents)


def _is_denied(phrase: Phrase, message: Message) -> bool:
    return not phrase.negative and any(
        concept in message.negated for concept, weight in phrase.weights.items() if weight >= 1
    )


def best_fit(texts: Iterable[str], message: Message, context: frozenset[str] = frozenset()) -> float:
    """The best fit among several phrases, 0 without any."""
    return max((fit(text, message, context) for text in texts), default=0.0)


def _compares(comparison: tuple[bool, bool, float], message: Message) -> bool:
    more, inclusive, bound = comparison
    said = numbers_in(message.folded)
    if len(said) != 1 or said[0].weak:
        return False
    value = said[0].value
    return (value == bound and inclusive) or (value > bound if more else value < bound)


def _literal_fit(phrase: Phrase, message: Message) -> float:
    """The phrase word for word inside the message, when it has a topic to it."""
    telling = any(concept not in STOP and concept not in DESCRIBING for concept in phrase.weights)
    if phrase.literal is None or not phrase.literal.search(message.normal) or not telling:
        return 0.0
    return 95.0 if all(covers(message.said, concept) for concept in phrase.weights) else 30.0


def topic_fit(text: str, message: Message) -> float:
    """The fit of topics alone: for a title, which describes nothing that a customer does."""
    return _topic_fit(_phrase(text).weights, message)


def background(flows: Sequence[Sequence[str]]) -> frozenset[str]:
    """Topics that most of several flows name, each flow given by its phrases: they tell one from another no more."""
    counts = Counter(concept for phrases in flows for concept in {c for text in phrases for c in _phrase(text).weights})
    return frozenset(concept for concept, count in counts.items() if len(flows) >= 3 and count > len(flows) / 2)


def _topic_fit(weights: dict[str, float], message: Message) -> float:
    weights = {c: min(w, GENERIC_WEIGHT) if c in message.background else w for c, w in weights.items()}
    total = sum(weights.values())
    matched = sum(weight for concept, weight in weights.items() if covers(message.said, concept))
    if not total or not matched:
        return 0.0
    score = _scaled(matched / total, _explained(weights, message))
    elsewhere = matched < total and message.inquiries and not message.inquiries & weights.keys()
    return min(score, _UNSHOWN) if elsewhere else score


def _explained(weights: dict[str, float], message: Message) -> float:
    """Which part of what the message is about the phrase accounts for."""
    total = sum(message.topics.values())
    said = frozenset(weights)
    return sum(w for concept, w in message.topics.items() if covers(said, concept)) / total if total else 0.0


def _scaled(coverage: float, explained: float) -> float:
    """Whole phrase: 85 and up; three quarters of it: 75; a half: about 50, taken when nobody asks; less: below 40."""
    if coverage >= 0.99:
        return 85.0 + 13.0 * explained
    if coverage >= 0.7:
        return 70.0 + 15.0 * (coverage - 0.7) / 0.3 + 5.0 * explained
    if coverage >= 0.45:
        return 44.0 + 80.0 * (coverage - 0.45) + 5.0 * explained
    return 75.0 * coverage


def _intent_fit(phrase: Phrase, message: Message, context: frozenset[str]) -> float:
    best = 0.0
    for name, rest in phrase.intents:
        if not _is_shown(name, message) and not (name == "corrects" and _tells_anew(rest, message)):
            continue
        given = context if name != "corrects" else frozenset[str]()  # what is corrected must be said
        missing = sum(not covers(message.said, concept) and not covers(given, concept) for concept in rest)
        cost = 0.5 if name in _REACTIONS else 1.0
        best = max(best, INTENTS[name].strength * (1 - cost * missing / (len(rest) + 1)))
    return best


def _tells_anew(rest: Sequence[str], message: Message) -> bool:
    """Whoever tells once more what is to be corrected corrects it: "somos 40 funcionários"."""
    told = bool(rest) and all(covers(message.meant, concept) for concept in rest)
    return told and not message.is_question and yes_or_no(message) is not True


def _is_shown(name: str, message: Message) -> bool:
    if name in ("agrees", "denies"):
        return yes_or_no(message) is (name == "agrees")
    if name == "doubt" and message.is_question:
        return True
    if name == "frustrated" and _shouts(message.text):
        return True
    return shows(message, name)


def _shouts(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return "!!!" in text or (len(letters) >= 12 and sum(map(str.isupper, letters)) > 0.8 * len(letters))
