"""What the bridge answers to who called it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AGAIN", "FORBIDDEN", "NOWHERE", "TAKEN", "UNREADABLE", "Answer"]


class Answer(NamedTuple):
    """An HTTP status with its words, and a body."""

    status: str
    body: bytes = b"{}"
    kind: str = "application/json"


TAKEN = Answer("200 OK")
"""It is done, and need not come again."""
AGAIN = Answer("503 Service Unavailable")
"""It is not done: both sides send it again, under the same id."""
FORBIDDEN = Answer("403 Forbidden")
UNREADABLE = Answer("400 Bad Request")
NOWHERE = Answer("404 Not Found")
