"""The steps that code performs: say, do, wait, if (spec: engine.md section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from falai_engine.compiled.parts import ActionStep, CompiledFlow, EventStep, ForkStep, SayStep, TimerStep
from falai_engine.error_words import told
from falai_engine.needs import Raised, RunAction, Steps
from falai_engine.phases.action_result import read_result
from falai_engine.phases.hours import opening_after
from falai_engine.phases.movement import end, follow, park, step_key
from falai_engine.phases.state import Turn, run_view
from falai_engine.records.outcomes import Code
from falai_engine.records.results import OutgoingMessage
from falai_engine.records.session import Run
from falai_engine.registry import ActionCall, ActionResult, Defer, Failed, Ok, Skipped
from falai_engine.times import duration_ms, iso
from falai_engine.update_state import StateUpdates
from falai_engine.values import MISSING, unshared

__all__ = ["act", "fork", "say", "wait_for_event", "wait_for_time"]


def say(turn: Turn, run: Run, flow: CompiledFlow, step: SayStep) -> Steps[bool]:
    """Send a fixed text."""
    yield from ()
    if turn.silenced:
        end(turn, run, "skipped", Code.SILENCED, turn.reason)
        return False
    key = step_key(run)
    if step.once:
        claim = f"{run.flow_id}:{step.id}:{turn.session.id}"
        if turn.session.claims.get(claim) is not None or claim in turn.input.claims.held:
            turn.line(run, step.kind, "skipped", Code.ALREADY_SENT, key, next=step.then.text)
            return follow(turn, run, flow, step.then)
        turn.session.claims.write(claim, turn.now_iso)
    text = step.say.render(turn.scope(run))
    turn.result.messages.append(
        OutgoingMessage(text, "verbatim", turn.take_delay(), key, run.id, step.id, unshared(step.media))
    )
    turn.spoke(run)
    turn.line(run, step.kind, "ok", None, key, next=step.then.text)
    return follow(turn, run, flow, step.then)


def act(turn: Turn, run: Run, flow: CompiledFlow, step: ActionStep) -> Steps[bool]:
    """Run a host action, now, also when silenced."""
    key = step_key(run)
    result, until = _timed(turn, (yield from _run_action(turn, run, step, key)))
    detail = result.detail or None
    if isinstance(result, Ok):
        if result.spoke:
            turn.spoke(run)
        turn.line(run, step.kind, "ok", None, key, detail, step.then.text)
        return follow(turn, run, flow, step.then)
    if isinstance(result, Skipped):
        turn.line(run, step.kind, "skipped", Code.ACTION_SKIPPED, key, detail, step.then.text)
        return follow(turn, run, flow, step.then)
    if isinstance(result, Failed):
        turn.line(run, step.kind, "failed", Code.ACTION_FAILED, key, detail, step.on_fail.text)
        return follow(turn, run, flow, step.on_fail)
    park(turn, run, "timer", f"{run.id}:{step.id}:{until}", until)
    turn.line(run, step.kind, "deferred", Code.ACTION_DEFERRED, key, detail, until=iso(until))
    return False


def _timed(turn: Turn, result: ActionResult) -> tuple[ActionResult, int]:
    """When a deferral is over; one whose time does not parse counts as failed."""
    if not isinstance(result, Defer):
        return result, 0
    try:
        return result, turn.now + duration_ms(result.after)
    except ValueError:
        return Failed(f"deferred by {result.after!r}, which is not a duration"), 0


def _run_action(turn: Turn, run: Run, step: ActionStep, key: str) -> Steps[ActionResult]:
    if step.action is None:
        return Failed(f'unknown action "{step.name}"')
    if isinstance(step.action, StateUpdates):
        return _update_state(turn, step.action)
    params = step.params(turn.scope(run))
    answer = yield RunAction(step.name, step.action, params, _action_call(turn, run, key))
    if isinstance(answer, Raised):
        return Failed(told(answer.error))
    return read_result(answer)


def _update_state(turn: Turn, updates: StateUpdates) -> ActionResult:
    """An action of kind update_state; what it skips is the line's detail."""
    outcome = updates.apply(turn.data(), {})
    turn.write(outcome.written)
    return Ok("; ".join(f"{variable}: {reason}" for variable, reason in outcome.skipped.items()))


def _action_call(turn: Turn, run: Run, key: str) -> ActionCall:
    silenced = turn.input.silenced
    data = dict(turn.data())

    def write(values: Mapping[str, Any]) -> None:
        """At once, for the rest of this action too."""
        turn.write(values)
        data.clear()
        data.update(turn.data())

    return ActionCall(
        context=None if turn.input.context is MISSING else turn.input.context,
        data=MappingProxyType(data),
        input=None if run.input is MISSING else run.input,
        run=run_view(run),
        key=key,
        dedupe_key=run.dedupe_key,
        silenced=None if silenced is None else silenced.reason,
        now=turn.moment(),
        set=write,
        deadline=turn.deadline,
    )


def wait_for_time(turn: Turn, run: Run, flow: CompiledFlow, step: TimerStep) -> Steps[bool]:
    """A short pause before a message rides with it; anything else parks."""
    key = step_key(run)
    if step.inline:
        turn.delay_ms += step.wait_ms
        turn.line(run, step.kind, "ok", Code.INLINE_DELAY, key, f"{step.wait_ms}ms", step.then.text)
        return follow(turn, run, flow, step.then)
    until = turn.now + step.wait_ms
    if step.business_hours:
        until = yield from opening_after(turn, until)
    park(turn, run, "timer", f"{run.id}:{step.id}:{until}", until)
    turn.line(run, step.kind, "waiting", None, key, until=iso(until))
    return False


def wait_for_event(turn: Turn, run: Run, _flow: CompiledFlow, step: EventStep) -> Steps[bool]:
    """Park until the event, or its time is over."""
    yield from ()
    until = turn.now + step.up_to_ms
    park(turn, run, "event", f"{run.id}:{step.id}:{until}", until, step.event)
    turn.line(run, step.kind, "waiting", Code.AWAITING_EVENT, step_key(run), step.event, until=iso(until))
    return False


def fork(turn: Turn, run: Run, flow: CompiledFlow, step: ForkStep) -> Steps[bool]:
    """Fork by code."""
    target = step.then if (yield from turn.holds(step.condition, run)) else step.otherwise
    turn.line(run, step.kind, "ok", None, step_key(run), next=target.text)
    return follow(turn, run, flow, target)
