"""What has a shape of its own: e-mail addresses, phone numbers, documents, postal codes, links, dates, times."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SHAPES", "Found", "shaped"]


@dataclass(frozen=True, slots=True)
class Found:
    """A value read out of a text and the span it took."""

    value: str
    start: int
    end: int


_MONTH = (
    r"(?:janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|january|february|"
    r"march|april|may|june|july|august|september|october|november|december|(?:jan|feb|fev|mar|apr|abr|jun|jul|aug|"
    r"ago|sep|sept|set|oct|out|nov|dec|dez)\b)"
)
_WEEKDAY = (
    r"(?:segunda|terca|quarta|quinta|sexta)(?:[ -]feira)?|sabado|domingo|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|(?:mon|tue|wed|thu|fri)\b"
)
_TIME_OF_DAY = (
    r"(?:de |da |a |pela |in the |at )?(?:manha|tarde|noite|morning|afternoon|evening|night|noon|meio[ -]dia|meia[ "
    r"-]noite|noite)"
)
_DATE = (
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?![\d/])|(?:dia )?\d{1,2}(?:o|º)? (?:de )?"
    + _MONTH
    + r"(?: (?:de |do )?(?:19|20)\d\d)?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?|the \d{{1,2}}(?:st|nd|rd|th)(?: of {_MONTH})?|"
    rf"\d{{1,2}}(?:st|nd|rd|th)(?: of {_MONTH})?|dia \d{{1,2}}"
    rf"|(?:(?:n?a|n?o|essa|esta|nessa|nesta|proxima|proximo|on|next|this|depois de)\s){{0,3}}(?:{_WEEKDAY})(?: que "
    r"vem| proxima| proximo| da semana que vem)?"
    r"|depois de amanha|amanha|hoje|ontem|tomorrow|today|tonight|the day after tomorrow|(?:n?a )?(?:semana|"
    r"mes|ano) que vem|(?:n?o )?(?:mes|ano) que vem|(?:n?a )?(?:proxima semana)|(?:n?o )?(?:proximo (?:mes|"
    r"ano))"
    r"|next (?:week|month|year)|this (?:week|month|weekend)|(?:essa|esta|nessa|nesta) semana|(?:no "
    r")?(?:proximo )?(?:fim de semana|final de semana)|the weekend"
    r"|(?:daqui (?:a |ha )?|em |in )(?:\d{1,3}|um|uma|dois|duas|tres|a|two|three) (?:dias?|semanas?|"
    r"mes(?:es)?|days?|weeks?|months?)"
)
_CLOCK = (
    r"(?:(?:as|a|at|la pelas|por volta das|pelas|around)\s)?(?:\d{1,2}:\d{2}(?:\s?(?:am|pm|h|hs))?|\d{1,2}\s?(?:hs?|"
    r"horas?)(?:\s?(?:e\s)?(?:\d{2}|meia))?(?:\s?(?:min|da (?:manha|tarde|noite)))?|\d{1,2}\s?(?:am|pm|a\.m\.|p\.m\.|"
    r"o'?clock))(?!\w)|(?:as|at) \d{1,2}(?: da (?:manha|tarde|noite))?(?![\d/:])|(?:ao |at )?(?:meio[ -]dia|noon)"
)

SHAPES = {
    "email": re.compile(r"[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}"),
    "url": re.compile(
        r"https?://[^\s<>\"]{3,300}|(?<![\w@.])(?:www\.)?[a-z0-9-]{2,63}(?:\.[a-z0-9-]{2,63})?\.(?:com|net|org|io|br|"
        r"app|dev|me|co|store|site)(?:\.br)?(?:/[^\s]{0,300})?(?![\w@])"
    ),
    "cnpj": re.compile(r"(?<!\d)\d{2}\.?\d{3}\.?\d{3}/\d{4}-?\d{2}(?!\d)|(?<!\d)\d{14}(?!\d)"),
    "cpf": re.compile(
        r"(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)|(?<=cpf )\d{11}(?!\d)|(?<=cpf e )\d{11}(?!\d)|(?<=cpf: )\d{11}(?!\d)"
    ),
    "zip": re.compile(r"(?<!\d)\d{5}-\d{3}(?!\d)|(?<=cep )\d{8}(?!\d)|(?<=cep e )\d{8}(?!\d)|(?<=cep: )\d{8}(?!\d)"),
    "phone": re.compile(
        r"(?<![\w,.])(?:\+\d{1,3}[ .-]?)?(?:\(?\d{2,3}\)?[ .-]?)(?:9[ .-]?)?\d{3,4}[ .-]?\d{4}(?![\d,])|"
        r"(?<![\w,.])\d{4,5}-\d{4}(?!\d)|(?<!\w)\+\d[\d ().-]{7,18}\d"
    ),
    "when": re.compile(
        rf"(?<!\w)(?:(?:{_DATE})(?:(?:,? )?(?:{_CLOCK})|,? {_TIME_OF_DAY})?|(?:{_CLOCK})(?:,? (?:de |on "
        rf")?(?:{_DATE}))?)(?!\w)"
    ),
    "date": re.compile(rf"(?<!\w)(?:{_DATE})(?!\w)"),
    "time": re.compile(rf"(?<!\w)(?:{_CLOCK}|{_TIME_OF_DAY})(?!\w)"),
}
_LABEL = re.compile(
    r"(?:^|[\s,;])(?:(?:e|and) )?(?:(?:o|a|meu|minha|my|the) )?(?:e-?mail|mail|telefone|celular|tel|cel|fone|"
    r"whats(?:app)?|zap|"
    r"numero|phone|number|mobile|cell|cpf|cnpj|cep|site|contato)(?: (?:e|eh|is))?\s?:?\s?$"
)
"""What people write before such a value; it is no part of any other answer."""
_LEADING = re.compile(r"(?:(?:n?a|n?o|as|at|on|as|la pelas|por volta das|pelas|around|ao|essa|nessa)\s)+")
_BARE = {
    "cpf": re.compile(r"(?<!\d)\d{11}(?!\d)"),
    "zip": re.compile(r"(?<!\d)(?:\d{8}|\d{5})(?!\d)"),
    "phone": re.compile(r"(?<!\d)\d{8,13}(?!\d)"),
}
_MAY = re.compile(r"may\b")


def shaped(role: str, text: str, folded: str, asked: bool) -> list[Found]:
    """What has the shape of `role` in a text; a bare row of digits counts as one only when it was asked for."""
    pattern = SHAPES[role]
    spans = [match.span() for match in pattern.finditer(folded) if not _is_modal(match[0])]
    if asked and not spans and role in _BARE:
        spans = [match.span() for match in _BARE[role].finditer(folded)]
    return [_found(role, text, folded, start, end) for start, end in spans]


def _is_modal(found: str) -> bool:
    """The English verb "may", which also is a month."""
    return bool(_MAY.fullmatch(found))


def _found(role: str, text: str, folded: str, start: int, end: int) -> Found:
    lead = _LEADING.match(folded, start, end) if role in ("date", "time", "when") else None
    begin = lead.end() if lead and lead.end() < end else start
    label = _LABEL.search(folded, max(0, start - 30), start)
    start = label.start() if label else start
    value = text[begin:end].strip().rstrip(".,;-")
    return Found(value, start, end)
