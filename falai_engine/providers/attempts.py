"""One call with its attempts, without a socket (spec: providers.md, Options).

`exchange` is a generator: it yields what it needs, is sent the answer, and returns the reply or raises ProviderError.
`transport` drives it, synchronously or not; no rule stands there. Times are monotonic seconds.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import RESET, ModelReply, ModelRequest, Reset
from falai_engine.providers.error_table import of_failure, of_response
from falai_engine.providers.json_text import parsed
from falai_engine.providers.message_stream import MessageStream
from falai_engine.providers.server_sent_events import EventReader
from falai_engine.providers.settings import Settings
from falai_engine.providers.wire import HttpCall, Wire, reply_of

__all__ = [
    "Broken",
    "Emit",
    "Exchange",
    "Item",
    "Need",
    "Open",
    "Opened",
    "Pause",
    "Read",
    "exchange",
    "half_of",
    "leave",
]

BODY_LIMIT: Final = 8 * 1024 * 1024
ERROR_BODY_LIMIT: Final = 64 * 1024
_LONGEST_BACKOFF: Final = 8.0
# How long to wait for the end of a stream that has said all, so that its connection can be used again.
_LAST_WORDS: Final = 0.05

Item: TypeAlias = str | Reset | ModelReply


@dataclass(frozen=True, slots=True)
class Open:
    """Make the call and bring its status and headers: Opened or Broken. What was open before is closed."""

    call: HttpCall
    until: float


@dataclass(frozen=True, slots=True)
class Read:
    """Bring the next bytes of the body, empty at its end: bytes or Broken."""

    until: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Close what is open and wait. No answer."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Emit:
    """Give this to who reads the stream. No answer."""

    item: Item


@dataclass(frozen=True, slots=True)
class Opened:
    """A reply begins; header names are small."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Broken:
    """The connection, the clock or the call itself failed."""

    kind: ErrorKind
    what: str


Need: TypeAlias = Open | Read | Pause | Emit
Answer: TypeAlias = Opened | bytes | Broken | None
Exchange: TypeAlias = Generator[Need, Answer, ModelReply]


def half_of(deadline: float | None, now: float) -> float | None:
    """The deadline of one of several: at most half of what is left, so that the next has a chance."""
    return None if deadline is None else now + max(deadline - now, 0) / 2


def leave(deadline: float | None, now: float) -> float:
    """Seconds until the deadline, endless without one."""
    return float("inf") if deadline is None else deadline - now


@dataclass(frozen=True, slots=True)
class _Talk:
    """All that an attempt needs; `clock` and `jitter` are told apart for the tests."""

    wire: Wire
    settings: Settings
    request: ModelRequest
    streaming: bool
    clock: Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Limit:
    """Until when an attempt may go on, and how long the other side may say nothing."""

    total: float
    silence: float
    clock: Callable[[], float]

    def next(self) -> float:
        return min(self.total, self.clock() + self.silence)


def exchange(
    wire: Wire,
    settings: Settings,
    request: ModelRequest,
    *,
    streaming: bool,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[float], float] = lambda most: random.uniform(0, most),  # noqa: S311 - spreads load, guards nothing
) -> Exchange:
    """Drive to a reply: attempts, the pauses between them and, in a stream, a RESET before each further one."""
    talk = _Talk(wire, settings, request, streaming, clock)
    if leave(request.deadline, clock()) <= 0:
        raise of_failure(settings, ErrorKind.TIMEOUT, "the deadline had passed before the call")
    number = 1
    while True:
        try:
            return (yield from _attempt(talk, is_last=number == settings.attempts))
        except ProviderError as error:
            failure = error
        pause = _pause(talk, failure, number, jitter)
        if pause is None:
            raise failure
        yield Pause(pause)
        if streaming:
            yield Emit(RESET)
        number += 1


def _pause(talk: _Talk, failure: ProviderError, number: int, jitter: Callable[[float], float]) -> float | None:
    """Seconds before the next attempt; None when there is none, or no time for one."""
    settings = talk.settings
    if number == settings.attempts or not failure.is_retryable:
        return None
    if failure.retry_after_ms is not None:
        wait = failure.retry_after_ms / 1_000
    else:
        wait = jitter(min(settings.backoff * 2 ** (number - 1), _LONGEST_BACKOFF))
    # A vendor that asks for more patience than an attempt has is better asked again by who scheduled this.
    fits = wait < leave(talk.request.deadline, talk.clock()) and wait <= settings.timeout
    return wait if fits else None


def _limit(talk: _Talk, *, is_last: bool) -> _Limit:
    now, timeout, deadline = talk.clock(), talk.settings.timeout, talk.request.deadline
    share = now + leave(deadline if is_last else half_of(deadline, now), now)
    return _Limit(share if talk.streaming else min(share, now + timeout), timeout, talk.clock)


def _attempt(talk: _Talk, *, is_last: bool) -> Exchange:
    limit = _limit(talk, is_last=is_last)
    call = talk.wire.build(talk.request, talk.settings, talk.streaming)
    opened = yield Open(call, limit.next())
    if not isinstance(opened, Opened):
        raise _broken(talk, opened)
    content_type = opened.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not 200 <= opened.status < 300:  # noqa: PLR2004
        raise of_response(talk.settings, opened.status, opened.headers, (yield from _what_comes(limit)))
    if talk.streaming and content_type in {"text/event-stream", ""}:
        return (yield from _listen(talk, limit))
    if "json" not in content_type and content_type:
        raise of_response(talk.settings, opened.status, opened.headers, (yield from _what_comes(limit)))
    return (yield from _read_whole(talk, limit))


def _what_comes(limit: _Limit) -> Generator[Need, Answer, bytes]:
    """As much of an error's body as comes; that it breaks off is not what went wrong."""
    body = b""
    while len(body) < ERROR_BODY_LIMIT:
        piece = yield Read(limit.next())
        if not isinstance(piece, bytes) or not piece:
            break
        body += piece
    return body[:ERROR_BODY_LIMIT]


def _read_whole(talk: _Talk, limit: _Limit) -> Exchange:
    pieces: list[bytes] = []
    size = 0
    while piece := (yield from _piece(talk, limit)):
        pieces.append(piece)
        size += len(piece)
        _check_size(talk, size)
    body = parsed(b"".join(pieces))
    if not isinstance(body, dict):
        raise of_failure(
            talk.settings, ErrorKind.UNKNOWN, "no JSON object: " + b"".join(pieces).decode("utf-8", "replace")
        )
    reply = reply_of(talk.wire.read(body, talk.settings), talk.request)
    yield from _Shown(talk).settle(reply)
    return reply


def _listen(talk: _Talk, limit: _Limit) -> Exchange:
    events, shown, listener = EventReader(), _Shown(talk), talk.wire.listen(talk.settings)
    size = 0
    while not listener.is_over:
        piece = yield Read(limit.next())
        if not isinstance(piece, bytes):
            if listener.is_whole:
                break  # it only failed to say that it was over
            raise _broken(talk, piece)
        size += len(piece)
        _check_size(talk, size)
        for event in events.feed(piece) if piece else events.close():
            yield from shown.add(listener.feed(event))
        if not piece:
            break
    if not listener.is_whole:
        raise of_failure(talk.settings, ErrorKind.NETWORK, "the stream ended before the reply did")
    reply = reply_of(talk.wire.read(listener.body(), talk.settings), talk.request)
    yield from shown.settle(reply)
    if listener.is_over:
        yield Read(min(limit.next(), talk.clock() + _LAST_WORDS))
    return reply


def _piece(talk: _Talk, limit: _Limit) -> Generator[Need, Answer, bytes]:
    piece = yield Read(limit.next())
    if not isinstance(piece, bytes):
        raise _broken(talk, piece)
    return piece


def _broken(talk: _Talk, answer: Answer) -> ProviderError:
    assert isinstance(answer, Broken)
    return of_failure(talk.settings, answer.kind, answer.what)


def _check_size(talk: _Talk, size: int) -> None:
    if size > BODY_LIMIT:
        raise of_failure(talk.settings, ErrorKind.UNKNOWN, f"the body is larger than {BODY_LIMIT} bytes")


class _Shown:
    """What a reader of the stream has seen, so that in the end it is the message."""

    def __init__(self, talk: _Talk) -> None:
        self._is_streaming = talk.streaming
        self._has_schema = bool(talk.request.schema)
        self._has_message = "message" in (talk.request.schema.get("properties") or {})
        self._message = MessageStream()
        self._text = ""

    def add(self, text: str) -> Generator[Need, Answer, None]:
        if self._has_message:
            text = self._message.feed(text)
        elif self._has_schema:
            return
        if text:
            self._text += text
            yield Emit(text)

    def settle(self, reply: ModelReply) -> Generator[Need, Answer, None]:
        """What is still missing; all anew where a reply that was cut or mended came out otherwise than it began."""
        final = _shown_message(reply)
        if not self._is_streaming or (self._has_schema and not self._has_message):
            return
        if not final.startswith(self._text):
            yield Emit(RESET)
            self._text = ""
        # With tool calls another round follows: what the model says beside them is no message yet.
        if not reply.tool_calls and len(final) > len(self._text):
            yield Emit(final[len(self._text) :])


def _shown_message(reply: ModelReply) -> str:
    """As the engine reads it: text that opens like JSON and holds no whole object is never shown."""
    is_raw = reply.structured is None and reply.message.lstrip().startswith(("{", "```"))
    return "" if is_raw else reply.message
