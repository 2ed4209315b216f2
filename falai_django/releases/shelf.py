"""Agents that are ready, kept for the next turn of this process: a bounded number, the least used leave first."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable

from falai_engine import Agent

__all__ = ["Shelf"]


class _Place:
    """Where the agent of one subject stands, and the lock of whoever builds it."""

    __slots__ = ("agent", "lock", "version")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version: Hashable = None
        self.agent: Agent | None = None


class Shelf:
    """By subject (a release, a draft) its agent, as of one version; safe for threads.

    `most` says how many may stand here. An agent that leaves, for room or for a newer version, closes its provider's
    connections once nothing uses it any more: a turn that runs holds it, and ends as it began.
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._places: OrderedDict[Hashable, _Place] = OrderedDict()

    def get(self, subject: Hashable, version: Hashable, build: Callable[[], Agent]) -> Agent:
        """The agent of that version, built when it is not here. What `build` raises is raised, and built anew next."""
        place = self._place(subject)
        # Others who want the same wait for the one who builds it; nobody waits for another subject.
        with place.lock:
            if place.agent is None or place.version != version:
                place.agent = None
                place.agent, place.version = _closing(build()), version
            return place.agent

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._places.clear()

    def __len__(self) -> int:
        return len(self._places)

    def _place(self, subject: Hashable) -> _Place:
        with self._lock:
            place = self._places.setdefault(subject, _Place())
            self._places.move_to_end(subject)
            while len(self._places) > max(self._most(), 1):
                self._places.popitem(last=False)
            return place


def _closing(agent: Agent) -> Agent:
    close = getattr(agent.provider, "close", None)
    if close is not None:
        # Not at the end of the process: its connections end with it.
        weakref.finalize(agent, close).atexit = False
    return agent
