"""Rows as callers read them; times are ISO 8601 in UTC with milliseconds, as the engine's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from falai_django.authoring.touched_runs import TouchedRuns
from falai_django.differences import Change
from falai_django.models import Message, Release, Turn, Wake
from falai_django.rest.lookups import Mask
from falai_django.waiting import Answered, Refused, outcome_of
from falai_engine.times import iso, ms_of

__all__ = [
    "change_told",
    "message_told",
    "release_told",
    "session_told",
    "time_told",
    "touched_told",
    "turn_told",
    "turn_told_in_full",
    "wake_told",
]


def time_told(time: datetime | None) -> str | None:
    """A time, or null."""
    return None if time is None else iso(ms_of(time))


def session_told(session: Any, mask: Mask) -> dict[str, Any]:
    """The state of a session as `lookups.session_of` gave it."""
    blob: Mapping[str, Any] = session.blob if isinstance(session.blob, Mapping) else {}
    told = {
        "id": session.session_id,
        "agent": session.agent.slug,
        "version": session.version,
        "data": blob.get("data") or {},
        "metadata": blob.get("metadata") or {},
        "runs": [_run(run) for run in blob.get("runs") or ()],
        "context": session.context,
        "anchors": session.anchors,
        "silenced": _silence(session),
        "lastUserAt": blob.get("lastUserAt"),
        "lastAssistantAt": blob.get("lastAssistantAt"),
        "lastActivityAt": time_told(session.last_activity_at),
        "createdAt": time_told(session.created_at),
    }
    return mask(told)  # type: ignore[no-any-return]


def _run(run: Mapping[str, Any]) -> dict[str, Any]:
    names = ("id", "flowId", "stepId", "status", "waiting", "startedAt")
    return {name: run.get(name) for name in names}


def _silence(session: Any) -> dict[str, Any] | None:
    until = session.silenced_until
    if session.silenced is None or (until is not None and until <= session.now):
        return None
    return {"reason": session.silenced, "until": time_told(until)}


def turn_told(turn: Turn, mask: Mask) -> dict[str, Any]:
    """A line of the log; the turn comes with its release."""
    told = {
        "id": turn.pk,
        "kind": turn.kind,
        "key": turn.key,
        "state": turn.state,
        "deliver": turn.deliver,
        "release": None if turn.release is None else turn.release.number,
        "attempts": turn.attempts,
        "calls": turn.calls,
        "tokens": turn.tokens,
        "milliseconds": turn.milliseconds,
        "error": turn.error or None,
        "mergedInto": turn.merged_into_id,
        "outcomes": turn.outcomes or [],
        "receivedAt": time_told(turn.received_at),
        "notBefore": time_told(turn.not_before),
        "endedAt": time_told(turn.ended_at),
    }
    return mask(told)  # type: ignore[no-any-return]


def turn_told_in_full(turn: Turn, mask: Mask) -> dict[str, Any]:
    """The turn with what was given and, once it has ended, what it gave."""
    outcome = outcome_of(turn)
    response = outcome.response if isinstance(outcome, Answered | Refused) else None
    return {**turn_told(turn, mask), "input": mask(turn.input), "response": mask(response)}


def message_told(message: Message, mask: Mask) -> dict[str, Any]:
    """A message of the transcript."""
    told = {
        "id": str(message.public_id),
        "sequence": message.seq,
        "direction": message.direction,
        "author": message.author,
        "text": message.text,
        "media": message.media,
        "kind": message.kind or None,
        "recipient": message.recipient or None,
        "turn": message.turn_id,
        "runId": message.run_id or None,
        "stepId": message.step or None,
        "state": message.state,
        "error": message.error or None,
        "createdAt": time_told(message.created_at),
        "sentAt": time_told(message.sent_at),
    }
    return mask(told)  # type: ignore[no-any-return]


def wake_told(wake: Wake) -> dict[str, Any]:
    """A wake that is pending; while its agent is off it waits beyond its time."""
    return {"key": wake.key, "due": time_told(wake.held_due or wake.due), "createdAt": time_told(wake.created_at)}


def release_told(release: Release, active: int | None) -> dict[str, Any]:
    """A release without its document."""
    return {
        "number": release.number,
        "digest": release.digest,
        "specVersion": release.spec_version,
        "note": release.note,
        "publishedBy": release.created_by_name,
        "publishedAt": time_told(release.created_at),
        "isActive": release.pk == active,
    }


def change_told(change: Change) -> dict[str, Any]:
    """One difference in words."""
    return {"place": change.place, "kind": str(change.kind), "sentence": change.sentence}


def touched_told(touched: TouchedRuns) -> dict[str, Any]:
    """How many live runs notice."""
    return {"place": touched.place, "count": touched.count, "sentence": touched.sentence}
