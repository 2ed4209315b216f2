"""Writing records as JSON, camelCase; `decode` reads them (spec: engine.md sections 1, 2 and 13)."""

from __future__ import annotations

from typing import Any

from falai_engine.records.outcomes import Outcome
from falai_engine.records.results import EndedRun, OutgoingMessage, ScheduledWake, SkippedStart, StartedRun, TurnResult
from falai_engine.records.session import SESSION_VERSION, Run, Session, Waiting
from falai_engine.values import MISSING

__all__ = ["outcome_to_json", "result_to_json", "run_to_json", "session_to_json"]


def _present(pairs: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {name: value for name, value in pairs if value is not None and value is not MISSING}


def session_to_json(session: Session) -> dict[str, Any]:
    """The blob to store. Values inside `data`, `metadata` and `history` are shared, not copied."""
    blob: dict[str, Any] = {
        "id": session.id,
        "v": SESSION_VERSION,
        "version": session.version,
        "data": dict(session.data),
        "runs": [run_to_json(run) for run in session.runs],
        "claims": {key: {"at": at} for key, at in session.claims.items()},
        "inputs": list(session.inputs),
        "metadata": session.metadata,
    }
    if session.history is not None:
        blob["history"] = session.history
    if session.last_user_at is not None:
        blob["lastUserAt"] = session.last_user_at
    if session.last_assistant_at is not None:
        blob["lastAssistantAt"] = session.last_assistant_at
    return blob


def run_to_json(run: Run) -> dict[str, Any]:
    """A run as it stands in the blob."""
    trigger = {"kind": run.trigger.kind, "key": run.trigger.key}
    if run.trigger.payload is not MISSING:
        trigger["payload"] = run.trigger.payload
    out: dict[str, Any] = {
        "id": run.id,
        "flowId": run.flow_id,
        "anchor": run.anchor,
        "dedupeKey": run.dedupe_key,
        "stepId": run.step_id,
        "status": str(run.status),
        "trigger": trigger,
        "hop": run.hop,
        "startedAt": run.started_at,
        "asked": dict(run.asked),
        "visits": dict(run.visits),
        "outcomes": [outcome_to_json(line) for line in run.outcomes],
    }
    if run.input is not MISSING:
        out["input"] = run.input
    if run.suspended_at is not None:
        out["suspendedAt"] = run.suspended_at
    if run.waiting is not None:
        out["waiting"] = _waiting_to_json(run.waiting)
    if run.staying:
        out["staying"] = True
    return out


def _waiting_to_json(waiting: Waiting) -> dict[str, Any]:
    out = {"kind": waiting.kind, "key": waiting.key, "until": waiting.until, "setAt": waiting.set_at}
    if waiting.event is not None:
        out["event"] = waiting.event
    return out


def outcome_to_json(line: Outcome, *, explained: bool = False) -> dict[str, Any]:
    """An outcome line; `explained` adds our sentence for its code, which a stored log leaves out."""
    return _present(
        (
            ("runId", line.run_id),
            ("flowId", line.flow_id),
            ("stepId", line.step_id),
            ("key", line.key),
            ("kind", str(line.kind)),
            ("status", str(line.status)),
            ("code", None if line.code is None else str(line.code)),
            ("message", line.message if explained else None),
            ("detail", line.detail),
            ("next", line.next),
            ("until", line.until),
            ("at", line.at),
            ("llmCalls", line.llm_calls),
        )
    )


def _message_to_json(message: OutgoingMessage) -> dict[str, Any]:
    return _present(
        (
            ("text", message.text),
            ("kind", message.kind),
            ("media", message.media),
            ("afterMs", message.after_ms),
            ("key", message.key),
            ("runId", message.run_id),
            ("stepId", message.step_id),
        )
    )


def _wake_to_json(wake: ScheduledWake) -> dict[str, Any]:
    return _present((("key", wake.key), ("at", wake.at), ("replaces", wake.replaces)))


def _started_to_json(run: StartedRun) -> dict[str, Any]:
    return {"runId": run.run_id, "flowId": run.flow_id, "anchor": run.anchor, "dedupeKey": run.dedupe_key}


def _ended_to_json(ended: EndedRun) -> dict[str, Any]:
    return {**run_to_json(ended.run), "reason": ended.reason}


def _skipped_to_json(skipped: SkippedStart) -> dict[str, Any]:
    return _present(
        (
            ("flowId", skipped.flow_id),
            ("anchor", skipped.anchor),
            ("triggerKey", skipped.trigger_key),
            ("code", str(skipped.code)),
            ("message", skipped.message),
        )
    )


def result_to_json(result: TurnResult) -> dict[str, Any]:
    """A TurnResult as the host stores it and REST shows it."""
    out: dict[str, Any] = {
        "session": session_to_json(result.session),
        "changed": result.changed,
        "messages": [_message_to_json(each) for each in result.messages],
        "schedule": [_wake_to_json(each) for each in result.schedule],
        "outcomes": [outcome_to_json(each, explained=True) for each in result.outcomes],
        "started": [_started_to_json(each) for each in result.started],
        "ended": [_ended_to_json(each) for each in result.ended],
        "skipped": [_skipped_to_json(each) for each in result.skipped],
        "llmCalls": result.llm_calls,
    }
    if result.usage is not None:
        out["usage"] = {
            "promptTokens": result.usage.prompt_tokens,
            "completionTokens": result.usage.completion_tokens,
            "cachedInputTokens": result.usage.cached_input_tokens,
        }
    return out
