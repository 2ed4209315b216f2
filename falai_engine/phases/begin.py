"""Begin: load the session and take in what happened (spec: engine.md section 3)."""

from __future__ import annotations

from typing import Final

from falai_engine.compiled.parts import CompiledFlow, CompiledTrigger, EventStep, Target, TimerStep
from falai_engine.needs import Steps
from falai_engine.phases.movement import Opening, follow, skip_start, start
from falai_engine.phases.state import Turn
from falai_engine.records.inputs import EventInput, MessageInput, StartInput, WakeInput
from falai_engine.records.outcomes import Code, OutcomeKind, SkipCode
from falai_engine.records.session import Run, RunStatus
from falai_engine.times import instant

__all__ = ["begin"]

INPUTS_KEPT: Final = 50
_NO_TRIGGER: Final = CompiledTrigger("silence", "once", 0, None)
"""For a silence wake of a flow that has no silence trigger any more."""


def begin(turn: Turn) -> Steps[None]:
    """Ingest; `turn.ignored` when this input changes nothing."""
    turn.ingesting = True
    what = turn.input.what
    if type(what) is MessageInput:
        yield from _message(turn, what)
    elif type(what) is WakeInput:
        yield from _wake(turn, what.wake)
    elif type(what) is EventInput:
        yield from _event(turn, what)
    elif type(what) is StartInput:
        yield from _start(turn, what)
    turn.ingesting = False


def _message(turn: Turn, message: MessageInput) -> Steps[None]:
    session = turn.session
    if message.id:
        if message.id in session.inputs:
            turn.ignore(Code.DUPLICATE_INPUT, message.id)
            return
        session.inputs.append(message.id)
        del session.inputs[:-INPUTS_KEPT]
    session.last_user_at = message.at or turn.now_iso
    yield from _resolve_reply_waits(turn)


def _resolve_reply_waits(turn: Turn) -> Steps[None]:
    """Runs that wait for a time and have an `else` take it: the customer replied."""
    for run in list(turn.session.runs):
        step = turn.step_of(run)
        if type(step) is not TimerStep or step.otherwise is None or not _is_parked_on(run, "timer"):
            continue
        flow = turn.agent.flows[run.flow_id]
        _wake_up(run)
        turn.owner = run
        target = yield from _reply_target(turn, run, step, step.otherwise)
        turn.line(run, OutcomeKind.WAIT, "ok", Code.REPLIED, next=target.text)
        follow(turn, run, flow, target)
        if turn.is_live(run):
            turn.take_floor(run)
        turn.owner = None


def _reply_target(turn: Turn, run: Run, step: TimerStep, otherwise: Target) -> Steps[Target]:
    for branch in step.branches:
        if (yield from turn.holds(branch.condition, run)):
            return branch.target
    return otherwise


def _is_parked_on(run: Run, kind: str) -> bool:
    return run.status == RunStatus.WAITING and run.waiting is not None and run.waiting.kind == kind


def _wake_up(run: Run) -> None:
    run.status = RunStatus.RUNNING
    run.waiting = None


def _wake(turn: Turn, key: str) -> Steps[None]:
    if turn.input.session is None:
        turn.ignore(Code.NO_SESSION, key)
        return
    if key.startswith("silence:"):
        yield from _silence_wake(turn, key)
        return
    run = next((each for each in turn.session.runs if each.waiting is not None and each.waiting.key == key), None)
    if run is None or run.waiting is None:
        turn.ignore(Code.STALE_WAKE, key)
        return
    since = run.waiting.set_at
    kind = run.waiting.kind
    _wake_up(run)
    turn.take_floor(run)
    flow, step = turn.flow_of(run), turn.step_of(run)
    if flow is not None:
        _time_is_over(turn, run, flow, step, kind, since)


def _time_is_over(turn: Turn, run: Run, flow: CompiledFlow, step: object, kind: str, since: str) -> None:
    """Leave a wait by the way its step says; anything else that was parked just runs again."""
    if type(step) is TimerStep and kind == "timer":
        replied = step.otherwise is not None and turn.customer_wrote_since(flow, since)
        target = step.otherwise if replied and step.otherwise is not None else step.then
        turn.line(run, OutcomeKind.WAIT, "ok", Code.REPLIED if replied else Code.NO_REPLY, next=target.text)
        follow(turn, run, flow, target)
    elif type(step) is EventStep and kind == "event":
        turn.line(run, OutcomeKind.WAIT, "ok", Code.NO_EVENT, next=step.otherwise.text)
        follow(turn, run, flow, step.otherwise)


def _silence_wake(turn: Turn, key: str) -> Steps[None]:
    flow_id, ms = _silence_parts(turn, key)
    flow = turn.agent.flows.get(flow_id)
    if flow is None:
        skip_start(turn, flow_id, turn.session.id, ms, SkipCode.FLOW_GONE)
        return
    spoke_at = turn.session.last_assistant_at
    if spoke_at is None or str(instant(spoke_at)) != ms or turn.customer_wrote_since(flow, spoke_at):
        turn.ignore(Code.SILENCE_BROKEN, key)
        return
    run = yield from start(turn, flow, Opening("silence", ms), flow.silence or _NO_TRIGGER)
    if run is not None:
        turn.take_floor(run)


def _silence_parts(turn: Turn, key: str) -> tuple[str, str]:
    """`silence:<flowId>:<sessionId>:<ms>`; flow and session ids may hold colons themselves."""
    body, _, ms = key.removeprefix("silence:").rpartition(":")
    suffix = f":{turn.session.id}"
    return (body.removesuffix(suffix) if body.endswith(suffix) else body.partition(":")[0]), ms


def _event(turn: Turn, event: EventInput) -> Steps[None]:
    definition = turn.agent.events.get(event.event)
    direction = None if definition is None else definition.direction
    if direction == "inbound":
        turn.session.last_user_at = turn.now_iso
        yield from _resolve_reply_waits(turn)
    elif direction == "outbound":
        turn.session.last_assistant_at = turn.now_iso
    _deliver(turn, event.event)
    opening = Opening("event", event.key, event.payload, event.hop)
    for flow, triggers in turn.agent.event_flows.get(event.event, ()):
        for trigger in triggers:
            if (yield from start(turn, flow, opening, trigger)) is not None:
                break


def _deliver(turn: Turn, name: str) -> None:
    """Every run that waits for this event goes on."""
    for run in list(turn.session.runs):
        if not _is_parked_on(run, "event") or run.waiting is None or run.waiting.event != name:
            continue
        _wake_up(run)
        flow, step = turn.flow_of(run), turn.step_of(run)
        if flow is not None and step is not None:
            turn.line(run, OutcomeKind.WAIT, "ok", Code.EVENT_ARRIVED, next=step.then.text)
            follow(turn, run, flow, step.then)
        if turn.is_live(run):
            turn.take_floor(run)


def _start(turn: Turn, what: StartInput) -> Steps[None]:
    flow = turn.agent.flows.get(what.flow)
    if flow is None:
        skip_start(turn, what.flow, turn.session.id, what.key, SkipCode.FLOW_GONE)
        return
    yield from start(turn, flow, Opening("start", what.key, what.input, what.hop), None)
