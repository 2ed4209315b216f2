"""Bringing an older 3.x session blob to version 4 (spec: engine.md section 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from falai_engine.errors import InvalidSessionError
from falai_engine.records.claims import Claims
from falai_engine.records.decode import assert_session
from falai_engine.records.session import Run, RunStatus, RunTrigger, Session
from falai_engine.times import iso, ms_of

__all__ = ["migrate_session"]

FlowIdOf = Callable[[str], str]


def migrate_session(blob: Any, session_id: str, flow_id_of: FlowIdOf, now: datetime) -> Session:
    """A session at version 0 from a 3.x blob; a blob with `v` goes through `assert_session`.

    `flow_id_of` maps the old name of a flow or signal to the flow's id today. Raises InvalidSessionError when the blob
    is no object or its `data` is none.
    """
    if not isinstance(blob, Mapping) or "v" in blob:
        return assert_session(blob, session_id)
    if not isinstance(blob.get("data"), Mapping):
        raise InvalidSessionError(session_id, "data is not an object")
    now_iso = iso(ms_of(now))
    run = _legacy_run(blob, session_id, flow_id_of, now_iso)
    claims = dict(_legacy_claims(blob, session_id, flow_id_of, now_iso))
    if run is not None:
        claims[run.dedupe_key] = run.started_at
    metadata, history = blob.get("metadata"), blob.get("history")
    return Session(
        session_id,
        data=dict(blob["data"]),
        runs=[] if run is None else [run],
        claims=Claims(claims),
        metadata=metadata if isinstance(metadata, Mapping) else {},
        history=list(history) if isinstance(history, list) else None,
    )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first_text(*values: Any) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _legacy_run(blob: Mapping[str, Any], session_id: str, flow_id_of: FlowIdOf, now_iso: str) -> Run | None:
    """The current flow and step as one asking run; before its first step it is running."""
    current = _object(blob.get("currentFlow"))
    old_id = _first_text(current.get("id"), blob.get("currentFlow"))
    if old_id is None:
        return None
    flow_id = flow_id_of(old_id)
    step = blob.get("currentStep")
    step_id = _first_text(_object(step).get("id"), step)
    return Run(
        f"{flow_id}#legacy",
        flow_id,
        session_id,
        f"{flow_id}:{session_id}:",
        RunTrigger("message", "legacy"),
        0,
        _first_text(current.get("enteredAt")) or now_iso,
        step_id,
        RunStatus.RUNNING if step_id is None else RunStatus.ASKING,
    )


def _legacy_claims(
    blob: Mapping[str, Any], session_id: str, flow_id_of: FlowIdOf, now_iso: str
) -> Iterator[tuple[str, str]]:
    past = blob.get("flowHistory")
    for entry in map(_object, past if isinstance(past, list) else ()):
        if entry.get("completed") is True and isinstance(entry.get("flowId"), str):
            at = _first_text(entry.get("exitedAt"), entry.get("enteredAt")) or now_iso
            yield f"{flow_id_of(entry['flowId'])}:{session_id}:", at
    for name, signal in _object(_object(blob.get("signals")).get("triggers")).items():
        seen = _object(signal)
        at = _first_text(seen.get("lastTriggeredAt"), seen.get("firstTriggeredAt")) or now_iso
        yield f"{flow_id_of(name)}:{session_id}:", at
