"""A thread that says things to a broker, so that nobody waits for it (spec: host.md section 4)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from falai_django.journal import note

__all__ = ["LOG_SECONDS", "REST_SECONDS", "Messenger"]

REST_SECONDS: Final = 10.0
"""How long a broker is left alone that failed."""
LOG_SECONDS: Final = 60.0


def _start(run: Callable[[], None]) -> None:
    threading.Thread(target=run, name="falai-hints", daemon=True).start()


class Messenger:
    """Says what it was told, each thing once however often it was told meanwhile. The first begins the thread.

    `send` says one thing and may raise anything; `rest` waits for seconds; `start` runs a function beside the caller.
    """

    def __init__(
        self,
        send: Callable[[str], None],
        rest: Callable[[float], None] = time.sleep,
        start: Callable[[Callable[[], None]], None] = _start,
    ) -> None:
        self._send, self._rest, self._start = send, rest, start
        self.forget()

    def forget(self) -> None:
        """Begin anew: a forked process has none of its parent's threads, and may have its locks as they were held."""
        self._lock = threading.Lock()
        self._told: set[str] = set()
        self._news = threading.Event()
        self._is_running = False
        self._logged_at = -LOG_SECONDS

    def tell(self, name: str) -> None:
        """Say it soon. Never waits for the broker."""
        with self._lock:
            self._told.add(name)
            if not self._is_running:
                self._start(self._run)
                self._is_running = True
        self._news.set()

    def deliver(self) -> None:
        """Say all that was told so far; after a failure, leave the broker alone for a while."""
        with self._lock:
            names, self._told = sorted(self._told), set()
            self._news.clear()
        try:
            for name in names:
                self._send(name)
        except Exception as error:  # noqa: BLE001 - whatever a broker and its client raise: the work is safe without it
            self._log(error)
            self._rest(REST_SECONDS)

    def _run(self) -> None:
        while True:
            self._news.wait()
            self.deliver()

    def _log(self, error: Exception) -> None:
        """Once a minute: it fails again and again until somebody mends the broker."""
        now = time.monotonic()
        if now - self._logged_at >= LOG_SECONDS:
            self._logged_at = now
            note("hint.failed", logging.WARNING, error=error)
