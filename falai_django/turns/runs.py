"""The live runs of a blob as rows, for lists and filters; what changed is rewritten (spec: host.md section 1)."""

from __future__ import annotations

from typing import Final, TypeAlias

from falai_django.models import Session as SessionRow
from falai_django.models import SessionRun
from falai_django.prepared import delete, insert, new, update
from falai_engine import Run, Session
from falai_engine.times import instant, moment

__all__ = ["write_runs"]

_MOVING: Final = ("flow", "step", "status", "waiting_until")
Told: TypeAlias = tuple[str, str, str, str | None]


def write_runs(row: SessionRow, before: Session | None, after: Session) -> None:
    """At most two statements, none when nothing changed that a list shows. In the commit."""
    old, new = _told(before), _told(after)
    gone = [run for run, told in old.items() if new.get(run) != told]
    fresh = [_row(row, run, told) for run, told in new.items() if old.get(run) != told]
    if [each.run_id for each in fresh] == gone and len(gone) == 1 and _moved(*fresh):
        return
    if gone:
        delete(SessionRun, {"session": row.pk, "run_id__in": gone})
    if fresh:
        insert(fresh)


def _moved(run: SessionRun) -> bool:
    """One that goes on keeps its row."""
    columns = {name: getattr(run, name) for name in _MOVING}
    return update(SessionRun, {"session": run.session_id, "run_id": run.run_id}, columns) == 1


def _told(session: Session | None) -> dict[str, Told]:
    return {} if session is None else {run.id: _one(run) for run in session.runs}


def _one(run: Run) -> Told:
    until = None if run.waiting is None else run.waiting.until
    return run.flow_id, run.step_id or "", str(run.status), until


def _row(session: SessionRow, run: str, told: Told) -> SessionRun:
    flow, step, status, until = told
    at = instant(until)
    waiting = None if at is None else moment(at)
    columns = {"session_id": session.pk, "run_id": run, "flow": flow, "step": step, "status": status}
    return new(SessionRun, {**columns, "waiting_until": waiting})
