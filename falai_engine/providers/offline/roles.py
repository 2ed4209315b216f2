"""What a field is about, told by its slug, its label and its description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from falai_engine.briefs import FieldAsk, FieldChoice
from falai_engine.providers.offline.lexicon import DESCRIBING, STOP, word_set
from falai_engine.providers.offline.words import clean, fold, stem, tokens

__all__ = ["Role", "Wanted", "wanted_field", "wanted_parameter"]

Role = Literal[
    "name",
    "company",
    "email",
    "phone",
    "url",
    "cpf",
    "cnpj",
    "zip",
    "date",
    "time",
    "when",
    "place",
    "job",
    "money",
    "size",
    "age",
    "excerpt",
    "competitor",
    "text",
]

_NAMES: Final[dict[Role, str]] = {
    "email": r"email|mail",
    "phone": r"telefone|whatsapp|celular|phone|mobile|whats|telephone|cell|contato",
    "cnpj": "cnpj",
    "cpf": "cpf",
    "zip": r"cep|zip|zipcode|postal",
    "url": r"site|website|url|link|instagram",
    "excerpt": r"trecho|excerpt|citacao|frase|snippet|passage",
    "competitor": r"concorrente|competitor|concorrencia|rival",
    "when": r"quando|when|datetime|data (?:e )?hora|data (?:e )?horario|date (?:and )?time|agendamento|appointment",
    "money": r"orcamento|budget|investimento|preco|valor|price|salario|salary|renda|income|verba|faturamento|"
    r"revenue|gasto|amount|custo|cost",
    "size": r"porte|tamanho|funcionarios|colaboradores|employees|headcount|pessoas|people|equipe|team|staff|"
    r"hospedes|guests|convidados|participantes",
    "age": r"idade|age",
    "date": r"data|dia|date|day|nascimento|birthday|birthdate|vencimento|deadline|checkin|checkout|chegada|arrival",
    "time": r"hora|horario|time|hour",
    "company": r"empresa|company|organizacao|organization|negocio|business|firma|employer|companhia|loja",
    "place": r"cidade|city|local|localidade|estado|state|bairro|location|regiao|region|country|pais",
    "job": r"cargo|funcao|role|job|profissao|profession|position|ocupacao|occupation",
    "name": r"nome|name|fullname|firstname|lastname|sobrenome",
}
"""In the order of judging: "nome da empresa" is a company, "data e hora" one moment."""
_NAMED = [(role, re.compile(rf"(?<!\S)(?:{words})(?!\S)")) for role, words in _NAMES.items()]
_NUMERIC_ROLES = frozenset(("money", "size", "age"))
_DESCRIBED = _NUMERIC_ROLES | {"email", "phone", "url", "cpf", "cnpj", "zip", "date", "time", "when"}
"""What a description alone may make of a field; other words in it ("o que o negócio vende") are mere context."""
_WHOSE_NAME = re.compile(r"(?<!\S)(?:nome|name) (?:do|da|of|of the) (\S+)|(\S+) name(?!\S)")
_CUSTOMERS = word_set("cliente customer pessoa person full first last your their the contato contact")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value to read out of a message: a field or a tool's parameter, whatever it came from."""

    name: str
    role: Role
    type: str
    enum: tuple[Any, ...] | None
    asked: bool
    hints: frozenset[str]
    labels: tuple[str, ...]


def wanted_field(field: FieldChoice | FieldAsk) -> Wanted:
    """How to read a field of a brief."""
    ask = field.ask if isinstance(field, FieldAsk) else None
    return _wanted(
        field.name, field.slug, field.type, field.enum, field.label, field.description or ask, bool(field.asked)
    )


def wanted_parameter(name: str, parameter: Mapping[str, Any], asked: bool = False) -> Wanted:
    """How to read a parameter given as JSON Schema: a mention's extract or a tool's argument."""
    enum, kind, description = parameter.get("enum"), parameter.get("type"), parameter.get("description")
    return _wanted(
        name,
        name,
        kind if isinstance(kind, str) else "string",
        tuple(enum) if isinstance(enum, list | tuple) else None,
        None,
        description if isinstance(description, str) else None,
        asked,
    )


def _wanted(
    name: str, slug: str, kind: str, enum: tuple[Any, ...] | None, label: str | None, about: str | None, asked: bool
) -> Wanted:
    role, hints, labels = _reading(slug, label, about, kind)
    return Wanted(name, role, kind, enum or None, asked, hints, labels)


@lru_cache(maxsize=4096)
def _reading(
    slug: str, label: str | None, about: str | None, kind: str
) -> tuple[Role, frozenset[str], tuple[str, ...]]:
    named = [_words(_CAMEL.sub(" ", slug).replace("_", " ").replace("-", " ")), _words(label or "")]
    by_name = next((found for source in named if (found := _role(source, kind)) != "text"), None)
    by_description = _role(_words(about or ""), kind)
    role: Role = by_name or (by_description if by_description in _DESCRIBED else "text")
    hints = frozenset(
        stem(word) for source in named for word in source.split() if word not in STOP and word not in DESCRIBING
    )
    return role, hints, tuple(dict.fromkeys(source for source in named if source))


def _words(text: str) -> str:
    return " ".join(token.word for token in tokens(fold(clean(text))))


def _role(words: str, kind: str) -> Role:
    """The first role that a word names; a name that is not the customer's or the company's is plain text."""
    if kind not in ("string", "number", "integer"):
        return "text"
    for role, pattern in _NAMED:
        if pattern.search(words) and (kind == "string" or role in _NUMERIC_ROLES):
            return _of_whom(words) if role == "name" else role
    return "text"


def _of_whom(words: str) -> Role:
    match = _WHOSE_NAME.search(words)
    owner = match[1] or match[2] if match else None
    return "name" if owner is None or owner in _CUSTOMERS else "text"
