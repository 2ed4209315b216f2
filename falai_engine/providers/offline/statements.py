"""From a step's guideline ("Agradeça e diga que um vendedor continua.") to what the customer reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from falai_engine.providers.offline.language import Language, spoken_in
from falai_engine.providers.offline.questions import as_question, capital
from falai_engine.providers.offline.wording import say
from falai_engine.providers.offline.words import clean, fold

__all__ = ["facts_of", "introduction", "news_of", "statements", "wants_greeting", "wants_summary"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_NEXT_VERB = re.compile(
    r"[,;]?\s(?:e|and|then|depois|em seguida)\s+(?=(?:diga|informe|avise|pergunte|agradeca|convide|ofereca|"
    r"explique|peca|confirme|despeca|cumprimente|apresente|encerre|mande|resuma|say|tell|ask|thank|invite|offer|"
    r"explain|confirm|greet|let|summari[sz]e|wish|close|apologi[sz]e)\b)"
)
_SAY = re.compile(
    r"(?:diga|informe|avise|explique|conte|comunique|fale|reforce|lembre|esclareca|mencione|responda|escreva|say|"
    r"tell|inform|explain|mention|let|remind|answer|reply|write|state)(?:[- ](?:lhe|o|a|os))?(?: (?:ao|a|para o|para "
    r"a|o|the) (?:cliente|usuario|lead|contato|pessoa|customer|client|user|lead|person)| them| him| her| us)?(?: "
    r"know)?(?: de)?(?: (?:que|that)|:)\s+"
)
_QUOTED = re.compile(r"[\"“«]([^\"”»]{2,400})[\"”»]")
_CONSTRAINT = re.compile(
    r"(?:nao|nunca|jamais|evite|seja|use|mantenha|sempre|se|caso|quando|never|do not|don['’]t|avoid|be|keep|always|"
    r"if|when|only|em tom|com tom|tom|in a|lembre-se|remember|considere|consider|baseie|siga|follow|aja|act|voce e|"
    r"you are|apenas|responda em|answer in|limite|trate|treat|adapte)\b"
)
_FOR = re.compile(r"\b(?:pelo|pela|pelos|pelas|por|for)\b")
_ABOUT = re.compile(r"(?:sobre|about|regarding|a respeito d[eoa])\s+")
_INSTRUCTION = re.compile(
    r"(?:responda|ajude|atenda|explique|apresente|fale|mostre|detalhe|conte|descreva|descubra|retome|cutuque|"
    r"reengaje|insista|ultima tentativa|lembre|nao achou|conduza|acompanhe|auxilie|oriente|converse|tente|continue|"
    r"finalize|encerre|conclua|feche|resuma|recapitule|informe|avise|diga|comunique|fa[cz]a|faca|busque|procure|"
    r"consulte|verifique|chame|escreva|envie|mande|deixe|passe|ouca|entenda|trate|ofereca|sugira|convide|proponha|"
    r"recomende|indique|agradeca|cumprimente|saude|despeca|peca|acolha|tranquilize|transfira|registre|marque|agende|"
    r"colete|negocie|contorne|motive|incentive|reforce|parabenize|answer|help|assist|explain|present|talk|show|"
    r"describe|continue|resume|nudge|follow up|remind|guide|support|try|close|finish|end|conclude|summari[sz]e|recap|"
    r"tell|say|inform|let|look|search|check|call|write|send|give|offer|suggest|invite|propose|recommend|thank|greet|"
    r"welcome|wish|apologi[sz]e|transfer|hand|register|schedule|book|collect|negotiate|encourage|reassure|"
    r"congratulate|respond|reply|chat|speak|find|discover|make|desculpe-se|introduza|introduce|pergunte|ask|confirme|"
    r"confirm)\b"
)
_COMMAND = re.compile(r"\b(?:use|diga|responda|ofereca|chame|explique|pergunte|say that|tell them|offer to|ask them)\b")
_SECOND_PERSON = re.compile(r"\b(?:voces?|sua?s?|seus?|you|your|yours)\b")
_AS_WHOM = re.compile(
    r"(?:apresente-se como|introduce yourself as|say (?:that )?you are)\s+(?P<who>(?:[oa] )?[^,.;\n]{2,60}?)"
    r"(?=\s+(?:e|and)\s|[,.;\n]|$)"
)
_MOST = 3

_Phrasing = Callable[[str, Language], str | None]


def _fixed(key: str) -> _Phrasing:
    return lambda rest, language: say(key, language)


def _offered(rest: str, language: Language) -> str | None:
    bare = re.sub(
        r"^(?:(?:ao?|para [oa]|o|a|the) (?:cliente|lead|pessoa|usu[aá]rio|customer|client|user|person) |them "
        r")?(?:(?:para|a|to|com)\s)?(?=\w)",
        "",
        rest,
        flags=re.IGNORECASE,
    )
    return say("offer", language, bare) if bare else say("how_help", language)


def _thanked(rest: str, language: Language) -> str | None:
    match = _FOR.search(fold(rest))
    return say("thank_for", language, rest[match.start() :]) if match else say("thank", language)


def _excused(rest: str, language: Language) -> str | None:
    match = _FOR.search(fold(rest))
    return say("apology_for", language, rest[match.start() :]) if match else say("apology", language)


def _explained(rest: str, language: Language) -> str | None:
    match = _ABOUT.search(fold(rest))
    topic = rest[match.end() :] if match else rest
    topic = re.sub(
        r"^(?:ao?|para [oa]|the|to the) (?:cliente|lead|pessoa|customer|client|user|person)\s*",
        "",
        topic,
        flags=re.IGNORECASE,
    )
    return say("what_about", language, topic) if topic and len(topic.split()) <= 12 else say("what_to_know", language)


_PHRASINGS: tuple[tuple[re.Pattern[str], _Phrasing], ...] = (
    (re.compile(r"(?:agradeca|thank)\b"), _thanked),
    (re.compile(r"(?:peca|pedir|se)? ?(?:desculpas?|desculpe-se)\b|apologi[sz]e\b"), _excused),
    (
        re.compile(r"(?:cumprimente|saude|greet|welcome|de (?:oi|ola|boas[- ]vindas)|say (?:hello|hi))\b"),
        _fixed("hello"),
    ),
    (
        re.compile(r"(?:despeca(?:-se)?|encerre|finalize|conclua|say goodbye|end|close|finish|conclude)\b"),
        _fixed("bye"),
    ),
    (
        re.compile(
            r"(?:retome|cutuque|reengaje|continue|resume|nudge|follow up|lembre|remind|ultima tentativa|last "
            r"attempt)\b"
        ),
        _fixed("continue"),
    ),
    (
        re.compile(r"(?:ofereca|sugira|convide|proponha|recomende|indique|offer|suggest|invite|propose|recommend)\b"),
        _offered,
    ),
    (
        re.compile(r"(?:explique|apresente(?!-se)|fale|detalhe|conte|descreva|explain|present|talk|describe|tell)\b"),
        _explained,
    ),
    (re.compile(r"(?:apresente-se|introduce yourself)\b"), _fixed("here")),
)
_ASKING = re.compile(r"(?:pergunte|peca|solicite|descubra|confirme|verifique|ask|find out|confirm|check|request)\b")
_GREETING = re.compile(
    r"\b(?:cumprimente|saude|de (?:oi|ola|boas[- ]vindas)|greet|welcome|say (?:hello|hi)|apresente-se|introduce "
    r"yourself)\b"
)
_SUMMARY = re.compile(r"\b(?:resuma|recapitule|summari[sz]e|recap|sum up)\b")


def wants_greeting(guideline: str) -> bool:
    """Whether the author wants the message to open with a greeting."""
    return bool(_GREETING.search(fold(guideline)))


def wants_summary(guideline: str) -> bool:
    """Whether the author wants what is known summed up."""
    return bool(_SUMMARY.search(fold(guideline)))


def statements(guideline: str, language: Language) -> list[str]:
    """At most three sentences to say; rules of conduct and what needs a model to say are left out."""
    found: list[str] = []
    for part in _parts(guideline):
        said = _said(part, spoken_in(part) or language)
        if said and said not in found:
            found.append(said)
    return found[:_MOST]


def facts_of(guideline: str) -> list[str]:
    """The sentences of a guideline that instruct nothing: opening hours, prices, an address."""
    return [part for part in _parts(guideline) if _is_fact(fold(part))]


def _is_fact(folded: str) -> bool:
    return not (_INSTRUCTION.match(folded) or _CONSTRAINT.match(folded) or _COMMAND.search(folded))


def news_of(guideline: str) -> list[str]:
    """What a guideline wants told beside a question ("Avise que é grátis."); nothing that turns to a "you" unclear."""
    told = (part[verb.end() :] for part in _parts(guideline) if (verb := _SAY.match(fold(part))))
    return [said for text in told if not _SECOND_PERSON.search(fold(text)) and (said := _sentence(text))]


def introduction(guideline: str, language: Language) -> str:
    """What "apresente-se como a Lia da Vereda" comes to; empty without a name."""
    match = _AS_WHOM.search(fold(clean(guideline)))
    if match is None:
        return ""
    return say("this_is", language, clean(guideline)[match.start("who") : match.end("who")].strip())


def _parts(guideline: str) -> Sequence[str]:
    parts: list[str] = []
    for sentence in _SENTENCE_END.split(clean(guideline).strip()):
        at = 0
        for match in _NEXT_VERB.finditer(fold(sentence)):
            parts.append(sentence[at : match.start()].strip())
            at = match.end()
        parts.append(sentence[at:].strip())
    return [part.lstrip("-*• ").strip() for part in parts if part.strip("-*•. ")]


def _said(part: str, language: Language) -> str | None:
    folded = fold(part)
    if _CONSTRAINT.match(folded):
        return None
    quoted = _QUOTED.search(part)
    if quoted is not None and _INSTRUCTION.match(folded):
        return quoted[1]
    verb = _SAY.match(folded)
    if verb is not None:
        return _sentence(part[verb.end() :])
    for pattern, phrasing in _PHRASINGS:
        match = pattern.match(folded)
        if match is not None:
            said = phrasing(part[match.end() :].strip(" .!:,"), language)
            return capital(said) if said else None
    if _ASKING.match(folded):
        return as_question(part, language)
    return None if _INSTRUCTION.match(folded) else _sentence(part)


def _sentence(text: str) -> str | None:
    text = text.strip()
    if not text.strip(".!? "):
        return None
    return capital(text if text[-1] in ".!?…" else text + ".")
