"""How many requests wait for one conversation, and in this process at all (spec: host.md section 3)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from falai_django.conf import settings

__all__ = ["waiting_for"]

_lock = threading.Lock()
_waiting: Counter[int] = Counter()


@contextmanager
def waiting_for(session_pk: int) -> Iterator[bool]:
    """A place to wait in while the block runs; False when there is none left."""
    has_place = _enter(session_pk)
    try:
        yield has_place
    finally:
        if has_place:
            _leave(session_pk)


def _enter(session_pk: int) -> bool:
    told = settings()
    with _lock:
        if _waiting[session_pk] >= told.waiters_per_session or _waiting.total() >= told.waiters_per_process:
            return False
        _waiting[session_pk] += 1
        return True


def _leave(session_pk: int) -> None:
    with _lock:
        _waiting[session_pk] -= 1
        if not _waiting[session_pk]:
            del _waiting[session_pk]
