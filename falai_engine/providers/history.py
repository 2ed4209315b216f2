"""The turns of a call as every vendor takes them (spec: providers.md, "History goes to each vendor ...")."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, TypeAlias

from falai_engine.model import HistoryItem
from falai_engine.providers.json_text import arguments_of, objects, text_of

__all__ = ["GO_ON", "AssistantTurn", "Call", "Result", "ResultsTurn", "SystemTurn", "Turn", "UserTurn", "turns_of"]

GO_ON: Final = "(go on)"
"""A user turn where a vendor demands one and nobody wrote; no vendor takes an empty one."""


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What the customer wrote, or the prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class SystemTurn:
    """An instruction in mid-conversation: the summary of what compaction took out."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; its `id` is unique in the whole request, which those of the history need not be."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What the model said; with calls, `reasoning` is what came along with that round."""

    text: str
    calls: tuple[Call, ...] = ()
    reasoning: Any = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered to the call with this id."""

    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ResultsTurn:
    """The results of the calls of the turn before, one for each, in the order of the calls."""

    results: tuple[Result, ...]


Turn: TypeAlias = UserTurn | AssistantTurn | ResultsTurn | SystemTurn


def turns_of(history: Sequence[HistoryItem], prompt: str) -> list[Turn]:
    """The history and the prompt behind it, as every vendor takes it.

    A call without its result is left out, a result without its call too; before a call there stands a user turn or the
    results of the round before. Empty items are left out.
    """
    turns: list[Turn] = []
    for turn in _turns(history):
        if isinstance(turn, AssistantTurn) and turn.calls and not _may_be_called_after(turns):
            turns.append(UserTurn(GO_ON))
        turns.append(turn)
    turns.append(UserTurn(prompt if prompt.strip() else GO_ON))
    return turns


def _may_be_called_after(turns: Sequence[Turn]) -> bool:
    before = next((turn for turn in reversed(turns) if not isinstance(turn, SystemTurn)), None)
    return isinstance(before, UserTurn | ResultsTurn)


def _turns(history: Sequence[HistoryItem]) -> Iterator[Turn]:
    ids = (f"call_{number}" for number in count(1))
    for index, item in enumerate(history):
        text = _content(item)
        role = item.get("role")
        if role == "assistant":
            yield from _assistant(item, text, _results_behind(history, index), ids)
        elif role == "user" and text.strip():
            yield UserTurn(text)
        elif role == "system" and text.strip():
            yield SystemTurn(text)


def _assistant(item: HistoryItem, text: str, behind: Sequence[HistoryItem], ids: Iterator[str]) -> Iterator[Turn]:
    asked = list(objects(_listed(item.get("tool_calls"))))
    answers = _answers(asked, behind)
    pairs = [(call, answer) for call, answer in zip(asked, answers, strict=True) if answer is not None]
    calls = tuple(Call(next(ids), text_of(call.get("name")), arguments_of(call.get("arguments"))) for call, _ in pairs)
    # Reasoning belongs to all the calls of its round: with one left out it would be told of what is not there.
    reasoning = item.get("reasoning") if len(calls) == len(asked) else None
    if calls:
        yield AssistantTurn(text, calls, reasoning)
        answered = zip(calls, pairs, strict=True)
        yield ResultsTurn(tuple(Result(call.id, call.name, _content(answer)) for call, (_, answer) in answered))
    elif text.strip():
        yield AssistantTurn(text)


def _results_behind(history: Sequence[HistoryItem], index: int) -> list[HistoryItem]:
    found = []
    for item in history[index + 1 :]:
        if item.get("role") != "tool":
            break
        found.append(item)
    return found


def _answers(asked: Sequence[Mapping[str, Any]], behind: Sequence[HistoryItem]) -> list[HistoryItem | None]:
    """For each call the first result that names it and no other call has."""
    left = list(behind)
    answers: list[HistoryItem | None] = []
    for call in asked:
        answer = next((item for item in left if _is_for(item, call)), None)
        if answer is not None:
            left.remove(answer)
        answers.append(answer if text_of(call.get("name")) else None)
    return answers


def _is_for(item: HistoryItem, call: Mapping[str, Any]) -> bool:
    wanted = item.get("tool_call_id")
    return wanted == call.get("id") if wanted is not None else item.get("name") == call.get("name")


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


def _content(item: Mapping[str, Any]) -> str:
    content = item.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    return json.dumps(content, ensure_ascii=False, default=str)
