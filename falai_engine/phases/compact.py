"""Compact: keeping the history that goes to the model within bounds (spec: engine.md section 14)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from falai_engine.compaction import Compaction
from falai_engine.model import HistoryItem, ModelReply, ModelRequest
from falai_engine.needs import Steps
from falai_engine.phases.ask import ask
from falai_engine.phases.state import Turn
from falai_engine.prompts import summary_prompt
from falai_engine.replies import first_object
from falai_engine.values import json_text

__all__ = ["compact", "estimate_tokens"]

CHARS_A_TOKEN: Final = 4
CHARS_A_MESSAGE: Final = 4
_SPACE: Final = re.compile(r"\s+")
_CUT_NOTE: Final = "… [cut]"


def _text(item: HistoryItem) -> str:
    content = item.get("content")
    return content if isinstance(content, str) else "" if content is None else json_text(content)


def _chars(item: HistoryItem) -> int:
    return len(_text(item)) + len(str(item.get("name") or "")) + CHARS_A_MESSAGE


def estimate_tokens(history: Sequence[HistoryItem]) -> int:
    """The characters of content and name and 4 a message, divided by 4, rounded up."""
    return -(-sum(map(_chars, history)) // CHARS_A_TOKEN)


def compact(turn: Turn) -> Steps[None]:
    """Make `turn.history` smaller, on a copy, when the agent has the option and the history is long."""
    option = turn.agent.compaction
    if option is None or not option.enabled or not turn.history:
        return
    history: Sequence[HistoryItem] = turn.history
    if estimate_tokens(history) < option.limit:
        return
    for shorten in (_cut_result, _collapse_result):
        history = _older_results(history, option, shorten)
        if estimate_tokens(history) < option.limit:
            turn.history = history
            return
    turn.history = yield from _summarise(turn, history, option)


def _older_results(history: Sequence[HistoryItem], option: Compaction, shorten: Any) -> list[HistoryItem]:
    edge = max(len(history) - option.preserve_recent_count, 0)
    older = [shorten(item, option) if item.get("role") == "tool" else item for item in history[:edge]]
    return [*older, *history[edge:]]


def _cut_result(item: Mapping[str, Any], option: Compaction) -> Mapping[str, Any]:
    text = _text(item)
    limit = option.max_tool_result_chars
    return item if len(text) <= limit else {**item, "content": text[:limit] + _CUT_NOTE}


def _collapse_result(item: Mapping[str, Any], _option: Compaction) -> Mapping[str, Any]:
    return {**item, "content": _SPACE.sub(" ", _text(item)).strip()}


def _window_start(history: Sequence[HistoryItem], start: int) -> int:
    """The window never opens on a tool result whose call was cut."""
    opens = start
    while opens < len(history) and history[opens].get("role") == "tool":
        opens += 1
    if opens < len(history) or start == len(history):
        return opens
    while start > 0 and history[start].get("role") == "tool":  # nothing but results: keep them with their call
        start -= 1
    return start


def _summarise(turn: Turn, history: Sequence[HistoryItem], option: Compaction) -> Steps[Sequence[HistoryItem]]:
    edge = _window_start(history, max(len(history) - option.preserve_recent_count, 0))
    older = [(str(item.get("role")), _text(item)) for item in history[:edge]]
    request = ModelRequest(summary_prompt(older), {}, None, deadline=turn.deadline)
    reply = yield from ask(turn, request)
    summary = _summary_text(reply) if isinstance(reply, ModelReply) else ""
    if summary:
        return [{"role": "system", "content": summary}, *history[edge:]]
    return _newest(history, edge, option)


def _summary_text(reply: ModelReply) -> str:
    """Plain text, or the `message` of an object that a model wrapped around it."""
    found = reply.structured if isinstance(reply.structured, Mapping) else first_object(reply.message)
    message = found.get("message") if found else reply.message
    return message.strip() if isinstance(message, str) else ""


def _newest(history: Sequence[HistoryItem], edge: int, option: Compaction) -> Sequence[HistoryItem]:
    """Without a summary: the window and as many of the newest older items as stay under the threshold."""
    start = edge
    while start > 0 and estimate_tokens(history[start - 1 :]) < option.limit:
        start -= 1
    return history[_window_start(history, start) :]
