"""The phrasing of one message: what was given is acknowledged, what is missing asked, else the guideline followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from falai_engine.briefs import FieldAsk, KnownValue, SpeakBrief
from falai_engine.model import HistoryItem, ModelReply, ToolOffer
from falai_engine.providers.offline.answers import yes_or_no
from falai_engine.providers.offline.concepts import covers
from falai_engine.providers.offline.fields import read_fields
from falai_engine.providers.offline.intents import shows
from falai_engine.providers.offline.language import Language, language_of
from falai_engine.providers.offline.lexicon import AGREEMENTS, INTERJECTIONS, STOP, word_set
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.questions import Question, capital, lower_first, question_of
from falai_engine.providers.offline.roles import Wanted, wanted_field
from falai_engine.providers.offline.statements import (
    facts_of,
    introduction,
    news_of,
    statements,
    wants_greeting,
    wants_summary,
)
from falai_engine.providers.offline.toolcalls import after_tools, chosen_call, told_result
from falai_engine.providers.offline.wording import say

__all__ = ["spoken"]

_SHORT_QUESTION = 90
_SHOWN_VALUE = 120
_WORDS_SAID_BACK = 5
_NO_ANSWERS = (
    (("frustrated",), "insistence"),
    (("declines", "gives_up"), "no_problem"),
    (("indifferent",), "whichever"),
    (("unsure",), "estimate"),
)
_KNOWING = word_set(
    "saber entender conhecer know understand learn hear duvida question pergunta informacao information"
)
_NO_WORDS = word_set(", nao no nope nah not obrigado valeu thanks thank you brigado mesmo agora now ainda yet")
_CLAUSE_END = re.compile(r"[,;!?]\s|[.]\s(?=[A-ZÀ-Ý])|\n")
_GREETED_BY = {
    "bom dia": "good_morning",
    "good morning": "good_morning",
    "boa tarde": "good_afternoon",
    "good afternoon": "good_afternoon",
    "boa noite": "good_evening",
    "good evening": "good_evening",
}


@dataclass(frozen=True, slots=True)
class _Turn:
    """What one message is phrased from."""

    brief: SpeakBrief
    message: Message
    language: Language
    opening: bool
    values: dict[str, Any]
    told_before: str

    @property
    def guideline(self) -> str:
        return self.brief.guideline or ""

    @property
    def open_fields(self) -> list[FieldAsk]:
        return [field for field in self.brief.pending if self.values[field.name] is None]


def spoken(brief: SpeakBrief, tools: Sequence[ToolOffer], history: Sequence[HistoryItem]) -> ModelReply:
    """The reply to a speak call: the message and the values of the pending fields, or one tool call."""
    turn = _turn(brief, history)
    later_round = after_tools(history)
    call = chosen_call(brief, tools, turn.message) if tools and not later_round else None
    if call is not None:
        return _reply(turn, say("will_check", turn.language), call)
    told = [text for text in [told_result(history, turn.language)] if text] if later_round else []
    parts = [*told, *(_asking(turn, bool(told)) if brief.pending else _answering(turn, bool(told)))]
    return _reply(turn, " ".join(part.strip() for part in parts if part and part.strip()))


def _turn(brief: SpeakBrief, history: Sequence[HistoryItem]) -> _Turn:
    message = Message(brief.message or "")
    asks = " ".join(field.ask or field.label or "" for field in brief.pending)
    language = language_of(brief.locale, brief.message, asks, brief.guideline, brief.flow_description, brief.flow_name)
    told = [str(item.get("content") or "") for item in history if item.get("role") == "assistant"]
    values = read_fields(message, _wanted(brief))
    return _Turn(brief, message, language, not told, values, "\n".join(told))


def _wanted(brief: SpeakBrief) -> list[Wanted]:
    """The pending fields. When the message gave something already, what is left of it is no answer to another one.

    Only a yes or no, which is read nowhere but here, may still be in it, and what says itself what it is.
    """
    wanted = [wanted_field(field) for field in brief.pending]
    if not any(value.fresh for value in brief.known):
        return wanted
    return [item if item.type == "boolean" else replace(item, asked=False) for item in wanted]


def _reply(turn: _Turn, text: str, call: Any = None) -> ModelReply:
    text = text or say("how_help", turn.language)
    structured = {"message": text, **{name: value for name, value in turn.values.items() if name != "message"}}
    calls = (call,) if call is not None else ()
    return ModelReply(text, structured, calls, finish="tool_calls" if call else "stop")


def _asking(turn: _Turn, told: bool) -> list[str]:
    """What is said while a step collects."""
    acknowledged = _acknowledgement(turn)
    if not turn.open_fields:
        return [acknowledged or say("all_noted", turn.language)]
    greeting = _greeting(turn) if not told else ""
    bridge = "" if acknowledged or told else _bridge(turn)
    questions = _questions(turn)
    summary = _summary(turn) if any(q.wants_summary for q in questions) else ""
    texts = [question.text for question in questions]
    if bridge.endswith(":"):
        texts[0] = lower_first(texts[0])
    if summary:
        acknowledged = acknowledged if acknowledged.endswith("!") else ""
    news = news_of(turn.guideline)[:1] if not _in_order_of_asking(turn)[0].asked else []
    return [greeting, acknowledged, summary or bridge, *news, *texts]


def _questions(turn: _Turn) -> list[Question]:
    """The first open field; the second with it when both are short, plain, and asked for the first time."""
    fields = _in_order_of_asking(turn)
    first = question_of(fields[0], turn.language)
    if len(fields) < 2 or not all(_is_simple(field) for field in fields[:2]):
        return [first]
    second = question_of(fields[1], turn.language)
    if len(first.text) > _SHORT_QUESTION or len(second.text) > _SHORT_QUESTION or not second.text.endswith("?"):
        return [first]
    return [first, Question(say("and", turn.language, lower_first(second.text)))]


def _in_order_of_asking(turn: _Turn) -> list[FieldAsk]:
    """After a refusal another field comes first, when there is one."""
    fields = turn.open_fields
    if len(fields) > 1 and fields[0].asked and shows(turn.message, "declines"):
        return [*fields[1:], fields[0]]
    return fields


def _is_simple(field: FieldAsk) -> bool:
    return field.asked == 0 and field.enum is None and field.type != "boolean" and not wants_summary(field.ask or "")


def _bridge(turn: _Turn) -> str:
    """What stands before a question that was asked before and not answered."""
    asked = _in_order_of_asking(turn)[0].asked
    language = turn.language
    if turn.brief.message is None:
        return say("resume", language) if asked or turn.brief.unanswered else ""
    if shows(turn.message, "human"):
        return say("human", language)
    if not asked:
        return say("fine", language) if shows(turn.message, "declines", "gives_up", "later") else _reaction(turn)
    return _bridge_again(turn, asked)


def _bridge_again(turn: _Turn, asked: int) -> str:
    """What stands before a question that is put once more: by what came in place of its answer."""
    message = turn.message
    for intents, key in _NO_ANSWERS:
        if shows(message, *intents) or (key == "no_problem" and _is_bare_no(message)):
            return say(key, turn.language)
    if message.is_question:
        return _answer_or_later(turn)
    understood = asked > 1 or shows(message, "doubt")
    return say("again" if understood else "not_understood", turn.language)


def _is_bare_no(message: Message) -> bool:
    """A no that is none of understanding: "não", "no, thanks"."""
    return yes_or_no(message) is False and all(word in _NO_WORDS for word in message.normal.split())


def _reaction(turn: _Turn) -> str:
    if shows(turn.message, "complains", "frustrated"):
        return say("sorry", turn.language).partition(".")[0] + "."
    known_before = any(not value.fresh for value in turn.brief.known)
    return _answer_or_later(turn) if known_before and turn.message.wants_to_know else ""


def _answer_or_later(turn: _Turn) -> str:
    """What the guideline has told or has to tell on what is asked, else that there is no answer yet."""
    return _best_fitting(turn, news_of(turn.guideline)) or say("later_answer", turn.language)


def _greeting(turn: _Turn) -> str:
    """A greeting is returned, late in a conversation only when it stands alone; else as the guideline wants."""
    if not turn.opening and (len(turn.message.tokens) > 3 or turn.brief.pending):
        return ""
    who = introduction(turn.guideline, turn.language) if turn.opening else ""
    if shows(turn.message, "greets"):
        key = next((key for words, key in _GREETED_BY.items() if words in turn.message.normal), "hi")
        return f"{say(key, turn.language)} {who}".strip()
    unasked = who or (turn.opening and (turn.brief.message is None or wants_greeting(turn.guideline)))
    return f"{say('hello', turn.language)} {who}".strip() if unasked else ""


def _acknowledgement(turn: _Turn) -> str:
    """Thanks for what came in this turn: by name when the name did, else by its value, else in general."""
    fresh = [(value.slug, value.value) for value in turn.brief.known if value.fresh and value.value not in (None, "")]
    by_name = {field.name: field for field in turn.brief.pending}
    read = [(by_name[name].slug, value) for name, value in turn.values.items() if value is not None]
    given = [*fresh, *read]
    if not given:
        return ""
    roles = {wanted_field(_as_field(slug)).role: value for slug, value in given}
    if isinstance(roles.get("name"), str):
        return say("thanks_name", turn.language, _short(roles["name"]))
    answers = [value for _, value in given if isinstance(value, bool)]
    if len(answers) == len(given):
        return say("confirmed" if answers[-1] else "denied", turn.language)
    if len(given) > 1 or _is_long(given[0][1]):
        return say("noted", turn.language)
    return say("noted_value", turn.language, _shown(given[0][1], turn.language))


def _is_long(value: Any) -> bool:
    """A sentence is not said back to whoever wrote it."""
    return isinstance(value, str) and (len(value.split()) > _WORDS_SAID_BACK or bool(_CLAUSE_END.search(value)))


def _as_field(slug: str) -> FieldAsk:
    return FieldAsk(slug, slug, "string", None, None, None, None)


def _short(name: str) -> str:
    return name.strip().partition(" ")[0]


def _shown(value: Any, language: Language) -> str:
    if isinstance(value, bool):
        return say("yes" if value else "no", language)
    if isinstance(value, int | float):
        return _number(value, language)
    return str(value)[:_SHOWN_VALUE].strip(" .")


def _number(value: float, language: Language) -> str:
    text = f"{value:,.2f}".removesuffix(".00") if abs(value) < 1e15 else str(value)
    return text.translate(str.maketrans(",.", ".,")) if language == "pt" else text


def _summary(turn: _Turn) -> str:
    known = [value for value in turn.brief.known if value.value not in (None, "")]
    listed = ", ".join(f"{lower_first(_label(value))}: {_shown(value.value, turn.language)}" for value in known)
    return say("summary", turn.language, listed) if listed else ""


def _label(value: KnownValue) -> str:
    return value.label or value.slug.replace("_", " ").replace("-", " ")


def _answering(turn: _Turn, told: bool) -> list[str]:
    """What is said when nothing is to be collected."""
    greeting = _greeting(turn)
    if told:
        return (
            []
            if turn.brief.idle
            else [said for said in statements(turn.guideline, turn.language) if said.endswith(".")][:1]
        )
    if _is_social(turn):
        return [greeting, *_by_intent(turn, bool(greeting))]
    summary = _summary(turn) if wants_summary(turn.guideline) else ""
    facts = _fitting_facts(turn)
    said = facts or ([] if turn.brief.idle else _told_unasked(turn))
    if said and greeting and said[0] == say("hello", turn.language):
        greeting = ""
    parts = [_acknowledgement(turn), summary, *said]
    if any(parts):
        return [greeting, *parts]
    return [greeting, *_by_intent(turn, bool(greeting))]


def _told_unasked(turn: _Turn) -> list[str]:
    """What the guideline says whoever writes what. Its facts once, and to no question that they do not answer."""
    facts = {capital(fact) for fact in facts_of(turn.guideline)}
    besides = turn.message.is_question or _is_in_trouble(turn.message) or any(f in turn.told_before for f in facts)
    return [text for text in statements(turn.guideline, turn.language) if not besides or text not in facts]


def _is_in_trouble(message: Message) -> bool:
    """Something went wrong, and nothing is asked: whoever writes that wants to be heard first."""
    return not message.is_request and shows(message, "complains", "frustrated", "troubled")


def _is_social(turn: _Turn) -> bool:
    """A thank-you or a goodbye wants one back, whatever the guideline has to tell."""
    message = turn.message
    return not message.is_request and len(message.tokens) <= 4 and shows(message, "thanks", "leaves")


def _fitting_facts(turn: _Turn) -> list[str]:
    """A sentence of the guideline that is about what the customer asks or tells."""
    if _is_in_trouble(turn.message) or (turn.brief.idle and not turn.message.is_request):
        return []
    fact = _best_fitting(turn, facts_of(turn.guideline))
    return [fact] if fact else []


def _best_fitting(turn: _Turn, texts: Sequence[str]) -> str:
    """The text that shares most with the message, empty when none shares anything."""
    asked = frozenset(turn.message.topics)
    shared = {text: sum(covers(asked, topic) for topic in Message(text).topics) for text in texts}
    best = max(shared, key=lambda text: shared[text], default="")
    return capital(best) if shared.get(best) else ""


_REACTIONS = (
    (("human",), ("human", "anything_else")),
    (("complains", "frustrated", "troubled"), ("sorry",)),
    (("gives_up", "opt_out", "later"), ("fine", "bye")),
    (("thanks",), ("welcome",)),
    (("leaves",), ("bye",)),
    (("waits",), ("all_right",)),
    (("unsure",), ("fine", "anything_else")),
)


def _only_agrees(message: Message) -> bool:
    """An "ok, entendi" that wants nothing."""
    words = [token.word for token in message.tokens]
    plain = all(word in INTERJECTIONS or word in STOP for word in words)
    return plain and any(word in AGREEMENTS for word in words)


def _by_intent(turn: _Turn, greeted: bool) -> list[str]:
    """A friendly answer of no content: the offline provider knows nothing that it could say."""
    language = turn.language
    for intents, keys in _REACTIONS:
        if shows(turn.message, *intents):
            return [say(key, language) for key in keys]
    if turn.message.is_question and (not greeted or turn.message.names_topic):
        return [say("no_answer", language), say("anything_else", language)]
    if not greeted and _only_agrees(turn.message):
        return [say("all_right", language)]
    if turn.message.is_request and turn.message.names_topic:
        wants_to_know = turn.message.has_word(_KNOWING)
        return [say("no_answer" if wants_to_know else "cannot", language), say("anything_else", language)]
    if turn.brief.message is None or greeted:
        return [say("how_help", language)]
    return [say("understood", language), say("how_help", language)]
