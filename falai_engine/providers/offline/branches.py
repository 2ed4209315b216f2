"""Whether a `when` of the step that asks holds: by its words, and by what kind of thing the customer tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from falai_engine.providers.offline.contacts import SHAPES
from falai_engine.providers.offline.judge import HOLDS, fit, topics_of
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.numbers import numbers_in
from falai_engine.providers.offline.people import companies, names
from falai_engine.providers.offline.quantities import Quantities
from falai_engine.providers.offline.roles import Role
from falai_engine.providers.offline.words import clean, fold

__all__ = ["held", "told_topics"]

_CALLED: dict[Role, str] = {
    "name": "nome name",
    "company": "empresa company nome loja negocio",
    "size": "numero quantidade porte tamanho equipe time pessoas funcionarios gente number size team staff people "
    "employees headcount",
    "money": "orcamento valor investimento verba faturamento budget amount price",
    "age": "idade age",
    "email": "email e-mail mail",
    "phone": "telefone celular whatsapp phone number",
    "date": "dia data date day",
    "time": "hora horario time hour",
}
"""What authors call each kind of thing that a customer tells."""
_ANOTHER = re.compile(
    r"\b(?:outr[oa]s?|another|other|different|(?:muda|troca|change)\w*(?: [oa]| the)?) (?:(?P<date>dia|data|day|date)|"
    r"(?P<time>hora|horario|time|hour))\b"
)


def told_topics(message: Message) -> frozenset[str]:
    """The topics of what a message tells without naming it: "somos 15" tells how many people, "sou a Ana" a name."""
    return frozenset(topic for kind in _told(message) for topic in topics_of(_CALLED[kind]))


def _told(message: Message) -> Iterator[Role]:
    people = names(message.text, message.folded)
    if people:
        yield "name"
    if companies(message.text, message.folded, people):
        yield "company"
    yield from (kind for kind in Quantities(message, numbers_in(message.folded)).kinds if kind in _CALLED)
    shapes: tuple[Role, ...] = ("email", "phone", "date", "time")
    yield from (role for role in shapes if SHAPES[role].search(message.folded))


def held(when: str, message: Message, context: frozenset[str], answers: Iterable[object]) -> bool:
    """Whether the customer does what `when` says. `answers`: what the message gave of what was asked."""
    if fit(when, message, context, truth=True) >= HOLDS:
        return True
    return not any(value is not None for value in answers) and _names_another(when, message)


def _names_another(when: str, message: Message) -> bool:
    """A day is named where none was asked for: whoever says "e na sexta?" wants another day."""
    other = _ANOTHER.search(fold(clean(when)))
    return bool(other and other.lastgroup and SHAPES[other.lastgroup].search(message.folded))
