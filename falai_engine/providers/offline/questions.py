"""From how an author says to ask ("Pergunte o nome, com leveza.") to the question a customer reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from falai_engine.briefs import FieldAsk
from falai_engine.providers.offline.language import Language, spoken_in
from falai_engine.providers.offline.lexicon import word_set
from falai_engine.providers.offline.roles import wanted_field
from falai_engine.providers.offline.wording import FIELD_QUESTIONS, say
from falai_engine.providers.offline.words import clean, fold

__all__ = ["Question", "as_question", "capital", "lower_first", "question_of"]

_ASK_VERB = re.compile(
    r"\b(?:pergunt[ea]r?|peca|pedir|peça|solicite|solicitar|descubra|descobrir|colete|coletar|obtenha|pegue|saiba|"
    r"verifique|cheque|confirme|confirmar|investigue|identifique|levante|questione|entenda|qualifique|ask|find out|"
    r"get|collect|request|confirm|check|learn|obtain|inquire|verify|determine)\b[\s:]*"
)
_SUMMARY_VERB = re.compile(r"\b(?:resum[ae]|recapitule|repita|recap|summari[sz]e|sum up|repeat)\b")
_CONFIRM_WHAT = re.compile(
    r"(?:confirme|confirmar|confirm|verifique|verify|check)\s+(?!se\b|if\b|whether\b|that\b|que\b|qual|what)"
)
_ADDRESSEE = re.compile(
    r"(?:(?:ao|a|à|para o|para a|pro|com o|do) (?:cliente|usuario|lead|contato|pessoa|visitante)|(?:a ele|a ela|pra "
    r"ele|para ele)|the (?:customer|client|user|lead|person|visitor)|them|him|her(?= (?:for|about|if|whether|what|"
    r"how|when|where))|gentilmente|educadamente|delicadamente|novamente|de novo|tambem|com (?:leveza|jeito|educacao|"
    r"delicadeza|calma|carinho)|de (?:forma|modo|maneira) \w+|politely|kindly|nicely|again|also|gently|casually|"
    r"directly)\b[\s,:]*"
)
_MANNER = re.compile(
    r"[,;(:.-]?\s(?:com (?:leveza|jeito|educacao|delicadeza|calma|carinho|as faixas|as opcoes|simpatia|"
    r"naturalidade|cuidado|empatia)|de (?:forma|modo|maneira) \w+|em tom \w+|sem (?:pressionar|insistir|pressa|"
    r"ser)\b.*|gentilmente|educadamente|delicadamente|politely|kindly|nicely|gently|casually|briefly|lightly|in a "
    r"\w+ (?:way|tone)|without .*|with (?:the )?(?:options|ranges|care|tact)|se possivel|if possible)\b.*$"
)
_GERUND = re.compile(r",\s+(?:e |sempre |and )?[^\W\d_]+(?:ndo|ing)\b.*$")
"""How to ask, after a comma: ", deixando claro que uma ideia basta", ", offering the options"."""
_WH = re.compile(
    r"(?:(?:de|em|para|com|a|por|ha|desde|ate|from|in|for|with|at|on|to) )?(?:qual|quais|quant[oa]s?|quando|onde|"
    r"como|quem|que|o que|por que|what|which|how|when|where|who|whom|why|whose)\b"
)
_IF = re.compile(r"(?:se|if|whether|that|que)\s+")
_WHO_PT = re.compile(r"^(?:(?:o|a) (?:cliente|usuari[oa]|lead|pessoa|contato)|ele|ela)\s+")
_QUOTED = re.compile(r"[\"“«]([^\"”»]{3,300})[\"”»]")
_DETERMINER = re.compile(
    r"(?:(?:por|pel[oa]s?|sobre|for|about|d[oa]s?)\s+)?(?:(?:o|a|os|as|um|uma|uns|umas|the|their|his|her|an|your|"
    r"its)\s+)?(?:(?:seu|sua|seus|suas|customer['’]s|client['’]s|user['’]s|person['’]s|lead['’]s|full)\s+(?=\w))?"
)
_OWNER = re.compile(
    r"\s+(?:d[oa] (?:cliente|usuari[oa]|pessoa|lead|contato)|del[ea]|of the (?:customer|client|user|person|lead))\b"
)
_RELATIVE = re.compile(r"\s(?:que|that|which|where|onde)\s")
_PERSONAL = word_set(
    "nome nomes empresa email e-mail telefone celular whatsapp cargo cidade idade endereco orcamento cpf cnpj cep rg "
    "site segmento profissao contato sobrenome aniversario objetivo necessidade interesse nascimento funcao loja "
    "negocio equipe time estado bairro"
)
_FEMININE = re.compile(
    r"(?:cor|flor|dor|lei|voz|luz|vez|mae|foto|moto|rede|fase|parte|chave|classe|\w*(?:a|cao|sao|dade|gem|tude|ncia)|"
    r"(?:a\w*s))$"
)
_MASCULINE_IN_A = word_set(
    "problema dia mapa sistema programa telefonema clima tema esquema dilema cinema email idioma"
)
_LIST_LIMIT = 12


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask, and whether the author wants what is known summed up before it."""

    text: str
    wants_summary: bool = False


def capital(text: str) -> str:
    """The first letter large."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The first letter small, unless the first word is a name in capitals or the English "I"."""
    first = text.split(" ", 1)[0]
    return text if (len(first) > 1 and first.isupper()) or first in ("I", "I'm") else text[:1].lower() + text[1:]


def question_of(field: FieldAsk, language: Language) -> Question:
    """The question for a pending field, with the values of its enum."""
    ask = clean(field.ask or "").strip()
    summary = bool(_SUMMARY_VERB.search(fold(ask)))
    if field.type == "boolean" and _CONFIRM_WHAT.match(fold(ask)):
        return Question(say("is_it_right", language), wants_summary=True)
    text = as_question(ask, language) if ask else None
    role = wanted_field(field).role
    if role in FIELD_QUESTIONS and ask and (spoken_in(ask) or language) != language and not ask.endswith("?"):
        text = FIELD_QUESTIONS[role][language]
    if text is None:
        text = say("is_it_right", language) if summary else _own_question(field, role, language)
    return Question(_with_options(text, field.enum, language, derived=text != ask), summary)


def _own_question(field: FieldAsk, role: str, language: Language) -> str:
    """Without an `ask`: by what the field is about, else by its label, description or slug."""
    description = clean(field.description or "").strip(" .")
    if description.endswith("?"):
        return description
    label = clean(field.label or "").strip() or field.slug.replace("_", " ").replace("-", " ").strip() or field.slug
    if field.type == "boolean":
        about = _clause(description, language) if _IF.match(fold(description)) else None
        return about or capital(label.rstrip("?.!")) + "?"
    return FIELD_QUESTIONS[role][language] if role in FIELD_QUESTIONS else _noun_question(label, language, owned=False)


def as_question(ask: str, language: Language) -> str | None:
    """An author's way to ask as a question; None when it names nothing to ask ("Resuma.")."""
    folded = fold(ask)
    quoted = _QUOTED.search(ask)
    if quoted is not None and (quoted[1].endswith("?") or _ASK_VERB.search(folded)):
        return quoted[1]
    verb = _ASK_VERB.search(folded)
    if verb is None or ("?" in ask and verb.start() > ask.index("?")):
        return _without_verb(ask, folded)
    start = verb.end()
    while (addressee := _ADDRESSEE.match(folded, start)) is not None:
        start = addressee.end()
    if verb.start() > 0 and ask.rstrip().endswith("?") and not _is_instruction_before(folded[: verb.start()]):
        return ask
    # A question may ask for something ("Pode confirmar o e-mail?"): an instruction never ends in a question mark.
    rest = ask[start:] if ask.rstrip().endswith("?") else re.split(r"[.!;\n](?=\s|$)", ask[start:], maxsplit=1)[0]
    return _asked(rest.strip(" :?"), ask[: verb.end()], language)


def _is_instruction_before(folded: str) -> bool:
    return bool(
        re.search(
            r"\b(?:resuma|cumprimente|agradeca|apresente|summari[sz]e|greet|thank)\b|\b(?:e|and|then|depois)\s*$",
            folded,
        )
    )


def _without_verb(ask: str, folded: str) -> str | None:
    if _SUMMARY_VERB.search(folded) and "?" not in ask:
        return None
    if "?" in ask:
        return ask
    bare = ask.strip(" .!")
    if not bare:
        return None
    language = spoken_in(ask) or "pt"
    if _WH.match(fold(bare)):
        return capital(bare) + "?"
    return _noun_question(bare, language, owned=False) if len(bare.split()) <= 5 else ask


def _asked(rest: str, verb: str, language: Language) -> str | None:
    """What stands after the asking verb, as a question of its own."""
    language = spoken_in(f"{verb} {rest}") or language
    rest = _cut_at(_MANNER, _cut_at(_GERUND, rest)).strip(" ,.:;")
    folded = fold(rest)
    if not rest:
        return None
    if _IF.match(folded):
        return _clause(rest, language)
    if _WH.match(folded):
        return _wh_question(rest, language)
    return _noun_question(rest.split(",")[0].strip() if "," in rest else rest, language, owned=True)


def _cut_at(pattern: re.Pattern[str], text: str) -> str:
    """Cuts the original where the pattern, which is written without accents, matches the folded text."""
    match = pattern.search(fold(text))
    return text[: match.start()] if match else text


def _clause(clause: str, language: Language) -> str | None:
    """From "se a proposta chegou" to "A proposta chegou?"; from "if they want it" to "Do you want it?"."""
    match = _IF.match(fold(clause))
    body = clause[match.end() :].strip(" .,?") if match else clause.strip(" .,?")
    if not body:
        return None
    return _english_clause(body) if language == "en" else _portuguese_clause(body)


def _portuguese_clause(body: str) -> str:
    who = _WHO_PT.match(fold(body))
    return f"Você {body[who.end() :]}?" if who else capital(body) + "?"


_AUXILIARY = r"is|are|was|were|has|have|had|can|could|will|would|should|does|do|did|may|must"
_ENGLISH_THEY = re.compile(
    r"^(?:they|the (?:customer|client|user|lead|person)|he|she|you)\s+(?:(?P<aux>"
    + _AUXILIARY
    + r")\s+)?(?P<rest>.+)$",
    re.IGNORECASE,
)
_ENGLISH_IT = re.compile(r"^(?P<subject>.{1,60}?)\s+(?P<aux>" + _AUXILIARY + r")\s+(?P<rest>.+)$", re.IGNORECASE)


def _english_clause(body: str) -> str:
    they = _ENGLISH_THEY.match(body)
    if they is not None:
        return _ask_you((they["aux"] or "").lower(), they["rest"])
    it = _ENGLISH_IT.match(body)
    if it is not None:
        return f"{capital(it['aux'].lower())} {_yours(it['subject'])} {_yours(it['rest'])}?"
    return capital(_yours(body)) + "?"


def _ask_you(auxiliary: str, rest: str) -> str:
    if auxiliary in ("", "have", "has", "does") and not (
        auxiliary in ("have", "has") and re.match(r"\w+(?:ed|en)\b|been\b|got\b", rest)
    ):
        verb = f"have {rest}" if auxiliary in ("have", "has") else _base_verb(rest) if not auxiliary else rest
        return f"Do you {_yours(verb)}?"
    auxiliary = {"is": "are", "was": "were", "has": "have", "do": "do"}.get(auxiliary, auxiliary)
    return f"{capital(auxiliary)} you {_yours(rest)}?"


def _base_verb(rest: str) -> str:
    first, _, more = rest.partition(" ")
    if first.endswith("s") and not first.endswith("ss") and len(first) > 3:
        first = first[:-1]
    return f"{first} {more}".strip()


def _yours(text: str) -> str:
    text = re.sub(r"\b(?:their|his|her)\b", "your", text)
    return re.sub(r"\b(?:them|they)\b", "you", text)


def _wh_question(text: str, language: Language) -> str:
    if language == "pt":
        return capital(re.sub(r"\b(?:o cliente|a pessoa|o lead|o usu[aá]rio|ele|ela)\b", "você", text)) + "?"
    tail = re.match(
        r"^(?P<wh>(?:what|how|when|where|who|which|why)(?: (?:many|much|big|old|long|often|large) ?\w*)?) "
        r"(?P<rest>.+?) (?P<aux>is|are|was|were)$",
        text,
        re.IGNORECASE,
    )
    they = re.match(r"^(?P<wh>.+?) (?:they|the customer|the client|the user) (?P<verb>.+)$", text, re.IGNORECASE)
    if tail is not None:
        return (
            f"{capital(tail['wh'])} {'are' if _yours(tail['rest']) == 'you' else tail['aux']} {_yours(tail['rest'])}?"
        )
    if they is not None:
        return f"{capital(they['wh'])} {lower_first(_english_clause('they ' + they['verb']))}"
    return capital(_yours(text)) + "?"


def _noun_question(noun: str, language: Language, *, owned: bool) -> str:
    """From "o nome" to "Qual é o seu nome?"; from "the company" to "What is your company?"."""
    folded = fold(noun)
    determiner = _DETERMINER.match(folded)
    article = folded[: determiner.end()] if determiner else ""
    bare = noun[len(article) :].strip()
    owner = _OWNER.search(fold(bare))
    if owner is not None:
        bare = bare[: owner.start()] + bare[owner.end() :]
    if not bare:
        return capital(noun) + "?"
    if language == "en":
        unowned = re.match(r"(?:best|preferred|most|number|reason)\b", fold(bare)) or _RELATIVE.search(fold(bare))
        own = "" if unowned else "your "
        verb = "are" if re.search(r"[^s]s$", fold(bare).split(" of ")[0]) else "is"
        return f"What {verb} {own or 'the '}{bare if owned else lower_first(bare)}?"
    return _portuguese_noun(
        bare if owned else lower_first(bare), article, bool(owner) or re.search(r"\bseu|\bsua", article) is not None
    )


def _portuguese_noun(bare: str, article: str, is_own: bool) -> str:
    head = fold(re.split(r"\s", bare)[0])
    words = set(article.split())
    plural = bool(words & {"os", "as", "seus", "suas", "pelos", "pelas"}) or (
        not words and head.endswith("s") and head not in ("mes", "cnpjs")
    )
    feminine = bool(words & {"a", "as", "uma", "sua", "suas", "pela", "pelas", "da"}) or (
        not words & {"o", "os", "um", "pelo", "pelos", "seu", "seus", "do"} and _is_feminine(head)
    )
    own = is_own or (head in _PERSONAL and not _RELATIVE.search(fold(bare)))
    the = ("as" if feminine else "os") if plural else ("a" if feminine else "o")
    yours = f"{('sua' if feminine else 'seu') + ('s' if plural else '')} " if own else ""
    return f"{'Quais são' if plural else 'Qual é'} {the} {yours}{bare}?"


def _is_feminine(head: str) -> bool:
    return head not in _MASCULINE_IN_A and bool(_FEMININE.match(head))


def _with_options(question: str, enum: Sequence[Any] | None, language: Language, *, derived: bool) -> str:
    """The values to choose from, unless the author's words name them already or there are too many."""
    values = [_shown(value, language) for value in enum or ()][:_LIST_LIMIT]
    if len(values) < 2 or all(fold(value) in fold(question) for value in values):
        return question
    listed = f"{', '.join(values[:-1])} {say('or', language)} {values[-1]}"
    if derived and question.endswith("?"):
        return f"{question[:-1]}: {listed}?"
    return f"{question} {say('options', language, listed)}"


def _shown(value: Any, language: Language) -> str:
    if isinstance(value, bool):
        return say("yes" if value else "no", language)
    return str(value)
