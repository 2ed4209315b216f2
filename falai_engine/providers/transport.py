"""Drives an exchange over pooled httpx clients, synchronously or on an event loop. No rule stands here."""

from __future__ import annotations

import asyncio
import importlib.util
import ssl
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from functools import cache
from typing import Any, Final, cast

import httpx

from falai_engine.errors import ErrorKind, FlowConfigurationError
from falai_engine.model import ModelReply
from falai_engine.providers.attempts import Broken, Emit, Exchange, Item, Need, Open, Opened, Pause, Read
from falai_engine.providers.deadline_clamp import clamp, clamp_transport, kept_to

__all__ = ["Connections"]

# Threads bound themselves; a call must never wait for another's connection.
_LIMITS: Final = httpx.Limits(max_connections=None, max_keepalive_connections=32, keepalive_expiry=30)
_LEAST: Final = 0.001
_BACKSTOP: Final = 0.1
_FAILURES: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
_OUR_FAULT: Final = (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError)


@cache
def _tls(*, http2: bool) -> ssl.SSLContext:
    """The authorities that the system or SSL_CERT_FILE names, read once for all providers, since that takes long.

    Connections write into it which protocols they speak, hence one for each.
    """
    context = httpx.create_ssl_context()
    context.set_alpn_protocols(["http/1.1", "h2"] if http2 else ["http/1.1"])
    return context


def _left(until: float) -> float:
    return max(until - time.monotonic(), _LEAST)


def _broken(error: Exception) -> Broken:
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return Broken(ErrorKind.TIMEOUT, f"no answer in time ({type(error).__name__})")
    kind = ErrorKind.INVALID if isinstance(error, _OUR_FAULT) else ErrorKind.NETWORK
    return Broken(kind, f"{type(error).__name__}: {error}")


def _opened(response: httpx.Response) -> Opened:
    return Opened(response.status_code, {name.lower(): value for name, value in response.headers.items()})


class _Lent(httpx.BaseTransport):
    """Somebody else's transport, which our client must not close."""

    def __init__(self, lender: httpx.BaseTransport) -> None:
        self._lender = lender

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._lender.handle_request(request)


class _AsyncLent(httpx.AsyncBaseTransport):
    def __init__(self, lender: httpx.AsyncBaseTransport) -> None:
        self._lender = lender

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._lender.handle_async_request(request)


class Connections:
    """The pools of one provider, for all threads and for the event loop: made at the first call, again after a close.

    `transport` is an httpx transport, synchronous, asynchronous or both, or a pair of them; then every request goes
    through it, and a call of the side that is missing raises FlowConfigurationError.
    """

    def __init__(self, owner: str, transport: Any = None) -> None:
        self._owner = owner
        sides = transport if isinstance(transport, tuple) else (transport, transport)
        self._transport = next((each for each in sides if isinstance(each, httpx.BaseTransport)), None)
        self._async_transport = next((each for each in sides if isinstance(each, httpx.AsyncBaseTransport)), None)
        self._is_lent = transport is not None
        if self._is_lent and self._transport is None and self._async_transport is None:
            raise self._wrong("transport is no httpx transport", "Give an httpx.BaseTransport, an async one, or a pair")
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._async_client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, exchange: Exchange) -> Iterator[Item]:
        """What the exchange emits, then its reply. Closing the iterator closes the connection's response."""
        line = _Line(self._opened_client())
        try:
            need, reply = _step(exchange, None)
            while need is not None:
                if isinstance(need, Emit):
                    yield need.item
                    need, reply = _step(exchange, None)
                else:
                    need, reply = _step(exchange, line.answer(need))
            assert reply is not None
        finally:
            line.close()
        yield reply

    async def arun(self, exchange: Exchange) -> AsyncIterator[Item]:
        """As `run`, on the running event loop."""
        line = _AsyncLine(self._opened_async_client())
        try:
            need, reply = _step(exchange, None)
            while need is not None:
                if isinstance(need, Emit):
                    yield need.item
                    need, reply = _step(exchange, None)
                else:
                    need, reply = _step(exchange, await line.answer(need))
            assert reply is not None
        finally:
            await line.close()
        yield reply

    def close(self) -> None:
        """Closes the connections of the threads' pool; a later call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Closes both pools; the loop's one when this is its loop."""
        self.close()
        client, self._async_client = self._async_client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    def _opened_client(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = self._made()
            return self._client

    def _made(self) -> httpx.Client:
        if not self._is_lent:
            # HTTP/1.1: on a shared HTTP/2 connection a thread waits for another's read, and no deadline ends that.
            client = httpx.Client(limits=_LIMITS, verify=_tls(http2=False))
            clamp(client)
            return client
        if self._transport is None:
            raise self._wrong("transport has no synchronous side", "Call agenerate or astream, or give a pair")
        clamp_transport(self._transport)
        return httpx.Client(transport=_Lent(self._transport))

    def _opened_async_client(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._async_client is None or self._loop is not loop:
            # Connections belong to their loop; those of one that has ended are gone with it.
            self._loop = loop
            self._async_client = self._async_made()
        return self._async_client

    def _async_made(self) -> httpx.AsyncClient:
        if self._is_lent and self._async_transport is None:
            raise self._wrong("transport has no asynchronous side", "Call generate or stream, or give a pair")
        if self._async_transport is not None:
            return httpx.AsyncClient(transport=_AsyncLent(self._async_transport))
        has_http2 = importlib.util.find_spec("h2") is not None
        return httpx.AsyncClient(http2=has_http2, limits=_LIMITS, verify=_tls(http2=has_http2))

    def _wrong(self, what: str, fix: str) -> FlowConfigurationError:
        return FlowConfigurationError(f'provider "{self._owner}"', what, fix)


def _step(exchange: Exchange, answer: Any) -> tuple[Need | None, ModelReply | None]:
    try:
        return exchange.send(answer), None
    except StopIteration as stop:
        return None, stop.value


class _Line:
    """One response at a time, for a thread."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._response: httpx.Response | None = None
        self._pieces: Generator[bytes, None, None] | None = None

    def answer(self, need: Need) -> Opened | bytes | Broken | None:
        match need:
            case Open():
                return self._open(need)
            case Read(until):
                return self._read(until)
            case Pause(seconds):
                self.close()
                time.sleep(seconds)
        return None

    def _open(self, need: Open) -> Opened | Broken:
        self.close()
        try:
            with kept_to(need.until):
                request = self._client.build_request(
                    "POST", need.call.url, headers=need.call.headers, content=need.call.body, timeout=_left(need.until)
                )
                self._response = self._client.send(request, stream=True)
        except _FAILURES as error:
            return _broken(error)
        self._pieces = cast("Generator[bytes, None, None]", self._response.iter_bytes())
        return _opened(self._response)

    def _read(self, until: float) -> bytes | Broken:
        if time.monotonic() >= until:
            return _broken(TimeoutError())
        try:
            with kept_to(until):
                # Bytes that unpack to nothing yet are not the end.
                return next((piece for piece in self._pieces or () if piece), b"")
        except _FAILURES as error:
            return _broken(error)

    def close(self) -> None:
        response, self._response = self._response, None
        pieces, self._pieces = self._pieces, None
        if pieces is not None:
            pieces.close()
        if response is not None:
            response.close()


class _AsyncLine:
    """One response at a time, on an event loop."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._response: httpx.Response | None = None
        self._pieces: AsyncGenerator[bytes, None] | None = None

    async def answer(self, need: Need) -> Opened | bytes | Broken | None:
        match need:
            case Open():
                return await self._open(need)
            case Read(until):
                return await self._read(until)
            case Pause(seconds):
                await self.close()
                await asyncio.sleep(seconds)
        return None

    async def _open(self, need: Open) -> Opened | Broken:
        await self.close()
        left = _left(need.until)
        try:
            # First httpx's own limits, which leave no half-made connection behind; then what those do not bound.
            async with asyncio.timeout(left + _BACKSTOP):
                request = self._client.build_request(
                    "POST", need.call.url, headers=need.call.headers, content=need.call.body, timeout=left
                )
                self._response = await self._client.send(request, stream=True)
        except _FAILURES as error:
            return _broken(error)
        self._pieces = cast("AsyncGenerator[bytes, None]", self._response.aiter_bytes())
        return _opened(self._response)

    async def _read(self, until: float) -> bytes | Broken:
        assert self._pieces is not None
        try:
            async with asyncio.timeout(_left(until)):
                async for piece in self._pieces:
                    if piece:
                        return piece
        except _FAILURES as error:
            return _broken(error)
        return b""

    async def close(self) -> None:
        response, self._response = self._response, None
        pieces, self._pieces = self._pieces, None
        if pieces is not None:
            await pieces.aclose()
        if response is not None:
            await response.aclose()
