"""Movement that every room uses: start, enter, follow, park, finish, end (spec: engine.md sections 1, 4 and 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from falai_engine.compiled.parts import CompiledFlow, CompiledTrigger, TalkStep, Target
from falai_engine.flows import OnEnd
from falai_engine.needs import Steps
from falai_engine.phases.hours import opening_after
from falai_engine.phases.state import Turn
from falai_engine.records.outcomes import Code, OutcomeKind, SkipCode
from falai_engine.records.results import EndedRun, ScheduledWake, SkippedStart, StartedRun
from falai_engine.records.session import Run, RunStatus, RunTrigger, Session, Waiting
from falai_engine.times import instant, iso
from falai_engine.values import MISSING, unshared

__all__ = [
    "FINISH",
    "Opening",
    "anchor_of",
    "clear_fields",
    "end",
    "enter",
    "finish",
    "follow",
    "park",
    "repeat_allows",
    "resume_suspended",
    "skip_start",
    "start",
    "step_key",
    "take_asking",
]

FINISH: Final = Target(text="end")
HOP_LIMIT: Final = 5
ALWAYS_CLAIMS_KEPT: Final = 50


@dataclass(frozen=True, slots=True)
class Opening:
    """How a run starts: by which kind of trigger, under which key, carrying what."""

    kind: str
    key: str
    payload: Any = MISSING
    hop: int = 0
    clears: bool = True


# -- starting


def anchor_of(turn: Turn, flow: CompiledFlow) -> str:
    """What the flow is about: the session, or the host's key for the flow's anchor."""
    if flow.anchor is None:
        return turn.session.id
    anchor = turn.input.anchors.get(flow.anchor)
    return turn.session.id if anchor is None else anchor.key


def _dedupe_key(flow: CompiledFlow, anchor: str, repeat: str, key: str) -> str:
    return f"{flow.id}:{anchor}:{key if repeat == 'always' else ''}"


def _claim_code(turn: Turn, dedupe_key: str, trigger: CompiledTrigger | None) -> str | None:
    """Why the claim refuses a start, None when it does not."""
    at = turn.session.claims.get(dedupe_key) or turn.input.claims.held.get(dedupe_key)
    if at is None:
        return None
    if trigger is None or trigger.repeat != "cooldown":
        return SkipCode.ALREADY_CLAIMED
    since = instant(at)
    over = since is not None and turn.now - since >= trigger.cooldown_ms
    return None if over else SkipCode.COOLDOWN


def repeat_allows(turn: Turn, flow: CompiledFlow, trigger: CompiledTrigger, key: str) -> bool:
    """Whether the trigger's repeat allows a start under a trigger key, for the flow's anchor, now."""
    dedupe_key = _dedupe_key(flow, anchor_of(turn, flow), trigger.repeat, key)
    return _claim_code(turn, dedupe_key, trigger) is None


def skip_start(turn: Turn, flow_id: str, anchor: str, key: str, code: str) -> None:
    """Write down that a flow did not start."""
    turn.result.skipped.append(SkippedStart(flow_id, anchor, key, code))


def start(turn: Turn, flow: CompiledFlow, opening: Opening, trigger: CompiledTrigger | None) -> Steps[Run | None]:
    """The start order of section 4, for every kind of trigger; the run, or None when it did not start."""
    run = _new_run(turn, flow, opening, "always" if trigger is None else trigger.repeat)
    if trigger is not None and not (yield from turn.holds(trigger.condition, run)):
        return None
    if not _admit(turn, flow, run, opening, trigger):
        return None
    if trigger is not None and trigger.kind == "event" and (trigger.after_ms is not None or trigger.business_hours):
        yield from _await_trigger(turn, run, trigger)
    return run


def _new_run(turn: Turn, flow: CompiledFlow, opening: Opening, repeat: str) -> Run:
    anchor = anchor_of(turn, flow)
    return Run(
        f"{flow.id}#{opening.key}",
        flow.id,
        anchor,
        _dedupe_key(flow, anchor, repeat, opening.key),
        RunTrigger(opening.kind, opening.key, opening.payload),
        opening.hop,
        turn.now_iso,
        input=unshared(opening.payload),
    )


def _admit(turn: Turn, flow: CompiledFlow, run: Run, opening: Opening, trigger: CompiledTrigger | None) -> bool:
    """Steps 2 to 5 of the start order."""
    code = _claim_code(turn, run.dedupe_key, trigger)
    if code is None and opening.hop >= HOP_LIMIT:
        code = SkipCode.HOP_LIMIT
    if code is None and not _make_room(turn, run):
        code = SkipCode.ALREADY_RUNNING
    if code is not None:
        skip_start(turn, flow.id, run.anchor, opening.key, code)
        return False
    _write_claim(turn, run, always=trigger is None or trigger.repeat == "always")
    if opening.clears:
        for slug in flow.clear_on_start:
            turn.session.data.pop(slug, None)
    turn.session.runs.append(run)
    turn.queue.append(run)
    turn.result.started.append(StartedRun(run.id, run.flow_id, run.anchor, run.dedupe_key))
    return True


def _make_room(turn: Turn, run: Run) -> bool:
    """One live run a flow and anchor: one still parked before its first step gives way."""
    for other in turn.session.runs:
        if other.flow_id == run.flow_id and other.anchor == run.anchor:
            if other.step_id is not None or other.status != RunStatus.WAITING:
                return False
            end(turn, other, "replaced")
            return True
    return f"{run.flow_id}:{run.anchor}" not in turn.input.claims.active


def _write_claim(turn: Turn, run: Run, *, always: bool) -> None:
    claims = turn.session.claims
    claims.write(run.dedupe_key, turn.now_iso)
    if not always:
        return
    prefix = f"{run.flow_id}:{run.anchor}:"
    held = [(key, at) for key, at in claims.starting_with(prefix) if key != prefix]
    if len(held) > ALWAYS_CLAIMS_KEPT:
        held.sort(key=lambda claim: instant(claim[1]) or 0)
        for key, _ in held[:-ALWAYS_CLAIMS_KEPT]:
            claims.discard(key)


def _await_trigger(turn: Turn, run: Run, trigger: CompiledTrigger) -> Steps[None]:
    """A delayed event trigger parks the run before its first step."""
    at = turn.now + (trigger.after_ms or 0)
    if trigger.business_hours:
        at = yield from opening_after(turn, at)
    if trigger.after_ms is not None or at > turn.now:
        park(turn, run, "timer", f"{run.id}:start:{at}", at)
        turn.line(run, OutcomeKind.WAIT, "waiting", Code.AWAITING_TRIGGER, until=iso(at))


# -- moving


def step_key(run: Run) -> str:
    """The key of the step a run stands on, at this visit: of its lines, its message and its action."""
    step_id = run.step_id or ""
    return f"{run.id}:{step_id}:{run.visits.get(step_id, 0)}"


def enter(run: Run, step_id: str) -> None:
    """Stand on a step, one visit more."""
    run.step_id = step_id
    run.visits[step_id] = run.visits.get(step_id, 0) + 1


def clear_fields(session: Session, run: Run, slugs: tuple[str, ...]) -> None:
    """Forget fields and how often the run asked for them."""
    for slug in slugs:
        session.data.pop(slug, None)
        run.asked.pop(slug, None)


def follow(turn: Turn, run: Run, flow: CompiledFlow, target: Target) -> bool:
    """Take a run where `target` says; True while there is a step to execute."""
    run.status = RunStatus.RUNNING
    run.suspended_at = None
    run.staying = False
    if target.chain is not None:
        _chain(turn, run, target)
        return False
    if target.step is None:
        finish(turn, run, flow)
        return False
    if target.clear:
        clear_fields(turn.session, run, target.clear)
    if target.step not in flow.by_id:
        end(turn, run, "skipped", Code.STEP_GONE)
        return False
    enter(run, target.step)
    return True


def park(turn: Turn, run: Run, kind: str, key: str, at: int, event: str | None = None) -> None:
    """Set a run aside until an instant, under the key of its wake."""
    until = iso(at)
    run.status = RunStatus.WAITING
    run.waiting = Waiting(kind, key, until, turn.now_iso, event)
    turn.result.schedule.append(ScheduledWake(key, until))


def _chain(turn: Turn, run: Run, target: Target) -> None:
    assert target.chain is not None
    flow_id = target.chain.render(turn.scope(run))
    payload = unshared(run.input if target.chain_input is MISSING else target.chain_input)
    opening = Opening("flow", step_key(run), payload, run.hop + 1)
    end(turn, run, "flow")
    flow = turn.agent.flows.get(flow_id)
    if flow is None:
        skip_start(turn, flow_id, turn.session.id, opening.key, SkipCode.FLOW_GONE)
    else:
        _start_child(turn, run, flow, opening)


def _start_child(turn: Turn, parent: Run, flow: CompiledFlow, opening: Opening) -> None:
    """A chained flow has no trigger to judge; it inherits the floor when its parent held it or nobody did."""
    child = _new_run(turn, flow, opening, "always")
    if _admit(turn, flow, child, opening, None) and (turn.floor is None or turn.floor is parent):
        turn.floor = child


# -- finishing


def finish(turn: Turn, run: Run, flow: CompiledFlow) -> None:
    """No step is left: what the flow says of its end."""
    if flow.on_end is OnEnd.STAY and _stay(turn, run, flow):
        return
    if flow.on_end is OnEnd.RESET and flow.steps:
        last = flow.steps[-1].id
        opening = Opening("flow", f"{run.id}:{last}:{run.visits.get(last, 0)}", run.input, run.hop + 1, clears=False)
        end(turn, run, "reset")
        _start_child(turn, run, flow, opening)
        return
    end(turn, run, "end")


def _talk_to_stay_at(run: Run, flow: CompiledFlow) -> str | None:
    for line in reversed(run.outcomes):
        if line.step_id is not None and isinstance(flow.by_id.get(line.step_id), TalkStep):
            return line.step_id
    return flow.last_talk


def _stay(turn: Turn, run: Run, flow: CompiledFlow) -> bool:
    """Go back to the last talk step and keep answering; False when the flow has none."""
    step_id = _talk_to_stay_at(run, flow)
    if step_id is None:
        return False
    enter(run, step_id)
    run.staying = True
    other = next((each for each in turn.session.runs if each.status == RunStatus.ASKING and each is not run), None)
    if other is not None and not turn.message_is_of(run):
        run.status = RunStatus.SUSPENDED
        run.suspended_at = turn.now_iso
        return True
    take_asking(turn, run)
    if turn.unanswered() and not turn.speak_over and not turn.ingesting:
        turn.speaker = run
    return True


def take_asking(turn: Turn, run: Run) -> None:
    """The run asks, and every other asker waits behind it."""
    run.status = RunStatus.ASKING
    run.suspended_at = None
    for other in turn.session.runs:
        if other.status == RunStatus.ASKING and other is not run:
            other.status = RunStatus.SUSPENDED
            other.suspended_at = turn.now_iso


def resume_suspended(turn: Turn) -> Run | None:
    """The most recently suspended run asks again (ties: the one started last)."""
    best: Run | None = None
    for run in turn.session.runs:
        if run.status == RunStatus.SUSPENDED and (best is None or _suspended_since(run) >= _suspended_since(best)):
            best = run
    if best is not None:
        best.status = RunStatus.ASKING
        best.suspended_at = None
    return best


def _suspended_since(run: Run) -> int:
    return instant(run.suspended_at) or 0


def end(turn: Turn, run: Run, reason: str, code: str | None = None, detail: str | None = None) -> None:
    """A run leaves the session; with a code it first gets a line of the step it stands on."""
    if code is not None:
        step = turn.step_of(run)
        kind = OutcomeKind.IF if step is None else step.kind
        turn.line(run, kind, "failed" if reason == "failed" else "skipped", code, detail=detail)
    turn.session.runs = [each for each in turn.session.runs if each is not run]
    turn.result.ended.append(EndedRun(run, reason))
