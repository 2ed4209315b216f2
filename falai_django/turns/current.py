"""Which session's turn is being run here, for what an action does to its own session (spec: host.md section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from falai_django.models import Turn

__all__ = ["current_turn", "is_inside", "running_turn"]

_current: ContextVar[tuple[Turn, ...]] = ContextVar("falai_turns", default=())


def current_turn() -> Turn | None:
    """The turn that the caller is part of, with its session's rows; None outside of one."""
    turns = _current.get()
    return turns[-1] if turns else None


def is_inside(session_pk: int) -> bool:
    """Whether the caller is part of a turn of this session, be it by way of another one's."""
    return any(turn.session_id == session_pk for turn in _current.get())


@contextmanager
def running_turn(turn: Turn) -> Iterator[None]:
    """What runs within is part of this turn."""
    token = _current.set((*_current.get(), turn))
    try:
        yield
    finally:
        _current.reset(token)
