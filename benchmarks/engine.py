"""The engine's rows: CPU a turn, how it grows, what building an agent takes (falai_engine alone, scripted model)."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.replay import random_turn_microseconds
from benchmarks.ruler import microseconds, ruler_microseconds
from falai_engine import (
    Agent,
    MessageInput,
    ModelReply,
    ModelRequest,
    Session,
    StartInput,
    TurnInput,
    TurnResult,
    session_to_json,
)
from falai_engine.records.decode import assert_session
from falai_engine.testing import FakeClock, ScriptedProvider, Stage

__all__ = ["ROWS", "Row", "large_document", "measured"]

Row = dict[str, Any]
"""`{name, value, unit, target, met, detail}`; a target is an upper bound."""


class AgreeableProvider(ScriptedProvider):
    """Finds nothing in the customer's words and says one word."""

    def generate(self, request: ModelRequest) -> ModelReply:
        """The same for every call of a kind."""
        return ModelReply(structured={"message": "Ok."} if request.schema_name == "speak" else {"fields": {}})


def measured(name: str, value: float, unit: str, target: float, **detail: Any) -> Row:
    """A row; its target is met when the value is not above it."""
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "target": target,
        "met": value <= target,
        "detail": detail,
    }


def _build(document: Mapping[str, Any]) -> Agent:
    return Stage(AgreeableProvider(), FakeClock()).build(document)


def _collecting(flow_id: str, **more: Any) -> dict[str, Any]:
    steps = [
        {"id": "who", "kind": "collect", "collect": ["name", "company"], "prompt": "Find out who it is."},
        {"id": "thanks", "kind": "say", "say": "Thank you, {{data.name}}."},
    ]
    return {"id": flow_id, "name": flow_id.title(), "steps": steps, **more}


def _document(flows: list[dict[str, Any]]) -> dict[str, Any]:
    fields = {"name": {"type": "string"}, "company": {"type": "string"}}
    return {"fields": fields, "flows": flows, "actions": {}, "idle": "silent"}


def _in_play() -> dict[str, Any]:
    return _collecting("triage", on=[{"message": ["wants to know more"], "repeat": "always"}])


def _idle_flows(count: int) -> list[dict[str, Any]]:
    """Flows that only a start would start."""
    return [_collecting(f"f{n}") for n in range(count)]


def _asking(agent: Agent) -> Session:
    """A session whose triage has asked once."""
    opening = agent.turn(TurnInput("s1", MessageInput("hello", "m0")))
    return opening.session


def _message_turn(agent: Agent, session: Session, **more: Any) -> Callable[[], TurnResult]:
    given = TurnInput("s1", MessageInput("who are you?", "m1"), session, **more)
    return lambda: agent.turn(given)


# -- the rows


def turn_cpu() -> Row:
    """Median CPU time of a turn of the random scenarios, against the ruler."""
    before = ruler_microseconds()
    turns = random_turn_microseconds()
    ruler = (before + ruler_microseconds()) / 2
    median = turns[len(turns) // 2]
    ninetieth = turns[len(turns) * 9 // 10]
    return measured(
        "turn, median of the random scenarios / JSON round trip",
        median / ruler,
        "x",
        1.1,
        ruler_us=round(ruler, 1),
        median_us=round(median, 1),
        p90_us=round(ninetieth, 1),
        turns=len(turns),
    )


def grows_with_flows() -> Row:
    """A turn beside 1,000 flows that are not in play, against the same beside 10."""
    few, many = (_build(_document([_in_play(), *_idle_flows(count)])) for count in (10, 1_000))
    return _ratio("turn with 1,000 flows not in play / with 10", 2.0, _turn_of(few), _turn_of(many))


def grows_with_history() -> Row:
    """A turn with 2,000 history items, against 10."""
    agent = _build(_document([_in_play()]))
    session = _asking(agent)
    item = {"role": "user", "content": "a message of the customer, neither short nor long"}
    few, many = (_message_turn(agent, session, history=[item] * count) for count in (10, 2_000))
    return _ratio("turn with 2,000 history items / with 10", 1.5, few, many)


def grows_with_claims() -> Row:
    """A turn that starts a flow beside 10,000 old claims, against 10."""
    agent = _build(_document([_in_play()]))
    few, many = (_start_turn(agent, _with_claims(count)) for count in (10, 10_000))
    return _ratio("start with 10,000 old claims / with 10", 1.5, few, many)


def grows_with_steps() -> Row:
    """A walk of 40 steps, against twice one of 20: 1 is linear."""
    twenty, forty = (_walk_turn(count) for count in (20, 40))
    small, large = microseconds(twenty), microseconds(forty)
    return measured(
        "walk of 40 steps / twice a walk of 20", large / (2 * small), "x", 1.1, us=[round(small), round(large)]
    )


def compile_time() -> Row:
    """Validating and compiling an agent of 100 flows of 10 steps."""
    document = large_document()
    seconds = microseconds(lambda: _build(document), 5) / 1_000_000
    return measured("compile 100 flows of 10 steps", seconds, "s", 0.5)


def compiled_memory() -> Row:
    """What that agent keeps in memory."""
    document = large_document()
    _build(document)
    gc.collect()
    tracemalloc.start()
    agent = _build(document)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] / 1_000_000
    tracemalloc.stop()
    return measured("memory of that agent", kept, "MB", 10, flows=len(agent.compiled.flows))


def codec_cpu() -> Row:
    """Reading and writing a session's blob as records, against the JSON round trip of the same blob."""
    agent = _build(_document([_in_play()]))
    session = _asking(agent)
    blob = session_to_json(session)
    both = microseconds(lambda: session_to_json(assert_session(blob, "s1")))
    turn = microseconds(_turn_of(agent))
    return measured("decode + encode of a session / its turn", both / turn, "x", 1.0, us=round(both, 1))


ROWS = (
    turn_cpu,
    grows_with_flows,
    grows_with_history,
    grows_with_claims,
    grows_with_steps,
    compile_time,
    compiled_memory,
    codec_cpu,
)


# -- what they measure


def _ratio(name: str, target: float, few: Callable[[], Any], many: Callable[[], Any]) -> Row:
    small, large = microseconds(few), microseconds(many)
    return measured(name, large / small, "x", target, us=[round(small, 1), round(large, 1)])


def _turn_of(agent: Agent) -> Callable[[], TurnResult]:
    return _message_turn(agent, _asking(agent))


def _with_claims(count: int) -> Session:
    claims = {f"old{n % 50}:s1:m{n}": {"at": "2025-01-01T00:00:00.000Z"} for n in range(count)}
    blob = {"id": "s1", "v": 4, "version": 1, "data": {}, "runs": [], "claims": claims, "inputs": [], "metadata": {}}
    return assert_session(blob, "s1")


def _start_turn(agent: Agent, session: Session) -> Callable[[], TurnResult]:
    given = TurnInput("s1", StartInput("triage", "k1"), session)
    return lambda: agent.turn(given)


def _walk_turn(count: int) -> Callable[[], TurnResult]:
    steps = [{"id": f"s{n}", "kind": "if", "if": {"known": []}, "else": "end"} for n in range(count)]
    agent = _build(_document([{"id": "walk", "name": "Walk", "steps": steps}]))
    given = TurnInput("s1", StartInput("walk", "k1"))
    return lambda: agent.turn(given)


def large_document() -> dict[str, Any]:
    """An agent of 100 flows of 10 steps, one of each kind among them."""
    steps = [
        {"id": "ask", "kind": "collect", "collect": ["name", "company"], "prompt": "Ask {{data.name}} nicely."},
        {"id": "fork", "kind": "if", "if": {"equals": {"name": "Ana"}}, "then": "hello", "else": "later"},
        {"id": "hello", "kind": "say", "say": "Hello, {{data.name}} of {{data.company}}."},
        {"id": "act", "kind": "do", "do": "notify", "with": {"text": "{{data.name}}"}, "onFail": "end"},
        {"id": "later", "kind": "wait", "wait": "2h", "else": "talk"},
        {"id": "talk", "kind": "prompt", "prompt": "Talk.", "branches": [{"when": "gives up", "then": "end"}]},
        {"id": "event", "kind": "waitEvent", "wait": {"event": "booked", "upTo": "3d"}, "else": "end"},
        {"id": "again", "kind": "say", "say": "Booked."},
        {"id": "more", "kind": "collect", "collect": ["company"], "question": "Which company?"},
        {"id": "bye", "kind": "say", "say": "Bye."},
    ]
    on = [{"message": ["wants to know more", "asks for a quote"], "repeat": {"cooldown": "1h"}}]
    flows = [{"id": f"f{n}", "name": f"Flow {n}", "on": on, "steps": steps} for n in range(100)]
    actions = {"notify": {"parameters": {"text": {"type": "string"}}}}
    return {**_document(flows), "actions": actions, "events": {"booked": {}}}
