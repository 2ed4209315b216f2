"""Numbers as people write them: "1.500,00", "1,500.00", "2,5 mil", "10k", "mil e quinhentos", "two thousand"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

__all__ = ["Number", "numbers_in"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text and its span. `money`: a currency stands by it; `weak`: a lone "um", "a", "one"."""

    value: float
    start: int
    end: int
    money: bool = False
    weak: bool = False
    scaled: bool = False

    @property
    def plain(self) -> float | int:
        """A whole number without its fraction."""
        return int(self.value) if self.value == int(self.value) else self.value


def _table(words: str) -> dict[str, float]:
    return {
        word: float(value)
        for value, _, names in (row.partition(":") for row in words.split(";"))
        for word in names.split()
    }


_UNITS = _table(
    "0:zero;1:um uma one;2:dois duas two;3:tres three;4:quatro four;5:cinco five;6:seis six;7:sete seven;8:oito "
    "eight;9:nove nine;10:dez ten;11:onze eleven;12:doze twelve;13:treze thirteen;14:quatorze catorze fourteen;"
    "15:quinze fifteen;16:dezesseis sixteen;17:dezessete seventeen;18:dezoito eighteen;19:dezenove nineteen;20:vinte "
    "twenty;30:trinta thirty;40:quarenta forty;50:cinquenta fifty;60:sessenta sixty;70:setenta seventy;80:oitenta "
    "eighty;90:noventa ninety;100:cem cento;200:duzentos duzentas;300:trezentos trezentas;400:quatrocentos "
    "quatrocentas;500:quinhentos quinhentas;600:seiscentos seiscentas;700:setecentos setecentas;800:oitocentos "
    "oitocentas;900:novecentos novecentas"
)
_SCALES = _table(
    "100:hundred;1000:mil thousand k;1000000:milhao milhoes million millions mi mm mio m;1000000000:bilhao bilhoes "
    "billion billions bi"
)
_WEAK = frozenset(("um", "uma", "one"))
_LITERAL = (
    r"(?<![\w.,])\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d)|(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)?"
)
_PIECE = re.compile(
    rf"(?P<currency>r\$|us\$|\$|€|£)|(?P<literal>{_LITERAL})|(?P<word>[^\W\d_]+)|(?P<gap>\s+|-)|(?P<other>.)", re.DOTALL
)
_CURRENCY_AFTER = re.compile(
    r"\s*(?:reais|real|conto|contos|pila|dolares|dolar|euros?|libras|dollars?|usd|brl|eur|bucks|pounds|r\$|\$|€|"
    r"£)(?!\w)"
)
_LARGEST = 1e15


def _literal_value(text: str) -> float:
    """Three digits after every mark: thousands; else the last mark is the decimal one."""
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", text) and not re.fullmatch(r"0\.\d+", text):
        return float(text.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text) and not re.fullmatch(r"0,\d+", text):
        return float(text.replace(",", ""))
    return float(text.replace(",", "."))


class _Run:
    """A number being put together from its pieces."""

    __slots__ = ("current", "end", "literal", "money", "scaled", "start", "total", "words")

    def __init__(self, start: int, money: bool) -> None:
        self.start = self.end = start
        self.money = money
        self.total = self.current = 0.0
        self.literal = self.scaled = False
        self.words: list[str] = []

    def takes(self, value: float) -> bool:
        """Whether a further value can be part of it: "vinte e cinco", "mil e quinhentos", not "30 e 50"."""
        if not self.words:
            return True
        if self.current:
            return not self.literal and value < _granularity(self.current)
        return self.total > 0 and value < _granularity(self.total)

    def add(self, value: float, word: str, end: int, literal: bool = False) -> None:
        self.current += value
        self.literal = literal
        self.words.append(word)
        self.end = end

    def scale(self, by: float, word: str, end: int) -> None:
        base = self.current or (1.0 if not self.total or self.total > by else 0.0)
        if by == 100.0:
            self.current = base * by
        else:
            self.total += base * by
            self.current = 0.0
        self.literal = False
        self.scaled = True
        self.words.append(word)
        self.end = end

    def add_half(self, end: int) -> None:
        """The half of "dois milhões e meio", "cinco e meio"."""
        unit = _SCALES.get(self.words[-1], 1.0)
        self.total += unit / 2
        self.end = end

    def number(self) -> Number:
        weak = len(self.words) == 1 and self.words[0] in _WEAK
        return Number(min(self.total + self.current, _LARGEST), self.start, self.end, self.money, weak, self.scaled)


def _granularity(value: float) -> float:
    """The largest power of ten that divides a whole value: what may follow it in words is smaller."""
    power = 1.0
    while value and value % (power * 10) == 0 and power < _LARGEST:
        power *= 10
    return power


def _runs(folded: str) -> Iterator[Number]:
    run: _Run | None = None
    money = False
    for piece in _PIECE.finditer(folded):
        kind, text = piece.lastgroup, piece[0]
        if kind == "gap" and (text != "-" or run is None or run.literal is False):
            continue
        if kind == "currency":
            if run is not None and run.words:
                yield run.number()
            run, money = None, True
            continue
        if kind == "word" and run is not None and run.words and text in ("e", "and"):
            continue
        value = _value_of(kind, text)
        if value is None:
            done, run = _closed(run, kind, text, piece.end()), None
            if done is not None:
                yield done
            money = False
            continue
        if run is not None and not _can_join(run, kind, text, value):
            yield run.number()
            run = None
        run = run or _Run(piece.start(), money)
        money = False
        _join(run, kind, text, value, piece.end())
    if run is not None and run.words:
        yield run.number()


def _value_of(kind: str | None, text: str) -> float | None:
    if kind == "literal":
        return _literal_value(text[:20])
    if kind != "word":
        return None
    return _UNITS.get(text, _SCALES.get(text))


def _can_join(run: _Run, kind: str | None, text: str, value: float) -> bool:
    if kind == "word" and text in _SCALES:
        return text not in ("m", "k", "mm", "mi", "bi") or run.literal
    return run.takes(value)


def _join(run: _Run, kind: str | None, text: str, value: float, end: int) -> None:
    if kind == "word" and text in _SCALES:
        run.scale(value, text, end)
    else:
        run.add(value, text, end, literal=kind == "literal")


def _closed(run: _Run | None, kind: str | None, text: str, end: int) -> Number | None:
    if run is None or not run.words:
        return None
    if kind == "word" and text in ("meio", "meia", "half"):
        run.add_half(end)
    return run.number()


def _lone_letter(number: Number, folded: str) -> bool:
    """A "k" or "m" without a figure before it is a letter, not a number."""
    return folded[number.start : number.end] in ("k", "m", "mm", "mi", "bi")


_SCALE_AT_END = re.compile(r"(mil|k|milhoes|mi|thousand|million)$")
_SHARED_SCALE = re.compile(r"\s*(?:a|e|ate|to|and|ou|or|-|–)\s*")


def _share_scale(found: list[Number], folded: str) -> Iterable[Number]:
    """A range names its scale once: "5 a 10 mil" is 5,000 to 10,000."""
    followers: list[Number | None] = [*found[1:], None]
    for number, following in zip(found, followers, strict=False):
        between = folded[number.end : following.start] if following else ""
        scale = _SCALE_AT_END.search(folded[following.start : following.end]) if following else None
        if following and scale and not number.scaled and number.value < 1000 and _SHARED_SCALE.fullmatch(between):
            yield replace(
                number, value=number.value * _SCALES[scale[1]], scaled=True, money=number.money or following.money
            )
        else:
            yield number


def numbers_in(folded: str) -> list[Number]:
    """Every number of a folded text in order, digits and words."""
    found = [number for number in _runs(folded) if not _lone_letter(number, folded)]
    marked = (replace(number, money=True) if _CURRENCY_AFTER.match(folded, number.end) else number for number in found)
    return list(_share_scale(list(marked), folded))
