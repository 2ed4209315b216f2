"""Fault points: the named places between two writes where a process may die (README, crash points).

`fault_point("after-lease")` does nothing. A test arms one: in its own process with `at_fault_point`, in another through
the environment (`FALAI_FAULT_POINT=after-lease`, then that process kills itself there as `kill -9` does).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["ENVIRONMENT_NAME", "at_fault_point", "fault_point"]

ENVIRONMENT_NAME: Final = "FALAI_FAULT_POINT"


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


_armed: dict[str, Callable[[], None]] = {}
if _from_environment := os.environ.get(ENVIRONMENT_NAME):
    _armed[_from_environment] = _die


def fault_point(name: str) -> None:
    """A place where the process may end; nothing happens unless a test armed it."""
    if _armed and (act := _armed.get(name)) is not None:
        act()


@contextmanager
def at_fault_point(name: str, act: Callable[[], None]) -> Iterator[None]:
    """For tests: what happens there, each time this process comes by within."""
    before = _armed.get(name)
    _armed[name] = act
    try:
        yield
    finally:
        if before is None:
            del _armed[name]
        else:
            _armed[name] = before
