"""One speaking: model calls and tool rounds until there is a message (spec: engine.md section 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from falai_engine.briefs import SpeakBrief
from falai_engine.model import HistoryItem, ModelRequest
from falai_engine.needs import Raised, Steps
from falai_engine.phases.ask import ask
from falai_engine.phases.failures import BLANK, Failure, failure_of
from falai_engine.phases.state import Turn
from falai_engine.phases.tools import ToolRounds, offer, run_round
from falai_engine.records.session import Run
from falai_engine.registry import Tool
from falai_engine.replies import speech_of
from falai_engine.update_state import StateUpdates

__all__ = ["Part", "Speech", "utter"]


@dataclass(slots=True)
class Speech:
    """What one speaking gave: the text, the pending fields' raw values, tool data, and how many calls it took."""

    text: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    calls: int = 0
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What the speaker works from, the same in every round but for history and tools.

    `names`: for each property of the schema but `message`, the field it stands for.
    """

    prompt: str
    brief: SpeakBrief
    schema: Mapping[str, Any]
    names: Mapping[str, str]
    tools: Sequence[Tool | StateUpdates]


def utter(turn: Turn, run: Run | None, renew: Callable[[], Steps[Part]]) -> Steps[Speech]:
    """Ask the model until it gives a message; a failure keeps neither values nor tool data of its rounds.

    `renew` makes the part, anew after a round that set state.
    """
    speech = Speech()
    yield from _rounds(turn, run, renew, speech)
    turn.unsettled = {}
    return speech


def _rounds(turn: Turn, run: Run | None, renew: Callable[[], Steps[Part]], speech: Speech) -> Steps[None]:
    part = yield from renew()
    rounds = ToolRounds(run, turn.data())
    history = turn.history
    while True:
        tools = part.tools if rounds.number < turn.agent.max_tool_loops else ()
        reply = yield from ask(turn, _request(turn, part, history, tools), speech.calls)
        speech.calls += 1
        if isinstance(reply, Raised):
            speech.failure = failure_of(reply.error)
            return
        text, values = speech_of(reply)
        _merge(speech, part, values)
        if not tools or not reply.tool_calls:
            break
        items = yield from run_round(turn, rounds, reply, text, tools)
        history = [*_opened(turn, part, history), *items]
        if rounds.state_changed:
            part = yield from renew()
    speech.text = text
    speech.data = rounds.written
    if not text.strip():
        speech.failure = BLANK


def _request(
    turn: Turn, part: Part, history: Sequence[HistoryItem], tools: Sequence[Tool | StateUpdates]
) -> ModelRequest:
    return ModelRequest(
        part.prompt,
        part.schema,
        "speak",
        turn.agent.system,
        history,
        tuple(map(offer, tools)) if tools else (),
        turn.deadline,
        part.brief,
    )


def _merge(speech: Speech, part: Part, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        slug = part.names.get(name)
        if slug is not None:
            speech.values[slug] = value


def _opened(turn: Turn, part: Part, history: Sequence[HistoryItem]) -> Sequence[HistoryItem]:
    """Vendors want a user item before a tool call: added once, where the history does not end on one."""
    if history is not turn.history or (history and history[-1].get("role") == "user"):
        return history
    content = part.prompt if turn.customer is None else turn.customer.message
    return [*history, {"role": "user", "content": content}]
