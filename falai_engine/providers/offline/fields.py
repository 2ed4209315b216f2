"""Values of fields, read out of a message by what each field is about and of which type it is."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Any

from falai_engine.providers.offline.answers import is_bare_answer, yes_or_no
from falai_engine.providers.offline.choices import are_ranges, named_choice, range_choice
from falai_engine.providers.offline.contacts import SHAPES, Found, shaped
from falai_engine.providers.offline.intents import shows
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.numbers import Number, numbers_in
from falai_engine.providers.offline.people import companies, jobs, names, places
from falai_engine.providers.offline.quantities import Quantities
from falai_engine.providers.offline.roles import Role, Wanted
from falai_engine.providers.offline.whole import has_substance, whole_answers
from falai_engine.providers.offline.words import clean, fold

__all__ = ["read_fields"]

_CORRECTION = re.compile(
    r"\b(?:na verdade|na real|quer dizer|quis dizer|quero dizer|digo|alias|corrigindo|correcao|me enganei|errei|ops|"
    r"opa errei|melhor dizendo|ou melhor|actually|i mean|i meant|sorry|correction|or rather|make that|no wait|wait|"
    r"scratch that|let['’]?s say|vamos (?:dizer|colocar)|digamos)\b[\s,:.]*(?:(?:e|eh|sao|it['’]s)\s)?"
)
"""What follows is the correction; "somos" and "we are" stay with it, since they tell that people are counted."""
_ORDER: tuple[Role, ...] = ("email", "url", "cnpj", "cpf", "zip", "phone", "when", "date", "time")
_DOUBTING_WORDS = 6
"""A longer text says something beside its "talvez"."""
_MASKING: tuple[Role, ...] = ("email", "url", "cnpj", "cpf", "zip", "phone", "when")


def read_fields(message: Message, wanted: Sequence[Wanted], diverted: bool = False) -> dict[str, Any]:
    """A value or None for every field. `diverted`: the message is about something else, so it is no plain answer.

    A correction ("30, na verdade 50") is read first, the whole message for what it leaves open.
    """
    values = _Reader(message, wanted, diverted).read()
    match = next(iter(deque(_CORRECTION.finditer(message.folded), maxlen=1)), None)
    if match is None or not message.text[match.end() :].strip(" .!,"):
        return values
    corrected = Message(message.text[match.end() :])
    return values | _kept(_Reader(corrected, wanted, diverted).read(), values, wanted)


def _kept(corrected: dict[str, Any], first: dict[str, Any], wanted: Sequence[Wanted]) -> dict[str, Any]:
    """What a correction says anew. Free text stays: "na verdade" may stand in any sentence."""
    loose = {item.name for item in wanted if item.role == "text" and item.type == "string" and item.enum is None}
    return {
        name: value
        for name, value in corrected.items()
        if value is not None and (name not in loose or first[name] is None)
    }


class _Reader:
    """One reading of one message: values found so far, and which parts of the text they took."""

    def __init__(self, message: Message, wanted: Sequence[Wanted], diverted: bool) -> None:
        self.message = message
        self.wanted = wanted
        self.diverted = diverted
        self.values: dict[str, Any] = {item.name: None for item in wanted}
        self.taken: list[tuple[int, int]] = []
        self.people: list[Found] = []

    def read(self) -> dict[str, Any]:
        if self.message.normal or self.message.text.strip():
            self._shapes()
            self._people()
            self._quantities()
            self._named_and_booleans()
            self._labelled()
            self._whole()
        return self.values

    def _open(self, *roles: Role) -> list[Wanted]:
        return [
            w
            for w in self.wanted
            if w.role in roles and self.values[w.name] is None and w.type == "string" and not w.enum
        ]

    def _take(self, item: Wanted, found: Found) -> None:
        self.values[item.name] = found.value
        self.taken.append((found.start, found.end))

    def _shapes(self) -> None:
        for role in _ORDER:
            for item in self._open(role):
                found = shaped(role, self.message.text, self.message.folded, item.asked)
                free = [f for f in found if not any(f.start < end and start < f.end for start, end in self.taken)]
                if free and not (role in ("date", "time", "when", "url") and self._only_asks(item)):
                    self._take(item, self._with_time(item, free[0]))

    def _only_asks(self, item: Wanted) -> bool:
        """Whether what the message names is asked about; of what was asked for, only by who wants to know more."""
        if not item.asked:
            return self.message.is_question
        return self.message.wants_to_know and not any(True for _ in self.message.statements())

    def _with_time(self, item: Wanted, found: Found) -> Found:
        """A day with its hour, when no other field wants the hour."""
        if item.role != "date" or any(w.role in ("time", "when") for w in self.wanted):
            return found
        whole = shaped("when", self.message.text, self.message.folded, item.asked)
        return next((f for f in whole if f.start <= found.start and found.end <= f.end), found)

    def _people(self) -> None:
        text, folded = self.message.text, self.message.folded
        self.people = names(text, folded, any(item.asked for item in self._open("name")))
        by_role: dict[Role, list[Found]] = {
            "name": self.people,
            "company": companies(text, folded, self.people) if self._open("company") else [],
            "place": places(text, folded) if self._open("place") else [],
            "job": jobs(text, folded) if self._open("job") else [],
        }
        for role, found in by_role.items():
            for item in self._open(role):
                if found:
                    self._take(item, found[0])

    def _masked(self) -> list[tuple[int, int]]:
        folded = self.message.folded
        if not re.search(r"\d", folded):
            return []
        return [match.span() for role in _MASKING for match in SHAPES[role].finditer(folded)]

    def _quantities(self) -> None:
        numeric = [w for w in self.wanted if _is_numeric(w)]
        if not numeric:
            return
        masked = self._masked()
        free = [
            n
            for n in numbers_in(self.message.folded)
            if not any(n.start < end and start < n.end for start, end in masked)
        ]
        quantities = Quantities(self.message, free)
        for item, numbers in quantities.assigned(numeric):
            self._number(item, numbers)

    def _number(self, item: Wanted, numbers: Sequence[Number]) -> None:
        if item.enum:
            chosen = range_choice(item.enum, numbers, self.message.folded) if are_ranges(item.enum) else None
            value, span = (chosen[0], chosen[1:]) if chosen else _equal_choice(item.enum, numbers)
        else:
            last = numbers[-1] if _is_range(numbers, self.message.folded) else numbers[0]
            value, span = (int(last.value) if item.type == "integer" else last.plain), (numbers[0].start, last.end)
        if value is not None:
            self.values[item.name] = value
            self.taken.append(self._with_unit(span))

    def _with_unit(self, span: tuple[int, int]) -> tuple[int, int]:
        unit = _UNIT.match(self.message.folded, span[1])
        lead = _LEAD.search(self.message.folded[max(0, span[0] - 30) : span[0]])
        counted = unit or _COUNTED.match(self.message.text, span[1])
        return span[0] - (len(lead[0]) if lead else 0), counted.end() if counted else span[1]

    def _named_and_booleans(self) -> None:
        for item in self.wanted:
            if self.values[item.name] is not None:
                continue
            if item.enum:
                self.values[item.name] = (
                    None if self._refused(item) else named_choice(item.enum, self.message, item.asked)
                )
            elif item.type == "boolean" and item.asked and not self.diverted:
                self.values[item.name] = yes_or_no(self.message)

    def _refused(self, item: Wanted) -> bool:
        """An option named in a question ("vocês têm o básico?") is asked about, not chosen.

        Asked for, it is chosen by a question too ("pode ser quarta?"), but not by one that wants to know more first
        ("quais horários têm na quarta?"), nor refused where the price of one is asked ("quanto fica um quarto?").
        """
        message = self.message
        if not message.is_question or message.has_word(_CHOOSING):
            return False
        if item.asked:
            return self._only_asks(item)
        return not ("#price" in message.inquiries and _ONE_OF.search(message.normal))

    def _labelled(self) -> None:
        """What is told by its label: "meu cargo é diretor", "cor: azul"."""
        for item in self._open("text", "job", "place", "company", "name", "competitor"):
            found = _after_label(item, self.message)
            if found is not None:
                self._take(item, found)

    def _whole(self) -> None:
        """What is left of a plain answer goes to the text fields that were asked for."""
        asked = [
            w for w in self.wanted if w.asked and w.type == "string" and not w.enum and self.values[w.name] is None
        ]
        if not asked or self.diverted or self._is_no_answer():
            return
        if shows(self.message, "frustrated", "complains", "expensive"):
            asked = [item for item in asked if item.role == "text"]
        if not has_substance(self._without_options()):
            return
        fields_left = any(self.values[w.name] is not None for w in self.wanted)
        for item, value in whole_answers(self.message, asked, self.taken, fields_left):
            self.values[item.name] = value

    def _without_options(self) -> str:
        """The text without the options that it named: what is told by a choice tells nothing else."""
        chosen = (str(self.values[w.name]) for w in self.wanted if w.enum and self.values[w.name] is not None)
        rest = "".join(
            " " if any(a <= i < b for a, b in self.taken) else letter for i, letter in enumerate(self.message.folded)
        )
        for option in chosen:
            rest = rest.replace(fold(clean(option)), " ")
        return rest

    def _is_no_answer(self) -> bool:
        message = self.message
        if shows(message, "declines", "gives_up", "human", "opt_out", "later"):
            return True
        if shows(message, "unsure") and len(message.tokens) <= _DOUBTING_WORDS:
            return True
        return is_bare_answer(message) and not any(letter.isupper() for letter in message.text[1:])


def _is_numeric(item: Wanted) -> bool:
    if item.enum:
        return are_ranges(item.enum) or all(isinstance(v, int | float) and not isinstance(v, bool) for v in item.enum)
    return item.type in ("number", "integer")


def _equal_choice(options: Sequence[Any], numbers: Sequence[Number]) -> tuple[Any | None, tuple[int, int]]:
    for number in numbers:
        for option in options:
            if isinstance(option, int | float) and option == number.value:
                return option, (number.start, number.end)
    return None, (0, 0)


_CHOOSING = frozenset(("quero", "want", "prefiro", "prefer"))
_ONE_OF = re.compile(r"\b(?:um|uma|a|an|one) [^\W\d_]{3,}")
_JOINED = re.compile(r"\s*(?:a|e|ate|to|and|-|–)\s*(?:r\$\s*)?")
_UNIT = re.compile(
    r"\s*(?:reais|conto|contos|pila|dolares|euros|dollars|usd|pessoas|funcionarios|colaboradores|empregados|"
    r"employees|people|anos|years(?: old)?|mes|meses|months|por mes|a month|per month|mensais|unidades|units|na "
    r"equipe|no time)(?!\w)"
)
_COUNTED = re.compile(
    r"\s+(?!(?:e|d[aeo]s?|n[ao]s?|em|para|por|and|of|in|at|from|for|a|o|mas|but)\b)[a-zà-ÿ]{3,}(?!\w)"
)
"""What a number counts: a word in lower case right after it."""
_LEAD = re.compile(
    r"(?:somos|temos|sao|tenho|uns|umas|cerca de|em torno de|mais ou menos|ate|r\$|\$|we are|we have|about|around|up "
    r"to|uma equipe de|equipe de|time de|team of|a team of|\s)+$"
)


def _is_range(numbers: Sequence[Number], folded: str) -> bool:
    return len(numbers) == 2 and bool(_JOINED.fullmatch(folded[numbers[0].end : numbers[1].start]))


def _after_label(item: Wanted, message: Message) -> Found | None:
    for label in item.labels:
        pattern = (
            rf"(?<!\w)(?:(?:o|a|meu|minha|my|the|our|nosso|nossa) )?{_spelled(label)}\s?(?:: ?|= ?| e | eh | is | "
            rf"seria | sera | - )(?:(?:o|a|the|um|uma) )?([^.,;!?\n]{{1,80}})"
        )
        match = re.search(pattern, message.folded)
        if match is not None and not message.folded.startswith("?", match.end()):
            value = message.text[match.start(1) : match.end(1)].strip()
            if value and not re.match(r"(?:e|and|mas|but|que|qual|what|errad|wrong)\b", match[1]):
                return Found(_until_next(value), match.start(), match.end())
    return None


def _until_next(value: str) -> str:
    return re.split(r"\s+(?:e (?:o|a|meu|minha|eu)|and (?:the|my|i|our))\s", value, maxsplit=1)[0]


def _spelled(label: str) -> str:
    return r"[\s_-]".join(re.escape(word) for word in label.split())
