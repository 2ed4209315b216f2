"""Tool rounds: gates, parallel safe calls, results as the model reads them (spec: engine.md section 8, Tools)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from falai_engine.compiled.conditions import is_async
from falai_engine.error_words import shown, told
from falai_engine.model import HistoryItem, ModelReply, ToolCall, ToolOffer
from falai_engine.needs import Await, Raised, RunTools, Steps, ToolRun
from falai_engine.phases.state import Turn, run_view
from falai_engine.records.session import Run
from falai_engine.registry import Invalid, Tool, ToolRequest, ToolResult
from falai_engine.replies import arguments_of, sound_text
from falai_engine.update_state import StateUpdates
from falai_engine.values import MISSING, copied, json_text

__all__ = ["ToolRounds", "offer", "run_round"]

_CUT_NOTE: Final = "… [cut: the result was {size} characters long]"


@dataclass(slots=True)
class ToolRounds:
    """What the rounds of one speaking share. `seen`: the data tools read; `written`: their patches, in call order.

    `fresh`: what this round has written. `state_changed`: whether prompts and conditions read other state now.
    """

    run: Run | None
    seen: dict[str, Any]
    written: dict[str, Any] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    number: int = 0
    state_changed: bool = False

    def write(self, patch: Mapping[str, Any]) -> None:
        own = copied(patch)
        self.written.update(own)
        self.fresh.update(own)

    def show(self, turn: Turn, patch: Mapping[str, Any]) -> None:
        """Tools see a patch from now on: what it takes away is gone, a variable then reads as its initial again."""
        initials = turn.agent.initials
        kept = {slug: initials.get(slug) if value is None else value for slug, value in patch.items()}
        seen = {**self.seen, **kept}
        self.seen = {slug: value for slug, value in seen.items() if value is not None or slug not in kept}

    def close_round(self, turn: Turn) -> None:
        """From the next round on, tools see what was written so far, and the rest what became of the state set."""
        self.show(turn, self.written)
        changed = turn.unsettled.keys() & self.fresh
        turn.unsettled.update({slug: self.written[slug] for slug in changed})
        self.state_changed = bool(changed)
        self.fresh = set()
        self.number += 1


@dataclass(slots=True)
class _Slot:
    """One call of a round and, once it has run or was refused, what the model reads of it."""

    call: ToolCall
    arguments: Mapping[str, Any]
    content: str | None = None


def offer(tool: Tool | StateUpdates) -> ToolOffer:
    """The tool as the model sees it."""
    return ToolOffer(tool.id, tool.description, tool.parameters)


def run_round(
    turn: Turn, rounds: ToolRounds, reply: ModelReply, text: str, offered: Sequence[Tool | StateUpdates]
) -> Steps[list[HistoryItem]]:
    """Run the calls of one reply; the items they add to the history."""
    tools = {tool.id: tool for tool in offered}
    slots = [_Slot(call, arguments_of(call.arguments)) for call in reply.tool_calls]
    together: list[tuple[_Slot, ToolRun]] = []
    for slot in slots:
        tool = tools.get(slot.call.name)
        if isinstance(tool, StateUpdates):
            yield from _run_together(rounds, together)
            _update_state(turn, rounds, slot, tool)
            continue
        alone = tool is not None and not _is_safe(tool)
        if alone:
            yield from _run_together(rounds, together)
        run = yield from _pass_gates(turn, rounds, slot, tool)
        if run is not None:
            together.append((slot, run))
        if alone:
            yield from _run_together(rounds, together)
    yield from _run_together(rounds, together)
    items = _items(rounds.number, reply, text, slots)
    rounds.close_round(turn)
    return items


def _is_safe(tool: Tool) -> bool:
    """Whether it may run beside others: not destructive; concurrency-safe, when unsaid as read-only."""
    safe = tool.read_only if tool.concurrency_safe is None else tool.concurrency_safe
    return safe and not tool.destructive


# -- gates


def _pass_gates(turn: Turn, rounds: ToolRounds, slot: _Slot, tool: Tool | None) -> Steps[ToolRun | None]:
    """The run that is due, or None with the refusal in the slot."""
    if tool is None:
        slot.content = _error(f'tool "{slot.call.name}" is not offered here')
        return None
    request = _request(turn, rounds)
    try:
        refusal = yield from _refusal(tool, slot, request)
    except Exception as error:  # noqa: BLE001 - nothing a tool does raises (section 8)
        refusal = _error(told(error))
    if refusal is not None:
        slot.content = refusal
        return None
    return ToolRun(tool, slot.arguments, request)


def _refusal(tool: Tool, slot: _Slot, request: ToolRequest) -> Steps[str | None]:
    if tool.validate is not None:
        found = yield from _ask_gate(tool, tool.validate, slot, request)
        if isinstance(found, Invalid):
            return _invalid(found)
    if tool.permit is not None:
        allowed = yield from _ask_gate(tool, tool.permit, slot, request)
        if allowed is not True:
            return _error(allowed if isinstance(allowed, str) and allowed else "permission denied")
    return None


def _ask_gate(
    tool: Tool, gate: Callable[[Mapping[str, Any], ToolRequest], Any], slot: _Slot, request: ToolRequest
) -> Steps[Any]:
    answer = gate(slot.arguments, request)
    if is_async(answer):
        answer = yield Await(answer, f'gate of tool "{tool.id}"')
    if isinstance(answer, Raised):
        raise answer.error
    return answer


def _request(turn: Turn, rounds: ToolRounds) -> ToolRequest:
    return ToolRequest(
        context=None if turn.input.context is MISSING else turn.input.context,
        data=MappingProxyType(rounds.seen),
        history=turn.history,
        run=None if rounds.run is None else run_view(rounds.run),
        now=turn.moment(),
        deadline=turn.deadline,
    )


# -- running and reading


def _run_together(rounds: ToolRounds, due: list[tuple[_Slot, ToolRun]]) -> Steps[None]:
    """Run what is due, read the answers, and nothing is due any more."""
    if not due:
        return
    answers = yield RunTools(tuple(run for _, run in due))
    for (slot, run), answer in zip(due, answers, strict=True):
        slot.content = _content(rounds, run.tool, answer)
    due.clear()


def _update_state(turn: Turn, rounds: ToolRounds, slot: _Slot, tool: StateUpdates) -> None:
    """An update-state call is code of ours: it runs at once, and the calls after it see what it set."""
    outcome = tool.apply(rounds.seen, slot.arguments)
    if outcome.invalid is not None:
        slot.content = _error(outcome.invalid)
        return
    slot.content = json_text({"updated": outcome.written, **({"skipped": outcome.skipped} if outcome.skipped else {})})
    rounds.write(outcome.written)
    rounds.show(turn, outcome.written)
    turn.unsettled.update(outcome.written)


def _content(rounds: ToolRounds, tool: Tool, answer: Any) -> str:
    """What the model reads of one answer; one that cannot be read is an error like any other."""
    if isinstance(answer, Raised):
        return _error(told(answer.error))
    result = answer if isinstance(answer, ToolResult) else ToolResult(answer)
    data: Any = result.data or {}
    if not isinstance(data, Mapping):
        return _error(f"the tool gave {shown(data)} as data, not an object")
    try:
        content = sound_text(_cut(_value_text(result.value), tool.max_result_size_chars))
        rounds.write(data)
    except Exception as error:  # noqa: BLE001 - nothing a tool does raises (section 8)
        return _error(f"the tool's answer is no JSON: {told(error)}")
    return content


def _value_text(value: Any) -> str:
    if value is None:
        return '{"ok":true}'
    return value if isinstance(value, str) else json_text(value)


def _cut(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else text[:limit] + _CUT_NOTE.format(size=len(text))


def _error(why: str) -> str:
    return json_text({"error": why})


def _invalid(found: Invalid) -> str:
    if found.corrected_input is None:
        return _error(found.error)
    return json_text({"error": found.error, "correctedInput": found.corrected_input})


def _items(number: int, reply: ModelReply, text: str, slots: list[_Slot]) -> list[HistoryItem]:
    ids = [f"call-{number}-{index}" for index in range(len(slots))]
    calls = [
        {"id": id_, "name": slot.call.name, "arguments": slot.arguments} for id_, slot in zip(ids, slots, strict=True)
    ]
    assistant: dict[str, Any] = {"role": "assistant", "content": text or None, "tool_calls": calls}
    if reply.reasoning is not None:
        assistant["reasoning"] = reply.reasoning
    results = [
        {"role": "tool", "tool_call_id": id_, "name": slot.call.name, "content": slot.content}
        for id_, slot in zip(ids, slots, strict=True)
    ]
    return [assistant, *results]
