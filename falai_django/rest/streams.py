"""A turn as a stream of server-sent events (spec: host.md section 5).

`delta` (text of the message as it is phrased), `reset` (forget what you showed), `message` (each as it counts), then
one `result` or `error`; a comment now and then says that the stream lives. The turn runs in a thread of its own, and
commits also when nobody listens any more. A turn that somebody else runs, or that ended before, has no deltas.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Final, NamedTuple, TypeAlias

from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, StreamingHttpResponse

from falai_django.conf import settings
from falai_django.rest.bodies import render

__all__ = ["MEDIA_TYPE", "Event", "Tell", "stream_of", "wants_stream"]

MEDIA_TYPE: Final = "text/event-stream"
_HEARTBEAT: Final = b": alive\n\n"


class Event(NamedTuple):
    """One event; the last one ends the stream."""

    name: str
    data: Mapping[str, Any]
    is_last: bool = False

    def encoded(self) -> bytes:
        """As it goes over the wire: JSON has no line breaks of its own."""
        return b"event: " + self.name.encode() + b"\ndata: " + render(self.data) + b"\n\n"


Tell: TypeAlias = Callable[[Event], None]


def wants_stream(request: HttpRequest) -> bool:
    """Whether the caller asks for events."""
    accepted = request.headers.get("Accept", "").lower().split(",")
    return any(each.partition(";")[0].strip() == MEDIA_TYPE for each in accepted)


def stream_of(request: HttpRequest, run: Callable[[Tell], None]) -> StreamingHttpResponse:
    """Begin `run` in a thread, and answer with what it tells. `run` tells exactly one last event, and raises nothing.

    Under ASGI the stream holds no thread; under WSGI it holds the request's.
    """
    told: _Told = _Told()
    context = copy_context()
    threading.Thread(target=context.run, args=(_run, run, told.tell), name="falai-stream", daemon=True).start()
    pieces: Any = told.pieces_async() if isinstance(request, ASGIRequest) else told.pieces()
    response = StreamingHttpResponse(pieces, content_type=MEDIA_TYPE)
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # nginx would keep events back
    return response


def _run(run: Callable[[Tell], None], tell: Tell) -> None:
    try:
        run(tell)
    finally:
        connections.close_all()


class _Told:
    """What was told so far, for the one who listens, if anybody does."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ring: Callable[[], None] = lambda: None

    def tell(self, event: Event) -> None:
        with self._lock:
            self._events.put(event)
            self._ring()

    def pieces(self) -> Iterator[bytes]:
        is_last = False
        while not is_last:
            try:
                event = self._events.get(timeout=settings().heartbeat_seconds)
            except queue.Empty:
                yield _HEARTBEAT
                continue
            is_last = event.is_last
            yield event.encoded()

    async def pieces_async(self) -> AsyncIterator[bytes]:
        news, loop = asyncio.Event(), asyncio.get_running_loop()
        with self._lock:
            self._ring = lambda: _ring(loop, news)
        is_last = False
        while not is_last:
            news.clear()
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                if not await _heard(news):
                    yield _HEARTBEAT
                continue
            is_last = event.is_last
            yield event.encoded()


def _ring(loop: asyncio.AbstractEventLoop, news: asyncio.Event) -> None:
    """Nobody may be there any more: the loop has ended, or the listener left."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(news.set)


async def _heard(news: asyncio.Event) -> bool:
    """Whether something came before the next heartbeat."""
    try:
        await asyncio.wait_for(news.wait(), settings().heartbeat_seconds)
    except TimeoutError:
        return False
    return True
