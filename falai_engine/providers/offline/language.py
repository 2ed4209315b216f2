"""Portuguese or English: by the locale, else by the little words of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from falai_engine.providers.offline.lexicon import word_set
from falai_engine.providers.offline.words import clean, fold, tokens

__all__ = ["Language", "language_of", "spoken_in"]

Language = Literal["pt", "en"]

_PORTUGUESE = word_set(
    "oi ola bom boa dia tarde noite nao sim o os uma um que de da do das dos em na para por com eu voce voces meu "
    "minha sou somos e quero queria preciso qual quanto como quando onde obrigado tudo isso esta tenho temos aqui se "
    "mas muito pergunte peca seu sua nome empresa cliente responda diga confirme valeu beleza ajuda preco falar mais "
    "ainda ja foi ser ao nos"
)
_ENGLISH = word_set(
    "hi hello hey the an is are am i you we they my your our of to for and what how when where do does have has can "
    "could would want need please thanks thank not yes it this that with from in on at ask name company tell get "
    "help price customer about if whether"
)
_DEFAULT: Language = "pt"


def language_of(locale: str | None, *texts: str | None) -> Language:
    """The language of a locale ("pt-BR", "en_US"); without one, of the first text that shows it; else Portuguese."""
    tag = (locale or "").strip().lower()
    if tag.startswith("pt"):
        return "pt"
    if tag.startswith("en"):
        return "en"
    return next((found for text in texts if text and (found := spoken_in(text))), _DEFAULT)


def spoken_in(text: str) -> Language | None:
    """The language of a text, None when it shows none."""
    words = [token.word for token in tokens(fold(clean(text)))]
    portuguese, english = _count(words, _PORTUGUESE), _count(words, _ENGLISH)
    if portuguese == english:
        return None
    return "pt" if portuguese > english else "en"


def _count(words: Iterable[str], known: frozenset[str]) -> int:
    return sum(part in known for word in words for part in word.split())
