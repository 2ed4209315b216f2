"""The customer's message, read once: its words, sentences, topics, and which of them were turned down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from falai_engine.providers.offline.concepts import concepts, topic_weights
from falai_engine.providers.offline.lexicon import DESCRIBING, GENERIC, INTERJECTIONS, STOP
from falai_engine.providers.offline.words import Token, clean, fold, normal_form, tokens

__all__ = ["Message", "Sentence"]

_SENTENCE = re.compile(r"[^.!?;\n]*(?:(?:\.(?=\S)|;(?=\S))[^.!?;\n]*)*[.!?;\n]*")
_ASKING_START = re.compile(
    rf"(?:(?:e|mas|oi|ola|and|but|hi|hey|hello|bom dia|boa tarde|boa noite|{'|'.join(sorted(INTERJECTIONS))}) (?:, )?)*"
    r"(?:qual|quais|quanto|"
    r"quanta|quantos|quantas|quando|onde|como|por que|o que|quem|sera que|tem como|da para|voces? (?:tem|fazem|faz|"
    r"atende|atendem|aceitam?|entregam?|trabalham?|vendem?|podem?)|what|how (?!about you)|when|where|why|who|which|"
    r"can (?:you|i|we)|could (?:you|i|we)|do (?:you|i|we)|does|are you|is (?:it|there|this|that)|would you|will you|"
    r"have you)\b"
)
_WANTING = re.compile(
    r"\b(?:quero|queria|queriamos|queremos|gostaria|gostariamos|preciso|precisamos|pode me|podem me|me (?:passa|"
    r"passe|manda|mande|envia|ajuda|explica|fala|diz)|i (?:do )?(?:want|need)|i would (?:like|love)|want to|need "
    r"(?:to|help|an?)|looking for|tell me|send me|give me|help me|vim (?:saber|ver|pedir)|to precisando|estou "
    r"precisando|to querendo|procuro|procurando)\b"
)
_TURNED_DOWN = re.compile(
    r"\b(?:nao (?:quero|queria|preciso|precisamos|desejo|e|era|foi|(?:estou|to|tenho) interess\w+)|do not (?:want|"
    r"need)|not (?:a|an|the|for|about|interested in|looking for)|no need for|instead of|em vez de)((?: (?!mas\b|"
    r"but\b|mais\b)[^\s,]+){1,4})"
)
"""What follows these is named, not wanted."""

_ASIDE = re.compile(
    r"(?:antes(?: disso)?|primeiro|so uma coisa|uma (?:coisa|duvida|pergunta)|outra coisa|alias|ah|por falar nisso|"
    r"first|before that|by the way|btw|one thing|quick question|another thing|also|actually)"
)
_WANTS_TO_KNOW = re.compile(
    r"(?:(?:e|mas|ah|oi|ola|and|but|so|hi|hey|ok|certo|beleza) (?:, )?)*(?:(?:a |em |in |at |de )?(?:qual|quais|que|"
    r"what|which)(?: \w+){0,2} (?:horarios?|horas?|vagas?|dias?|times?|hours|slots?|days?|opcoes|options)\b|"
    r"o que (?:voces? )?(?:tem|ha)\b|(?:quais|qual|quant[oa]s?|how (?:much|many)|what|which|when|quando)\b|"
    r"(?:voces? )?(?:tem|teria|ha|existe|atendem?|abrem?)\b|(?:do|are|have|is) (?:you|there)\b|(?:n[ao]|em|on|at) \w+)"
)
"""Opens a question that wants an answer before anything is chosen; "e na sexta?" is one as well."""
_INQUIRIES = frozenset(("#price", "#how", "#place", "#opening"))
_NEGATION = re.compile(
    r"\b(?:nao|nunca|nem|jamais|not|never|sem|without)((?: (?!mas\b|but\b|so\b|only\b)[^\s,]+){1,4})"
)


class Sentence:
    """A part of the message up to its full stop, with its span in the text."""

    __slots__ = ("end", "is_question", "start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.end = start + len(text)
        self.is_question = "?" in text or is_asking(fold(text))


def is_asking(folded: str) -> bool:
    """Whether a folded text opens like a question, with or without its mark."""
    return bool(_ASKING_START.match(normal_form(tokens(folded))))


class Message:
    """A customer's text and what can be seen of it at once; everything derived is made at most once."""

    def __init__(
        self, text: str, meant: frozenset[str] = frozenset(), background: frozenset[str] = frozenset()
    ) -> None:
        """`meant`: concepts that its words stand for beside their own, as a value does for its field.

        `background`: concepts that say little here, because most of what it is compared with names them.
        """
        self.meant = meant
        self.background = background
        self.text = clean(text)
        self.folded = fold(self.text)
        self.tokens: tuple[Token, ...] = tokens(self.folded)
        self.normal = normal_form(self.tokens)

    @cached_property
    def said(self) -> frozenset[str]:
        """Every concept in it, plain words too, but those that were turned down."""
        refused = [match.span(1) for match in _TURNED_DOWN.finditer(self.normal)]
        own = (c for c, _, at in concepts(self.normal) if not any(start <= at < end for start, end in refused))
        return self.meant.union(own)

    @cached_property
    def negated(self) -> frozenset[str]:
        """Concepts that a free "não", "not" stands shortly before: "não chegou a proposta" denies the arrival."""
        spans = [match.span(1) for match in _NEGATION.finditer(self.normal)]
        return frozenset(c for c, _, at in concepts(self.normal) if any(start <= at < end for start, end in spans))

    @cached_property
    def topics(self) -> dict[str, float]:
        """Its concepts with their weight."""
        return topic_weights(self.normal)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences in order, blank ones left out."""
        return tuple(
            Sentence(match[0], match.start()) for match in _SENTENCE.finditer(self.text) if match[0].strip(" .!?;\n")
        )

    @cached_property
    def is_question(self) -> bool:
        """Something in it is asked."""
        return any(sentence.is_question for sentence in self.sentences)

    @cached_property
    def wants_to_know(self) -> bool:
        """It opens with a question about what there is: "quais horários têm na quarta?", not "pode ser quarta?"."""
        return self.is_question and bool(_WANTS_TO_KNOW.match(self.normal))

    @cached_property
    def inquiries(self) -> frozenset[str]:
        """What a question wants to know of whatever it is about: the price, the address, how it works."""
        asking = self.is_question and not _WANTING.search(self.normal)
        return frozenset(_INQUIRIES.intersection(self.topics)) if asking else frozenset()

    @cached_property
    def is_request(self) -> bool:
        """It wants something of us, not only answers."""
        return self.is_question or bool(_WANTING.search(self.normal))

    @cached_property
    def names_topic(self) -> bool:
        """Something is named beyond politeness and plain words: "oi, tudo bem?" names nothing."""
        return any(c not in STOP and c not in DESCRIBING and c not in GENERIC for c in self.topics)

    def has_word(self, words: frozenset[str]) -> bool:
        """Whether one of these words is in it."""
        return any(token.word in words for token in self.tokens)

    def statements(self) -> Iterator[tuple[int, int]]:
        """Spans of what it states: sentences that are no questions, and what stands before the question in one."""
        for sentence in self.sentences:
            if not sentence.is_question:
                yield sentence.start, sentence.end
                continue
            yield from self._before_question(sentence)

    def _before_question(self, sentence: Sentence) -> Iterator[tuple[int, int]]:
        at = sentence.start
        for part in sentence.text.split(",")[:-1]:
            folded = fold(part)
            if is_asking(folded):
                return
            if not _ASIDE.fullmatch(folded.strip()):
                yield at, at + len(part)
            at += len(part) + 1
