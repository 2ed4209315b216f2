"""Settle: what a speaking leaves behind, then the wakes that silence arms (spec: engine.md section 9)."""

from __future__ import annotations

from typing import Final

from falai_engine.compiled.parts import CompiledFlow, TalkStep
from falai_engine.needs import Steps
from falai_engine.phases.advance import move_queued, walk
from falai_engine.phases.decide import write_values
from falai_engine.phases.failures import Failure
from falai_engine.phases.movement import end, enter, follow, park, resume_suspended, step_key
from falai_engine.phases.silence import silence_wakes
from falai_engine.phases.speech import Speech
from falai_engine.phases.state import Turn
from falai_engine.phases.talk import count_asked, max_asks_lines, pending_fields
from falai_engine.records.outcomes import Code, OutcomeKind, OutcomeStatus
from falai_engine.records.results import OutgoingMessage, ScheduledWake
from falai_engine.records.session import Run, RunStatus
from falai_engine.times import instant, iso

__all__ = ["RETRY_LADDER_MS", "settle", "settle_idle", "settle_talk"]

RETRY_LADDER_MS: Final = (60_000, 300_000, 900_000, 3_600_000, 21_600_000)
"""How long a deferred talk step waits before each further try."""


def settle(turn: Turn) -> Steps[None]:
    """After everybody moved and spoke."""
    if turn.spoken:
        turn.session.last_assistant_at = turn.now_iso
    if turn.asker() is None:
        resume_suspended(turn)
    before = None if turn.input.session is None else turn.input.session.last_assistant_at
    if turn.session.last_assistant_at != before:
        yield from _arm_silence(turn, before)


def _arm_silence(turn: Turn, before: str | None) -> Steps[None]:
    replaced = instant(before)
    for flow_id, key, at in (yield from silence_wakes(turn)):
        old = None if replaced is None else f"silence:{flow_id}:{turn.session.id}:{replaced}"
        turn.result.schedule.append(ScheduledWake(key, iso(at), old))


# -- a talk step spoke


def settle_talk(turn: Turn, run: Run, flow: CompiledFlow, step: TalkStep, speech: Speech) -> Steps[None]:
    """Message, values, tool data, line; then the run goes on, stays, or asks again."""
    if speech.failure is not None:
        _defer_talk(turn, run, step, speech.failure)
        return
    key = step_key(run)
    turn.result.messages.append(OutgoingMessage(speech.text, "ai", turn.take_delay(), key, run.id, step.id))
    turn.spoke(run)
    write_values(turn, speech.values)
    turn.write(speech.data)
    turn.line(run, step.kind, "ok", None, key, llm_calls=speech.calls)
    pending = pending_fields(turn, run, step)
    if run.staying:
        _stay_on(turn, run, step)
    elif pending:
        count_asked(run, pending)
    else:
        max_asks_lines(turn, run, step)
        yield from _go_on(turn, run, flow, step)


def _stay_on(turn: Turn, run: Run, step: TalkStep) -> None:
    key = step_key(run)
    for field in pending_fields(turn, run, step):
        count_asked(run, [field])
        if run.asked[field.slug] >= step.max_asks:
            turn.line(run, OutcomeKind.COLLECT, "skipped", Code.MAX_ASKS, key, field.slug)
    enter(run, step.id)
    run.status = RunStatus.ASKING


def _go_on(turn: Turn, run: Run, flow: CompiledFlow, step: TalkStep) -> Steps[None]:
    turn.queue = []
    if follow(turn, run, flow, step.then):
        yield from walk(turn, run, flow)
    yield from move_queued(turn)


def _defer_talk(turn: Turn, run: Run, step: TalkStep, failure: Failure) -> None:
    """Park for another try, higher up the ladder each time; at its top the run fails."""
    tries = _tries(run, step)
    key = step_key(run)
    if not failure.retryable or tries >= len(RETRY_LADDER_MS):
        turn.line(run, step.kind, "failed", failure.code, key)
        end(turn, run, "failed")
        return
    at = max(turn.now + RETRY_LADDER_MS[tries], failure.reset_at_ms or 0)
    park(turn, run, "timer", f"{key}:retry:{at}", at)
    turn.line(run, step.kind, "deferred", failure.code, key, until=iso(at))


def _tries(run: Run, step: TalkStep) -> int:
    """The deferred lines of this step at the end of the run's log."""
    count = 0
    for line in reversed(run.outcomes):
        if line.status != OutcomeStatus.DEFERRED or line.step_id != step.id:
            break
        count += 1
    return count


# -- the idle speaker spoke


def settle_idle(turn: Turn, speech: Speech) -> None:
    """A message without a run; a failure leaves a line and nothing else."""
    if speech.failure is not None:
        turn.loose_line(OutcomeKind.IDLE, "deferred", speech.failure.code, llm_calls=speech.calls)
        return
    key = f"idle:{turn.trigger_key}"
    turn.result.messages.append(OutgoingMessage(speech.text, "ai", turn.take_delay(), key))
    turn.spoken = True
    turn.write(speech.data)
    turn.loose_line(OutcomeKind.IDLE, "ok", None, key, llm_calls=speech.calls)
