"""Listening in on what turns ask and are answered, for pages that show what was understood (spec: ux.md).

Nobody listens unless something of the site does. Then it is told of every turn that this process runs, and again when
one is replayed; what it makes of it changes no turn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from falai_django.journal import note
from falai_django.models import Turn
from falai_engine.needs import Need, Steps

__all__ = ["Listener", "listen", "listening", "overheard"]

Listener: TypeAlias = Callable[[Turn, Need, Any], None]
"""Is told a need of a turn and its answer, in the thread that runs the turn; no transaction is open."""

_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Tell it of all turns that this process runs from now on."""
    if listener not in _listeners:
        _listeners.append(listener)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell it of the turns that are run within."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def overheard(turn: Turn, steps: Steps[Any]) -> Steps[Any]:
    """The same steps, told to who listens."""
    return _told(turn, steps) if _listeners else steps


def _told(turn: Turn, steps: Steps[Any]) -> Steps[Any]:
    answer: Any = None
    while True:
        try:
            need = steps.send(answer)
        except StopIteration as stop:
            return stop.value
        answer = yield need
        for listener in tuple(_listeners):
            _tell(listener, turn, need, answer)


def _tell(listener: Listener, turn: Turn, need: Need, answer: Any) -> None:
    try:
        listener(turn, need, answer)
    except Exception as error:  # noqa: BLE001 - who only looks on stops no turn
        note("listener.raised", logging.WARNING, error=error, turn=turn.pk)
