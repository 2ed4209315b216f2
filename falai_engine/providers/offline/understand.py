"""The judgement of a message: scores of flows, mentions, branches, values (spec: engine.md section 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from falai_engine.briefs import FlowChoice, MentionChoice, UnderstandBrief
from falai_engine.providers.offline.answers import is_bare_answer
from falai_engine.providers.offline.branches import held, told_topics
from falai_engine.providers.offline.choices import are_ranges, named_choice
from falai_engine.providers.offline.concepts import covers
from falai_engine.providers.offline.fields import read_fields
from falai_engine.providers.offline.intents import shows
from falai_engine.providers.offline.judge import HOLDS, background, best_fit, topic_fit, topics_of
from falai_engine.providers.offline.lexicon import STOP, word_set
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.people import companies
from falai_engine.providers.offline.roles import Wanted, wanted_field, wanted_parameter

__all__ = ["understood"]

_MENTION_HOLDS = 70
_TITLE_COUNTS = 0.85
_WINS = 60
"""From here on another flow's own words take the message away from a plain answer."""
_WEAK = 30
_ANSWERED = 80
_FLOOR_BASE = 30


def understood(brief: UnderstandBrief) -> dict[str, Any]:
    """The structured part of the reply, with the sections that the brief has something for."""
    message = Message(brief.message)
    message = Message(brief.message, _stood_for(brief, message), background([flow.phrases for flow in brief.flows]))
    scores = {flow.name: _flow_score(flow, message) for flow in brief.flows}
    mentions = {mention.name: _is_mentioned(mention, message) for mention in brief.mentions}
    context = _on_the_table(brief)
    wanted = [wanted_field(field) for field in brief.fields]
    fields = read_fields(message, wanted, _is_diverted(brief, message, scores))
    telling = Message(brief.message, message.meant | told_topics(message)) if brief.branches else message
    answers = [fields[item.name] for item in wanted if item.asked]
    branches = {branch.name: held(branch.when, telling, context, answers) for branch in brief.branches}
    sections: dict[str, Any] = {
        "flows": _with_floor(brief, message, scores, wanted, fields),
        "mentions": mentions,
        "extract": {m.name: _extract(m.extract, message, mentions[m.name]) for m in brief.mentions if m.extract},
        "branches": branches,
        "fields": fields,
    }
    return {name: section for name, section in sections.items() if section}


def _flow_score(flow: FlowChoice, message: Message) -> float:
    if best_fit(flow.excludes, message) >= HOLDS:
        return 0.0
    by_phrases = best_fit(flow.phrases, message)
    by_title = _TITLE_COUNTS * topic_fit(flow.title, message)
    return max(by_phrases, by_title, _described(flow.description, message))


def _described(description: str, message: Message) -> float:
    """A description is long, so it is asked the other way round: which topics of the message it names."""
    named = topics_of(description)
    topics = {concept: weight for concept, weight in message.topics.items() if covers(message.said, concept)}
    matched = [weight for concept, weight in topics.items() if covers(named, concept)]
    share = sum(matched) / sum(topics.values()) if topics else 0.0
    if message.inquiries and not message.inquiries & named:
        return 25.0 * share
    if sum(matched) >= 2 and share >= 0.5:
        return 70.0
    return 50.0 if matched and max(matched) >= 1 and share >= 0.5 else 25.0 * share


def _is_mentioned(mention: MentionChoice, message: Message) -> bool:
    if best_fit(mention.excludes, message) >= HOLDS:
        return False
    return max(best_fit(mention.phrases, message), _TITLE_COUNTS * topic_fit(mention.title, message)) >= _MENTION_HOLDS


def _stood_for(brief: UnderstandBrief, message: Message) -> frozenset[str]:
    """Topics of the fields whose values a question names: "atendem Unimed?" asks about the insurance."""
    if not message.is_question:
        return frozenset()
    named = (
        f for f in brief.fields if f.enum and not are_ranges(f.enum) and named_choice(f.enum, message, asked=False)
    )
    texts = (f"{field.slug} {field.label or ''}".replace("_", " ") for field in named)
    return frozenset(concept for text in texts for concept in topics_of(text) if concept not in STOP)


def _on_the_table(brief: UnderstandBrief) -> frozenset[str]:
    """Topics of the fields that were asked for: a refusal need not name them again."""
    asked = (f"{field.slug} {field.label or ''} {field.description or ''}" for field in brief.fields if field.asked)
    return frozenset(concept for text in asked for concept in topics_of(text.replace("_", " ")))


def _is_diverted(brief: UnderstandBrief, message: Message, scores: Mapping[str, float]) -> bool:
    """Another flow's words and a request: the message is no answer to what the floor asked."""
    others = [scores[flow.name] for flow in brief.flows if not flow.asking]
    return message.is_request and max(others, default=0.0) >= _WINS


def _with_floor(
    brief: UnderstandBrief,
    message: Message,
    scores: Mapping[str, float],
    wanted: list[Wanted],
    fields: Mapping[str, Any],
) -> dict[str, int]:
    """The scores as sent: while a flow asks, a plain answer belongs to it."""
    asker = next((flow.name for flow in brief.flows if flow.asking), None)
    rounded = {name: round(min(max(score, 0.0), 100.0)) for name, score in scores.items()}
    if asker is None:
        return rounded
    answers = _is_plain_answer(message, wanted, fields)
    floor = _ANSWERED if answers else _FLOOR_BASE
    kept = rounded if not answers else {name: min(score, _WEAK) for name, score in rounded.items()}
    own = next(flow for flow in brief.flows if flow.asking)
    excluded = best_fit(own.excludes, message) >= HOLDS
    return {**kept, asker: 0 if excluded else max(rounded[asker], floor)}


def _is_plain_answer(message: Message, wanted: list[Wanted], fields: Mapping[str, Any]) -> bool:
    if is_bare_answer(message) or (shows(message, "declines", "unsure") and not message.is_question):
        return True
    if message.is_request:
        return False
    return any(item.asked and (fields[item.name] is not None or _names_an_option(item, message)) for item in wanted)


def _names_an_option(item: Wanted, message: Message) -> bool:
    """An answer that chooses nothing is one all the same: "casa ou apartamento, tanto faz"."""
    return any(named_choice([option], message, asked=False) is not None for option in item.enum or ())


def _extract(parameters: Mapping[str, Mapping[str, Any]], message: Message, mentioned: bool) -> dict[str, Any]:
    """The parameters of a mention, all null when it was none: the wire schema wants the object either way."""
    wanted = [wanted_parameter(name, parameter) for name, parameter in parameters.items()]
    if not mentioned:
        return {item.name: None for item in wanted}
    values = read_fields(message, wanted)
    for item in wanted:
        if values[item.name] is None and item.type == "string" and not item.enum:
            values[item.name] = _excerpt(item, message)
    return values


def _excerpt(item: Wanted, message: Message) -> str | None:
    if item.role in ("competitor", "company"):
        return _rival(message)
    whole = message.text.strip()
    if item.role == "excerpt" or (item.role == "text" and len(whole) <= 300):
        return whole[:300] or None
    return None


_RIVAL = re.compile(
    r"(?:\b(?:[oa]s?|d[ao]s?|n[ao]s?|pel[ao]|com|from|at|with|than|to|use|using|uso|usamos|usando|the|concorrente|"
    r"competitor)\s+|^)(?:(?:[oa]|the) )?(?P<name>[A-Z][\w&]*(?:\s[A-Z][\w&]*){0,3}|\w+(?= (?:cobra|cobram|faz|fazem|"
    r"oferece|vende|charges?|offers?|sells?|does)\b))"
)
_NO_RIVAL = word_set(
    "a o as os eu voce voces vc vcs i you we quem que it they outra outro empresa fornecedor another company que who"
)


def _rival(message: Message) -> str | None:
    """A proper noun after an article or a preposition, or who "charges", "cobra" something."""
    for match in _RIVAL.finditer(message.text):
        name = match["name"]
        if name.lower() not in _NO_RIVAL and not (match.start() == match.start("name") and len(name) < 2):
            return name[:1].upper() + name[1:]
    found = companies(message.text, message.folded, [])
    return found[0].value if found else None
