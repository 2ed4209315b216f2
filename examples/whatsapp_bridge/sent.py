"""Which messages have left already: falai repeats one whose answer it did not get, always under the same id."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

__all__ = ["Sent"]

_KEPT_SECONDS = 7 * 86_400


class Sent:
    """Kept in a file, so that a restart forgets nothing. Between sending and writing it down a crash means a repeat."""

    def __init__(self, path: str) -> None:
        self._path = path
        with self._open() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS sent (id TEXT PRIMARY KEY, at REAL NOT NULL)")

    def has(self, id_: str) -> bool:
        """Whether it left."""
        with self._open() as connection:
            return connection.execute("SELECT 1 FROM sent WHERE id = ?", (id_,)).fetchone() is not None

    def add(self, id_: str, now: float) -> None:
        """It has left; what left long ago is forgotten."""
        with self._open() as connection:
            connection.execute("INSERT OR IGNORE INTO sent VALUES (?, ?)", (id_, now))
            connection.execute("DELETE FROM sent WHERE at < ?", (now - _KEPT_SECONDS,))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=10)) as connection, connection:
            yield connection
