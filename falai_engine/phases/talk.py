"""The talk step: whether there is anything to say, and who says it (engine.md 7, Talk and Fixed question)."""

from __future__ import annotations

from falai_engine.compiled.parts import CompiledField, CompiledFlow, TalkStep
from falai_engine.needs import Steps
from falai_engine.phases.movement import end, follow, step_key, take_asking
from falai_engine.phases.state import Turn
from falai_engine.records.outcomes import Code, OutcomeKind
from falai_engine.records.results import OutgoingMessage
from falai_engine.records.session import Run, RunStatus
from falai_engine.values import is_known

__all__ = ["ask_fixed", "count_asked", "max_asks_lines", "opens_fixed", "pending_fields", "talk"]


def pending_fields(turn: Turn, run: Run, step: TalkStep) -> list[CompiledField]:
    """What the step still asks for: unknown, and not asked as often as allowed."""
    data = turn.data()
    return [
        field
        for field in step.collect
        if not is_known(data.get(field.slug)) and run.asked.get(field.slug, 0) < step.max_asks
    ]


def talk(turn: Turn, run: Run, flow: CompiledFlow, step: TalkStep) -> Steps[bool]:
    """Execute a talk step."""
    yield from ()
    resuming = run.status == RunStatus.ASKING
    if step.collect and not run.staying and not pending_fields(turn, run, step):
        max_asks_lines(turn, run, step)
        status, code = ("ok", None) if resuming else ("skipped", Code.ALREADY_KNOWN)
        turn.line(run, step.kind, status, code, step_key(run), next=step.then.text)
        return follow(turn, run, flow, step.then)
    if turn.silenced:
        if not resuming:
            end(turn, run, "skipped", Code.SILENCED, turn.reason)
        return False
    take_asking(turn, run)
    if not turn.speak_over:
        turn.speaker = run
    elif opens_fixed(turn, run, step):
        ask_fixed(turn, run, step)
    return False


def opens_fixed(turn: Turn, run: Run, step: TalkStep) -> bool:
    """Whether the step's fixed question goes out: at its first ask, when nothing of it is known or was asked."""
    if step.question is None or run.staying:
        return False
    data = turn.data()
    return not any(field.slug in run.asked or is_known(data.get(field.slug)) for field in step.collect)


def ask_fixed(turn: Turn, run: Run, step: TalkStep) -> None:
    """Send the question word for word."""
    assert step.question is not None
    key = step_key(run)
    text = step.question.render(turn.scope(run))
    turn.result.messages.append(OutgoingMessage(text, "verbatim", turn.take_delay(), key, run.id, step.id))
    count_asked(run, list(step.collect))
    turn.line(run, step.kind, "ok", Code.ASKED_FIXED, key)
    turn.spoke(run)


def count_asked(run: Run, fields: list[CompiledField]) -> None:
    """Each of these was asked once more."""
    for field in fields:
        run.asked[field.slug] = run.asked.get(field.slug, 0) + 1


def max_asks_lines(turn: Turn, run: Run, step: TalkStep) -> None:
    """A line for each field that stays unknown because it was asked as often as allowed."""
    data = turn.data()
    for field in step.collect:
        if not is_known(data.get(field.slug)) and run.asked.get(field.slug, 0) >= step.max_asks:
            turn.line(run, OutcomeKind.COLLECT, "skipped", Code.MAX_ASKS, step_key(run), field.slug)
