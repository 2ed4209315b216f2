"""Decide: who takes the message, what was mentioned, which values land, which branch holds (engine.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from falai_engine.compiled.parts import CompiledBranch, CompiledFlow, TalkStep
from falai_engine.flows import END
from falai_engine.needs import Steps
from falai_engine.phases.movement import Opening, follow, start, step_key
from falai_engine.phases.state import Turn
from falai_engine.records.outcomes import Code, OutcomeKind
from falai_engine.records.session import Run, RunStatus
from falai_engine.values import MISSING

__all__ = ["decide", "holding_branch", "take_branch", "write_values"]

TAKES_FLOOR: Final = 40
ABOVE_ASKER: Final = 15


def decide(turn: Turn) -> Steps[None]:
    """What the judgement means; on every message, silenced ones too."""
    asker = turn.asker()
    routed = None if turn.floor is not None else _route(turn, asker)
    yield from _start_mentioned(turn)
    if routed is not None:
        yield from _give_floor(turn, routed)
    elif turn.floor is None:
        turn.floor = asker
    write_values(turn, turn.judgement.fields)
    asking = turn.asker()
    if asking is not None:
        yield from _leave_by_branch(turn, asking)


def _route(turn: Turn, asker: Run | None) -> CompiledFlow | None:
    judgement = turn.judgement
    if asker is not None:
        best = _best(turn, without=asker.flow_id)
        needed = max(TAKES_FLOOR, judgement.score(asker.flow_id) + ABOVE_ASKER)
        return best if best is not None and judgement.score(best.id) >= needed else None
    if judgement.lone is not None:
        return judgement.lone
    best = _best(turn)
    if best is not None and judgement.score(best.id) >= TAKES_FLOOR:
        return best
    return judgement.catch_all


def _best(turn: Turn, without: str | None = None) -> CompiledFlow | None:
    """The eligible flow with the highest score; ties: first in agent order."""
    others = [flow for flow in turn.judgement.eligible if flow.id != without]
    return max(others, key=lambda flow: turn.judgement.score(flow.id), default=None)


def _start_mentioned(turn: Turn) -> Steps[None]:
    """Detectors try on every message; the others when they were judged true, with what was extracted."""
    judgement = turn.judgement
    for flow in turn.agent.mention_flows:
        trigger = flow.mention
        if trigger is None:
            continue
        payload: Any = MISSING
        if trigger.phrases:
            if not judgement.mentioned(flow.id):
                continue
            extracted = judgement.payload(flow.id)
            payload = MISSING if extracted is None else extracted
        yield from start(turn, flow, Opening("mention", turn.trigger_key, payload), trigger)


def _give_floor(turn: Turn, flow: CompiledFlow) -> Steps[None]:
    """The routed flow's suspended run goes on, else the flow starts; it takes the floor."""
    for run in turn.session.runs:
        if run.flow_id == flow.id and run.status == RunStatus.SUSPENDED:
            run.status = RunStatus.RUNNING
            run.suspended_at = None
            turn.floor = run
            return
    run_or_none = yield from start(turn, flow, Opening("message", turn.trigger_key), flow.message)
    if run_or_none is not None:
        turn.floor = run_or_none


def write_values(turn: Turn, values: Mapping[str, Any]) -> None:
    """Write what the model read, coerced; what does not fit gets a line and is dropped."""
    for slug, raw in values.items():
        if raw is None or raw == "":
            continue
        field = turn.agent.fields.get(slug)
        if field is None:
            turn.loose_line(OutcomeKind.COLLECT, "skipped", Code.UNKNOWN_FIELD, detail=slug)
            continue
        value, code = field.coerce(raw)
        if code is None:
            turn.session.data[slug] = value
        else:
            turn.loose_line(OutcomeKind.COLLECT, "skipped", code, detail=slug)


def _leave_by_branch(turn: Turn, run: Run) -> Steps[None]:
    step = turn.step_of(run)
    if type(step) is TalkStep and step.branches:
        branch = yield from holding_branch(turn, run, step, judged=True)
        if branch is not None:
            take_branch(turn, run, step, branch)


def holding_branch(turn: Turn, run: Run, step: TalkStep, *, judged: bool) -> Steps[CompiledBranch | None]:
    """The first branch that holds: `if` by code, `when` (only where it was `judged`) from the judgement."""
    for branch in step.branches:
        if branch.when is not None:
            holds = judged and turn.judgement.branch(f"{run.id}/{step.id}/{branch.index}")
        elif run.staying and _goes_round(run, branch):
            holds = False
        else:
            holds = yield from turn.holds(branch.condition, run)
        if holds:
            return branch
    return None


def _goes_round(run: Run, branch: CompiledBranch) -> bool:
    """A staying run would walk the same way for ever: back onto a step it has visited, or to the end."""
    target = branch.target
    return target.text == END if target.step is None else target.step in run.visits


def take_branch(turn: Turn, run: Run, step: TalkStep, branch: CompiledBranch) -> None:
    """Write the line and follow."""
    flow = turn.agent.flows[run.flow_id]
    turn.line(run, step.kind, "ok", Code.BRANCH, step_key(run), next=branch.target.text)
    follow(turn, run, flow, branch.target)
