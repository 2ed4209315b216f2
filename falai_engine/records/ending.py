"""Ending a run from outside a turn (spec: engine.md section 9, `end_run`)."""

from __future__ import annotations

from falai_engine.records.outcomes import Outcome, OutcomeKind, OutcomeStatus
from falai_engine.records.results import EndedRun, TurnResult
from falai_engine.records.session import Run, Session

__all__ = ["end_run"]


def end_run(session: Session, run_id: str, code: str, at: str) -> TurnResult:
    """End a live run as `skipped` with a host's code: for a missed wake, a stopped flow, a closed conversation.

    Pure. The result holds the new session, the run as it stood and its line, as a turn's would; `changed` is False when
    the session has no such run. `at` is ISO 8601.
    """
    run = next((each for each in session.runs if each.id == run_id), None)
    if run is None:
        return TurnResult(session)
    left = session.copy()
    left.runs = [each for each in left.runs if each.id != run_id]
    ended = run.copy()
    line = _line(run, code, at)
    ended.log(line)
    return TurnResult(left, changed=True, outcomes=[line], ended=[EndedRun(ended, "skipped")])


def _line(run: Run, code: str, at: str) -> Outcome:
    """The kind is that of the step's last line; without a flow at hand nothing else knows it."""
    kinds = (line.kind for line in reversed(run.outcomes) if run.step_id is not None and line.step_id == run.step_id)
    kind = next(kinds, OutcomeKind.IF)
    return Outcome(kind, OutcomeStatus.SKIPPED, at, code, run.id, run.flow_id, run.step_id)
