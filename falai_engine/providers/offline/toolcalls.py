"""When a tool is called, with which arguments, and how its result is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from falai_engine.briefs import KnownValue, SpeakBrief
from falai_engine.model import HistoryItem, ToolCall, ToolOffer
from falai_engine.providers.offline.choices import named_choice
from falai_engine.providers.offline.concepts import covers
from falai_engine.providers.offline.fields import read_fields
from falai_engine.providers.offline.judge import HOLDS, fit, topic_fit, topics_of
from falai_engine.providers.offline.language import Language
from falai_engine.providers.offline.lexicon import DESCRIBING, GENERIC, STOP
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.roles import Wanted, wanted_parameter
from falai_engine.providers.offline.wording import say
from falai_engine.providers.offline.words import clean, fold, normal_form, tokens

__all__ = ["after_tools", "chosen_call", "told_result"]

_PLAINLY = 75
_RESULT_LIMIT = 400


def after_tools(history: Sequence[HistoryItem]) -> bool:
    """Whether this is a later round: the history ends on a tool's result."""
    return bool(history) and history[-1].get("role") == "tool"


def chosen_call(brief: SpeakBrief, tools: Sequence[ToolOffer], message: Message) -> ToolCall | None:
    """A call of the tool that the customer's words, or the guideline by its name, plainly mean; else None."""
    best: tuple[float, ToolCall] | None = None
    for tool in tools:
        score = _meant(tool, brief, message)
        if score >= _PLAINLY and (best is None or score > best[0]):
            arguments = _arguments(tool, brief, message)
            best = (score, ToolCall(tool.name, arguments)) if arguments is not None else best
    return best[1] if best else None


def _meant(tool: ToolOffer, brief: SpeakBrief, message: Message) -> float:
    spoken = tool.name.replace("_", " ").replace("-", " ")
    guideline = _plain(brief.guideline or "")
    if guideline and (
        f" {fold(tool.name)} " in f" {fold(brief.guideline or '')} " or f" {_plain(spoken)} " in f" {guideline} "
    ):
        return 100.0 if brief.message is not None and _is_news(tool, brief, message) else 0.0
    if not message.normal:
        return 0.0
    return max(fit(tool.description, message, truth=True), 0.9 * topic_fit(spoken, message))


def _is_news(tool: ToolOffer, brief: SpeakBrief, message: Message) -> bool:
    """What a tool has answered before is not looked up again: some argument is new, or the tool is asked for."""
    parameters = _parameters(tool)
    known = _known_arguments(parameters, brief.known)
    if not parameters or known.keys() != parameters.keys():
        return True
    fresh = _known_arguments(parameters, [value for value in brief.known if value.fresh])
    if fresh or _named_now(parameters, message):
        return True
    if message.is_question:
        return any(covers(message.said, topic) for topic in _telling_topics(tool))
    return all(field.asked == 0 for field in brief.pending)


def _telling_topics(tool: ToolOffer) -> Iterator[str]:
    topics = topics_of(f"{tool.description} {tool.name.replace('_', ' ')}")
    return (topic for topic in topics if topic not in STOP and topic not in DESCRIBING and topic not in GENERIC)


def _parameters(tool: ToolOffer) -> dict[str, Mapping[str, Any]]:
    properties = tool.parameters.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {str(name): parameter for name, parameter in properties.items() if isinstance(parameter, Mapping)}


def _plain(text: str) -> str:
    return normal_form(tokens(fold(clean(text)))).replace(" ,", "")


def _arguments(tool: ToolOffer, brief: SpeakBrief, message: Message) -> dict[str, Any] | None:
    """What the tool needs, from what is known and what was said; None when something required is missing."""
    parameters = _parameters(tool)
    required = tool.parameters.get("required")
    needed = {str(name) for name in required} if isinstance(required, list | tuple) else set()
    known = _known_arguments(parameters, brief.known)
    known |= _named_now(parameters, message)
    open_ones = {name: parameter for name, parameter in parameters.items() if name not in known}
    read = _read_arguments(open_ones, message, needed)
    arguments = {**known, **{name: value for name, value in read.items() if value is not None}}
    return {name: arguments[name] for name in parameters if name in arguments} if needed <= arguments.keys() else None


def _known_arguments(parameters: Mapping[str, Mapping[str, Any]], known: Sequence[KnownValue]) -> dict[str, Any]:
    by_slug = {_plain(value.slug.replace("_", " ").replace("-", " ")): value.value for value in known}
    found = {name: by_slug.get(_plain(name.replace("_", " ").replace("-", " "))) for name in parameters}
    return {name: value for name, value in found.items() if value is not None and _allowed(value, parameters[name])}


def _named_now(parameters: Mapping[str, Mapping[str, Any]], message: Message) -> dict[str, Any]:
    """The options that the message itself names: "e na sexta?" goes ahead of the day that is known."""
    named = {name: named_choice(_options(p), message, asked=False) for name, p in parameters.items() if _options(p)}
    return {name: value for name, value in named.items() if value is not None}


def _options(parameter: Mapping[str, Any]) -> tuple[Any, ...]:
    enum = parameter.get("enum")
    return tuple(enum) if isinstance(enum, list | tuple) else ()


def _allowed(value: Any, parameter: Mapping[str, Any]) -> bool:
    return value in _options(parameter) if "enum" in parameter else True


def _read_arguments(parameters: Mapping[str, Mapping[str, Any]], message: Message, needed: set[str]) -> dict[str, Any]:
    if not message.normal:
        return {}
    judged = {n: _judged(p, message) for n, p in parameters.items() if p.get("type") == "boolean"}
    wanted = [_argument(name, p, name in needed) for name, p in parameters.items() if name not in judged]
    return judged | read_fields(message, wanted)


def _argument(name: str, parameter: Mapping[str, Any], needed: bool) -> Wanted:
    """A number or a choice that is needed may be any in the message; text must be recognised for what it is."""
    asked = needed and (parameter.get("type") in ("number", "integer") or bool(parameter.get("enum")))
    return wanted_parameter(name, parameter, asked)


def _judged(parameter: Mapping[str, Any], message: Message) -> bool | None:
    """A yes or no for the model to judge: whether what its description says is so."""
    description = parameter.get("description")
    return fit(description, message, truth=True) >= HOLDS if isinstance(description, str) and description else None


def told_result(history: Sequence[HistoryItem], language: Language) -> str:
    """The results at the end of the history as a sentence: text as it is, JSON as names and values."""
    told: list[str] = []
    for item in reversed(history):
        if item.get("role") != "tool":
            break
        told.insert(0, _told(item.get("content"), language))
    return " ".join(filter(None, told[-3:]))


def _told(content: Any, language: Language) -> str:
    value = _parsed(content)
    if isinstance(value, Mapping) and "error" in value:
        return say("tool_failed", language)
    if isinstance(value, Mapping) and "updated" in value and set(value) <= {"updated", "skipped"}:
        return ""  # the conversation's own state: nothing that the customer asked for was done
    if value in (None, "", True) or (isinstance(value, Mapping) and set(value) <= {"ok"}):
        return say("done", language)
    if isinstance(value, str):
        text = value.strip()[:_RESULT_LIMIT]
        return text if text[-1:] in ".!?" else say("found", language, text + ".")
    return say("found", language, _flat(value, language)[:_RESULT_LIMIT].rstrip(" .,;") + ".")


def _parsed(content: Any) -> Any:
    if not isinstance(content, str):
        return content
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content.strip()


def _flat(value: Any, language: Language, depth: int = 0) -> str:
    """Nested values in one line; what lies deeper than three levels is left out."""
    if isinstance(value, bool):
        return say("yes" if value else "no", language)
    if depth >= 3 and isinstance(value, Mapping | list | tuple):
        return "…"
    if isinstance(value, Mapping):
        return ", ".join(
            f"{str(k).replace('_', ' ')}: {_flat(v, language, depth + 1)}"
            for k, v in list(value.items())[:20]
            if v is not None
        )
    if isinstance(value, list | tuple):
        return "; ".join(_flat(v, language, depth + 1) for v in value[:10])
    return str(value)
