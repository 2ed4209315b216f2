"""Web server and loop in one process, on a port that is free, until somebody asks them to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

import uvicorn

from falai_django.loop.worker import run_worker

__all__ = ["PortTakenError", "bound_socket", "serve"]

_PORTS: Final = 20
_SESSION_THREADS: Final = 2
_GRACE_SECONDS: Final = 5
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class PortTakenError(Exception):
    """No port from the first one on is free."""


def bound_socket(host: str, port: int, taken: Callable[[int], None] = lambda port: None) -> socket.socket:
    """A socket on the first free port from `port` on; `taken` is told of those that are not. PortTakenError."""
    for number in range(port, min(port + _PORTS, 65_536)):
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen()  # from now on nobody else gets it
        except OSError:
            listener.close()
            taken(number)
        else:
            return listener
    raise PortTakenError


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def serve(listener: socket.socket, application: str, on_ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM, then finish what was begun. A second signal ends at once."""
    stop = threading.Event()
    # The chat page is for this machine alone: nobody may say that they are somebody else.
    config = uvicorn.Config(
        application,
        lifespan="off",
        log_level="warning",
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Server(config, on_ready)
    with _stopping(stop, server):
        worker = threading.Thread(target=run_worker, args=(stop, _SESSION_THREADS), name="falai-worker")
        worker.start()
        try:
            asyncio.run(server.serve([listener]))
        finally:
            stop.set()
            worker.join()


@contextlib.contextmanager
def _stopping(stop: threading.Event, server: uvicorn.Server) -> Iterator[None]:
    """The server takes signals while it runs and hands them on when it has ended; before and after they are ours."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True
        stop.set()

    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
