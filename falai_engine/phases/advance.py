"""Advance: every live run moves once, the stack resumes, a speaker is found (spec: engine.md section 7)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

from falai_engine.compiled.parts import (
    ActionStep,
    CompiledFlow,
    CompiledStep,
    EventStep,
    ForkStep,
    SayStep,
    TalkStep,
    TimerStep,
)
from falai_engine.flows import OnEnd
from falai_engine.needs import Need, Steps
from falai_engine.phases.decide import holding_branch, take_branch
from falai_engine.phases.movement import end, enter, finish, resume_suspended
from falai_engine.phases.perform import act, fork, say, wait_for_event, wait_for_time
from falai_engine.phases.state import Turn
from falai_engine.phases.talk import talk
from falai_engine.records.outcomes import Code
from falai_engine.records.session import Run, RunStatus

__all__ = ["advance", "move_queued", "walk"]

STEPS_OF_A_WALK: Final = 50

_EXECUTE: Final[Mapping[type, Callable[[Turn, Run, CompiledFlow, Any], Generator[Need, Any, bool]]]] = {
    TalkStep: talk,
    SayStep: say,
    ActionStep: act,
    TimerStep: wait_for_time,
    EventStep: wait_for_event,
    ForkStep: fork,
}
"""Each kind's way of being executed: True when the run stands on another step now, False when it rests or is gone."""


def advance(turn: Turn) -> Steps[None]:
    """Move everything that can move before anybody speaks."""
    turn.queue = []
    if turn.asker() is None:
        yield from _resume(turn)
    turn.queue = list(turn.session.runs)
    yield from move_queued(turn)
    while turn.may_answer() and turn.asker() is None:
        run = yield from _resume(turn)
        if run is None:
            return
        turn.queue.append(run)
        yield from move_queued(turn)


def _resume(turn: Turn) -> Steps[Run | None]:
    """The most recently suspended run asks again; on a message its `if` branches are judged first."""
    run = resume_suspended(turn)
    if run is None or turn.customer is None:
        return run
    step = turn.step_of(run)
    if type(step) is TalkStep and step.branches:
        branch = yield from holding_branch(turn, run, step, judged=False)
        if branch is not None:
            take_branch(turn, run, step, branch)
    return run


def move_queued(turn: Turn) -> Steps[None]:
    """Move each run of the queue once; runs chained meanwhile join its end."""
    while turn.queue:
        run = turn.queue.pop(0)
        if turn.is_live(run):
            yield from _move(turn, run)


def _move(turn: Turn, run: Run) -> Steps[None]:
    if run.status in (RunStatus.WAITING, RunStatus.SUSPENDED):
        return
    if run.status == RunStatus.ASKING and turn.customer is None:
        return
    flow = turn.flow_of(run)
    if flow is None:
        end(turn, run, "skipped", Code.FLOW_GONE)
        return
    if turn.on_wake and run.trigger.kind == "silence" and turn.customer_wrote_since(flow, run.started_at):
        end(turn, run, "skipped", Code.CUSTOMER_REPLIED)
        return
    if not (yield from _premise_holds(turn, run, flow)):
        end(turn, run, "skipped", Code.PREMISE_CHANGED)
        return
    if run.staying and flow.on_end is not OnEnd.STAY:
        finish(turn, run, flow)
        return
    if run.step_id is None:
        if not flow.steps:
            finish(turn, run, flow)
            return
        enter(run, flow.steps[0].id)
    yield from walk(turn, run, flow)


def _premise_holds(turn: Turn, run: Run, flow: CompiledFlow) -> Steps[bool]:
    """`while`, else: any trigger of the run's kind has no `if` or its `if` holds."""
    if flow.while_ is not None:
        return (yield from turn.holds(flow.while_, run))
    premises = flow.premises.get(run.trigger.kind)
    if not premises:
        return True
    for condition in premises:
        if (yield from turn.holds(condition, run)):
            return True
    return False


def walk(turn: Turn, run: Run, flow: CompiledFlow) -> Steps[None]:
    """Execute steps until the run rests, or it went round too often."""
    for _ in range(STEPS_OF_A_WALK):
        step: CompiledStep | None = flow.by_id.get(run.step_id or "")
        if step is None:
            run.status = RunStatus.RUNNING
            end(turn, run, "skipped", Code.STEP_GONE)
            return
        if not (yield from _EXECUTE[type(step)](turn, run, flow, step)):
            return
    end(turn, run, "failed", Code.STEP_LOOP)
