"""Which session's turn is being run here, for what an action does to its own session (spec: host.md section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from falai_django.models import Turn

__all__ = ["current_turn", "running_turn"]

_current: ContextVar[Turn | None] = ContextVar("falai_turn", default=None)


def current_turn() -> Turn | None:
    """The turn that the caller is part of, with its session's rows; None outside of one."""
    return _current.get()


@contextmanager
def running_turn(turn: Turn) -> Iterator[None]:
    """What runs within is part of this turn."""
    token = _current.set(turn)
    try:
        yield
    finally:
        _current.reset(token)
