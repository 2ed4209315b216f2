"""Where sessions are kept (spec: engine.md section 13)."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import Any, Protocol

from falai_engine.error_words import told
from falai_engine.errors import InvalidSessionError, SessionConflictError
from falai_engine.records.decode import assert_session
from falai_engine.records.encode import session_to_json
from falai_engine.records.session import Session

__all__ = ["MemoryStore", "Store"]


class Store(Protocol):
    """A store checks and writes in one statement.

    `save`: expected 0 inserts and refuses an existing row; n updates only a row at version n; anything else raises
    SessionConflictError with the version found (None when there is none). Success stores and returns n + 1.
    `load` passes every row through `assert_session`, so a broken one raises instead of becoming a fresh conversation.
    """

    def load(self, session_id: str) -> Session | None: ...

    def save(self, session: Session, expected_version: int) -> Session: ...


def _storable(session: Session) -> str:
    """The JSON of a session that `load` will take; InvalidSessionError for one that it would refuse."""
    try:
        text = json.dumps(session_to_json(session), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidSessionError(session.id, f"it is no JSON: {told(error)}") from error
    assert_session(json.loads(text), session.id)
    return text


class MemoryStore:
    """Sessions as JSON in this process: for tests, the terminal and small programs. Safe for threads."""

    def __init__(self) -> None:
        self._blobs: dict[str, Any] = {}
        self._lock = threading.Lock()

    def load(self, session_id: str) -> Session | None:
        """The stored session, None when there is none."""
        with self._lock:
            blob = self._blobs.get(session_id)
        return None if blob is None else assert_session(json.loads(blob), session_id)

    def save(self, session: Session, expected_version: int) -> Session:
        """Store at `expected_version` + 1."""
        saved = replace(session.copy(), version=expected_version + 1)
        text = _storable(saved)
        with self._lock:
            found = self._version(session.id)
            if found != (expected_version or None):
                raise SessionConflictError(session.id, expected_version, found)
            self._blobs[session.id] = text
        return saved

    def _version(self, session_id: str) -> int | None:
        blob = self._blobs.get(session_id)
        return None if blob is None else assert_session(json.loads(blob), session_id).version
