"""A plain answer as the value itself: what is left of a message when greetings, fillers and other values are cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from falai_engine.providers.offline.contacts import SHAPES
from falai_engine.providers.offline.known_names import BUSINESSES, NOT_NAMES
from falai_engine.providers.offline.lexicon import INTERJECTIONS, word_set
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.people import as_company, as_name, looks_like_name
from falai_engine.providers.offline.roles import Wanted
from falai_engine.providers.offline.words import fold, tokens

__all__ = ["has_substance", "whole_answers"]

_FILLER = re.compile(
    r"(?:(?:oi+e?|ola|opa|bom dia|boa tarde|boa noite|hi|hello|hey|good (?:morning|afternoon|evening)|ah|eh|hm+|ok|"
    r"okay|claro|certo|sim|beleza|entao|olha|sure|yes|well|so|tudo bem|tudo bom|prazer|obrigad[oa]|valeu|"
    r"thanks|thank you|por favor|please|of course)[\s,.!:-]+|"
    rf"(?:{'|'.join(sorted(INTERJECTIONS, key=len, reverse=True))}|ta (?:bom|bem|certo|ok))\s?[,.!:-]+\s?)+"
)
_LEAD = re.compile(
    r"(?:(?:eu )?acho que (?:e |eh )?|acredito que (?:e |eh )?|seria |sera |pode (?:colocar|anotar|por|ser|botar) "
    r"(?:ai )?|coloca (?:ai )?|anota (?:ai )?|bota (?:ai )?|e |eh |it['’]?s |it is |that would be |that['’]s |i "
    r"think (?:it['’]s )?|i guess |just put |put |e e |meu |minha |my )+"
)
_NAME_LEAD = re.compile(
    r"(?:(?:meu |my )?(?:nome|name) (?:e |eh |is )?|sou |eu sou |i['’]?m |i am |me chamo |aqui e |this is |me chama "
    r"de )?(?:[oa] (?=\w))?"
)
_COMPANY_LEAD = re.compile(
    r"(?:(?:a |minha |nossa |my |our |the )?(?:empresa|company|loja|firma)(?: (?:se )?chama(?:-se)?| e| eh| is(?: "
    r"called)?)? |chama(?:-se)? |se chama |(?:sou |somos |trabalho |aqui e )?(?:d|n)[oa] |trabalho (?:em|para) |from "
    r"|at |i work (?:at|for) |it['’]s called |called )?(?:(?:[oa]|the) (?=\w))?"
)
_PLACE_LEAD = re.compile(
    r"(?:(?:sou|moro|vivo|fico|estou|aqui|ficamos|estamos|i live|i am|i['’]m|we are) )?(?:(?:de|em|no|na|do|da|in|"
    r"from) )?"
)
_JOB_LEAD = re.compile(
    r"(?:(?:eu )?(?:sou|trabalho como|atuo como|i['’]?m|i am|i work as) )?(?:(?:o|a|um|uma|an|the) )?"
)
_TAIL = re.compile(
    r"\s(?:obrigad[oa]|valeu|por favor|please|thanks|thank you|de preferencia|se possivel|if possible|aqui|ta|ok|viu|"
    r"ne|mesmo|sim)$"
)
_WORD = re.compile(r"[^\W_]+")
_LOOSE = " ,.;:!\n-\"'“”"
_POLITE = re.compile(r"\b(?:bom dia|boa tarde|boa noite|tudo bem|tudo bom|good (?:morning|afternoon|evening))\b")
_LAUGH = re.compile(r"k+|(?:rs)+|(?:ha|he)+h?|hm+|oi+e?|asdf\w*")
_AMOUNTS = word_set(
    "uns umas cerca quase ate entre pouco pouca poucos poucas muito muita muitos bastante mais menos apenas somente so "
    "about around almost between little few some many much only just up over under enquanto mesmo ou or por"
)
"""What stands by a number and says how exact or how much it is."""
_EMPTY = INTERJECTIONS.union(
    _AMOUNTS,
    word_set(
        "e and com with a o as os de da do na no the of at from ola opa hi hello hey td bem blz beleza obrigado "
        "obrigada obg valeu vlw thanks thank you ok okay lol sim nao yes claro certo somos temos tenho sou mas but meu "
        "minha my is eh entao ah test teste pessoa pessoas people ai eai salve alo wait espera pera nada none nothing "
        "we are have i am"
    ),
)
"""Words that are no answer to "what is it?", alone or together."""
_BETWEEN_PARTS = re.compile(r",(?!\d)|[;\n]|\s-\s|\s/\s")
_LONGEST_TAIL = 20
_TEXT_LIMIT = 500
_SHORT_WORDS = {"name": 5, "company": 6, "place": 6, "job": 7, "date": 7, "time": 7, "when": 8, "competitor": 6}
_SHAPED = frozenset(("email", "phone", "url", "cpf", "cnpj", "zip", "excerpt"))
_LEADS = {"name": _NAME_LEAD, "company": _COMPANY_LEAD, "place": _PLACE_LEAD, "job": _JOB_LEAD}


def whole_answers(
    message: Message, asked: Sequence[Wanted], taken: Sequence[tuple[int, int]], others_found: bool
) -> Iterator[tuple[Wanted, str]]:
    """(field, value) for the text fields that were asked for and are still open.

    One field gets the whole; several get one part each when there are as many parts, or the first alone when it fits.
    """
    rest = _remaining(message, taken)
    if not rest or (others_found and not has_substance(rest)):
        return
    parts = [rest] if len(asked) == 1 else [part for part in _BETWEEN_PARTS.split(rest) if has_substance(part)]
    if len(asked) > 1 and len(parts) == 1:
        asked = asked[:1] if _fits_first(asked[0], parts[0]) else _of_business(asked, parts[0])
    if len(parts) != len(asked):
        return
    for item, part in zip(asked, parts, strict=True):
        value = _value(item, part, alone=len(asked) == 1 and not others_found)
        if value:
            yield item, value


def _remaining(message: Message, taken: Sequence[tuple[int, int]]) -> str:
    """The statements of the message without the parts that gave other values."""
    pieces: list[str] = []
    for start, end in message.statements():
        at = start
        for left, right in sorted(taken):
            if right > at and left < end:
                pieces.append(message.text[at : max(at, left)])
                at = max(at, right)
        pieces.append(message.text[at:end] if at < end else "")
    return "".join(pieces).strip()


def has_substance(text: str) -> bool:
    """Whether a text has a word that may be an answer."""
    words = _WORD.findall(_POLITE.sub(" ", fold(text)))
    return any(word not in _EMPTY and not _LAUGH.fullmatch(word) for word in words)


def _fits_first(item: Wanted, part: str) -> bool:
    """A lone part for several fields is the name when it looks like one, else nobody's."""
    return item.role == "name" and looks_like_name(_trimmed(part, _NAME_LEAD))


def _of_business(asked: Sequence[Wanted], part: str) -> Sequence[Wanted]:
    """A trade that is told alone ("padaria") is for the one field beside the name."""
    others = [item for item in asked if item.role != "name"]
    words = fold(part).split()
    told = len(words) <= _SHORT_WORDS["company"] and any(word.strip(_LOOSE) in BUSINESSES for word in words)
    return others if told and len(others) == 1 and others[0].role in ("text", "company") else []


def _trimmed(text: str, lead: re.Pattern[str] | None) -> str:
    text = text.strip(_LOOSE)
    for pattern in (_FILLER, _LEAD, lead):
        match = pattern.match(fold(text)) if pattern is not None else None
        if match is not None and match.end() < len(text):
            text = text[match.end() :].strip()
    tail = _TAIL.search(fold(text[-_LONGEST_TAIL:]))
    return (text[: -len(tail[0])] if tail else text).strip(_LOOSE)


def _value(item: Wanted, text: str, alone: bool) -> str | None:
    if item.role in _SHAPED or not has_substance(text):
        return None
    if item.role == "text":
        return _text_value(text, alone)
    value = _trimmed(text, _LEADS.get(item.role))
    if item.role == "time" and SHAPES["date"].fullmatch(fold(value)):
        return None
    if not value or len(value.split()) > _SHORT_WORDS.get(item.role, 12) or not _is_short_answer(value, item):
        return None
    if not alone and not any(letter.isalpha() for letter in value):
        return None  # a number left over of others
    if item.role == "name":
        return as_name(value) if looks_like_name(value) else None
    return as_company(value) if item.role in ("company", "place") else value


_SENTENCE_WORDS = word_set(
    "quero queria preciso gostaria posso pode want need would can could porque because why how como"
)


def _is_short_answer(value: str, item: Wanted) -> bool:
    """No sentence about something else: a company or a city has no verb of wanting in it."""
    words = [part for token in tokens(fold(value)) for part in token.word.split()]
    if not words or (item.role in ("name", "company", "place") and words[0] in _AMOUNTS):
        return False
    if item.role in ("company", "place", "competitor") and words[0] in NOT_NAMES:
        return False
    return not any(word in _SENTENCE_WORDS for word in words)


def _text_value(text: str, alone: bool) -> str | None:
    """Free text stays as written; only a greeting before it and loose punctuation at its ends go."""
    trimmed = text.strip(" ,;\n-")
    match = _FILLER.match(fold(trimmed))
    if match is not None and match.end() < len(trimmed):
        trimmed = trimmed[match.end() :].strip()
    short = len(trimmed.split()) <= 6 or not alone
    value = _trimmed(trimmed, None) if short else trimmed
    return value[:_TEXT_LIMIT] or None
