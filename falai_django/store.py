"""The engine's Store on Django's database, for a host that wants the store and nothing else (spec: engine.md 13)."""

from __future__ import annotations

import json
from typing import Any

from falai_django.models import Agent, Session
from falai_django.rows import rows
from falai_engine import InvalidSessionError, SessionConflictError, assert_session, session_to_json
from falai_engine import Session as EngineSession
from falai_engine.error_words import told

__all__ = ["DjangoStore"]


class DjangoStore:
    """Sessions of one agent's row. A session that only the inbox knows so far is none yet.

    `load` and `save` are those of `falai_engine.Store`; check and write are one statement. Do not save sessions by it
    that the runtime serves: their runs and wakes would not follow.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def load(self, session_id: str) -> EngineSession | None:
        """The stored session, None when there is none. InvalidSessionError when the row holds something else."""
        row = self._rows(session_id).values("blob", "version").first()
        if row is None or row["blob"] is None:
            return None
        blob = row["blob"]
        return assert_session({**blob, "version": row["version"]} if isinstance(blob, dict) else blob, session_id)

    def save(self, session: EngineSession, expected_version: int) -> EngineSession:
        """Store at `expected_version` + 1; SessionConflictError when another version, or none, is stored."""
        blob = _storable(session, expected_version + 1)
        stored = self._rows(session.id).filter(version=expected_version)
        if expected_version == 0:
            rows(Session).bulk_create([Session(agent=self._agent, session_id=session.id)], ignore_conflicts=True)
            stored = stored.filter(blob=None)
        if not stored.update(blob=blob, version=expected_version + 1):
            raise SessionConflictError(session.id, expected_version, self._version(session.id))
        return assert_session(blob, session.id)

    def _version(self, session_id: str) -> int | None:
        found: int | None = self._rows(session_id).exclude(blob=None).values_list("version", flat=True).first()
        return found

    def _rows(self, session_id: str) -> Any:
        return rows(Session).filter(agent=self._agent, session_id=session_id)


def _storable(session: EngineSession, version: int) -> Any:
    """The blob that `load` will take; InvalidSessionError for one that it would refuse."""
    try:
        blob = json.loads(json.dumps({**session_to_json(session), "version": version}, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidSessionError(session.id, f"it is no JSON: {told(error)}") from error
    assert_session(blob, session.id)
    return blob
