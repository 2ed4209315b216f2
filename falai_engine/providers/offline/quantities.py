"""Which number of a message belongs to which field: by its unit, by the words around it, else by what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.numbers import Number
from falai_engine.providers.offline.roles import Role, Wanted
from falai_engine.providers.offline.words import stem

__all__ = ["Quantities"]

_PEOPLE_AFTER = re.compile(
    r"\+?\s*(?:ou mais\s|or more\s)?(?:pessoas?|funcionari[oa]s?|colaborador(?:es|as)?|empregados|socios|integrantes|"
    r"membros|hospedes|convidados|participantes|gente|people|employees?|staff|members|workers|guests|persons|of us|"
    r"na equipe|no time|in the team|on the team|func)(?!\w)"
)
_PEOPLE_BEFORE = re.compile(
    r"(?:eu e mais|(?:me|i) and|somos|equipe (?:de|com|tem)|time (?:de|com|tem)|quadro de|porte de|team of|staff of|"
    r"we are|we['’]re|there are)"
    r"(?: (?:em|mais|ou|menos|uns|cerca|de|em|torno|aproximadamente|about|around|over|only|so|apenas)){0,3}\s*$"
)
_MONEY_AROUND = re.compile(
    r"(?:orcamento|investir|investimento|budget|gastar|pagar|verba|spend|pay|invest|custa|preco|valor|faturamento|"
    r"salario|renda|r\$)[^.!?\n]{0,25}$"
)
_MONEY_AFTER = re.compile(
    r"\s*(?:reais|conto|contos|pila|dolares|euros|dollars?|usd|bucks|por mes|/mes|mensais|mensal|a month|per month|"
    r"/month)(?!\w)"
)
_OF_OTHERS = re.compile(
    r"\b(?:cobra|cobram|cobrou|cobraram|cobrando|cobrava|oferece|oferecem|ofereceu|ofereceram|charges?|charged|"
    r"charging|offers?|offered|quoted|pedindo|pediu|pediram)\b[^.!?\n,;]{0,25}$"
)
"""Whoever else it is that charges or offers so much, it is not what the customer has."""
_TWO = re.compile(
    r"\b(?:eu e (?:[oa] )?(?:meu|minha)|(?:me|i) and my|my \w+ and (?:me|i)|nos dois|us two|the two of us)\b"
)
_ALONE = re.compile(
    r"\b(?:sozinh[oa]|so eu|somente eu|apenas eu|eu mesm[oa]|so tem eu|so sou eu|just me|only me|by myself|on my own|"
    r"myself|one man band)\b"
)
_FEW = ((2.0, _TWO), (1.0, _ALONE))
"""People told without a number."""
_PERCENT_AFTER = re.compile(r"\s*(?:%|por cento|percent)")
_AGE_AFTER = re.compile(r"\s*(?:anos|aninhos|years(?: old)?|yo|y/o)(?!\w)")
_SUM_BEFORE = re.compile(r"\b(?:so|then|entao|total(?: de| of)?|ao todo|dao?|makes)\s*[:=]?\s*$|=\s*$")
_SUM_AFTER = re.compile(r"\s*(?:no total|ao todo|in total|total|altogether|in all)\b")
_NEAR = 3
_WORDS_AROUND = re.compile(r"[^\W\d_]+")


class Quantities:
    """The numbers of a message, handed out to fields: each number once, the surest claims first."""

    def __init__(self, message: Message, numbers: Sequence[Number]) -> None:
        self.message = message
        self.numbers = [number for number in numbers if not self._is_of_others(number)]
        self.kinds = [self._kind(number) for number in self.numbers]
        if not self.numbers:
            self.numbers = [Number(n, m.start(), m.end()) for n, few in _FEW if (m := few.search(message.folded))][:1]
            self.kinds = ["size" for _ in self.numbers]
        self._spread_over_ranges()

    def _is_of_others(self, number: Number) -> bool:
        """A price or rate that somebody charges the customer is no quantity of theirs."""
        return bool(_OF_OTHERS.search(self.message.folded[max(0, number.start - 60) : number.start]))

    def _kind(self, number: Number) -> Role | None:
        """What the number counts, when its surroundings say so."""
        folded = self.message.folded
        before = folded[max(0, number.start - 40) : number.start]
        if _PERCENT_AFTER.match(folded, number.end):
            return "text"  # a share of a hundred is neither money nor people
        if number.money or _MONEY_AFTER.match(folded, number.end):
            return "money"
        if _PEOPLE_AFTER.match(folded, number.end) or _PEOPLE_BEFORE.search(before):
            return "size"
        if _AGE_AFTER.match(folded, number.end):
            return "age"
        return "money" if _MONEY_AROUND.search(before) else None

    def _spread_over_ranges(self) -> None:
        """In "de 5 a 10 pessoas" the first number counts what the second does."""
        for i in range(len(self.numbers) - 1):
            between = self.message.folded[self.numbers[i].end : self.numbers[i + 1].start]
            if self.kinds[i] is None and re.fullmatch(r"\s*(?:a|e|ate|to|and|-|–|ou|or)\s*", between):
                self.kinds[i] = self.kinds[i + 1]

    def assigned(self, wanted: Sequence[Wanted]) -> Iterator[tuple[Wanted, list[Number]]]:
        """(field, its number and those after it that go with it)."""
        left = list(wanted)
        for claim in (self._by_unit, self._by_words, self._by_asking):
            for item in list(left):
                at = claim(item)
                if at is not None:
                    left.remove(item)
                    yield item, self._cut(at)

    def _cut(self, at: int) -> list[Number]:
        """Takes a number, and its partner in a range, off the list."""
        count = 1
        if at + 1 < len(self.numbers):
            between = self.message.folded[self.numbers[at].end : self.numbers[at + 1].start]
            count += bool(re.fullmatch(r"\s*(?:a|e|ate|to|and|-|–|ou|or)\s*(?:r\$\s*)?", between))
        taken = self.numbers[at : at + count]
        del self.numbers[at : at + count], self.kinds[at : at + count]
        return taken

    def _by_unit(self, item: Wanted) -> int | None:
        if item.role not in ("money", "size", "age") or self._is_asked_about(item):
            return None
        fitting = (
            i for i, kind in enumerate(self.kinds) if kind == item.role and self._is_strong(self.numbers[i], item)
        )
        return next(fitting, None)

    def _is_strong(self, number: Number, item: Wanted) -> bool:
        """A lone "um", "one" is an article, unless it is the whole answer ("só uma pessoa")."""
        if not number.weak:
            return True
        folded = self.message.folded
        ends = not folded[number.end :].strip(" .!,") or _PEOPLE_AFTER.match(folded, number.end) is not None
        return item.asked and ends and len(self.message.tokens) <= _NEAR

    def _is_asked_about(self, item: Wanted) -> bool:
        """A question ("custa 500 reais?") does not tell, unless the value was asked for; how many they are it does."""
        return not item.asked and self.message.is_question and not any(kind == "size" for kind in self.kinds)

    def _by_words(self, item: Wanted) -> int | None:
        """A word of the field's slug or label stands by the number: "2 quartos", "quantidade: 5"."""
        for i, number in enumerate(self.numbers):
            if not number.weak and (self._after(number) & item.hints or self._before(number) & item.hints):
                return i
        return None

    def _after(self, number: Number) -> set[str]:
        return {
            stem(word) for word in _WORDS_AROUND.findall(self.message.folded[number.end : number.end + 40])[: _NEAR - 1]
        }

    def _before(self, number: Number) -> set[str]:
        before = re.split(r"[.!?,;\n]", self.message.folded[max(0, number.start - 40) : number.start])[-1]
        return {stem(word) for word in _WORDS_AROUND.findall(before)[-_NEAR:]}

    def _by_asking(self, item: Wanted) -> int | None:
        """A number that counts nothing else goes to the field that was asked for; a question tells nothing."""
        if not item.asked or (self.message.is_question and not any(True for _ in self.message.statements())):
            return None
        pairs = enumerate(zip(self.numbers, self.kinds, strict=True))
        fitting = [i for i, (number, kind) in pairs if _fits(kind, item.role) and self._is_strong(number, item)]
        return next((i for i in fitting if self._concludes(self.numbers[i])), fitting[0] if fitting else None)

    def _concludes(self, number: Number) -> bool:
        """The sum of what was counted before: "so 4", "4 no total"."""
        folded = self.message.folded
        return bool(
            _SUM_BEFORE.search(folded[max(0, number.start - 20) : number.start]) or _SUM_AFTER.match(folded, number.end)
        )


def _fits(kind: Role | None, role: Role) -> bool:
    return kind is None or role in (kind, "text")
