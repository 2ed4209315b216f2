"""Sockets that go where was checked, and nowhere else (spec: host.md section 6).

A name is looked up once; every address that it has is judged; the socket is opened to one of those very addresses, and
its peer is compared once more. TLS and `Host` keep the name. The environment is not asked: no proxy, no `.netrc`.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, TypeAlias

import httpcore
import httpx
from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import OutgoingError
from falai_django.outgoing.addresses import address_of
from falai_django.outgoing.allow_list import allow_list
from falai_django.outgoing.url import Origin, check_origin

__all__ = ["GuardedTransport", "Resolve", "bound_to", "close_connections", "process_transport"]

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""The addresses of a name, as texts; OSError when there is none."""

_UNTIL: ContextVar[float | None] = ContextVar("falai_outgoing_until", default=None)
_ORIGIN: ContextVar[Origin | None] = ContextVar("falai_outgoing_origin", default=None)
# Zero would make a socket non-blocking, which is another error than too late.
_LEAST: Final = 0.001
# A write is timed by the send, so one that the other side takes slowly is many.
_WRITE_SIZE: Final = 16 * 1024
_MOST_ADDRESSES: Final = 4
_IDLE: Final = 16
_IDLE_SECONDS: Final = 30.0


@contextmanager
def bound_to(until: float) -> Iterator[None]:
    """Whatever this thread does on guarded sockets meanwhile times out at `until` (monotonic seconds)."""
    token = _UNTIL.set(until)
    try:
        yield
    finally:
        _UNTIL.reset(token)


def _left(timeout: float | None) -> float | None:
    until = _UNTIL.get()
    if until is None:
        return timeout
    left = max(until - time.monotonic(), _LEAST)
    return left if timeout is None else min(timeout, left)


def _refused(what: str, fix: str = "") -> OutgoingError:
    return OutgoingError("refused", what, fix)


def _look_up(host: str, port: int) -> list[str]:
    """The system's answer."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(address[0]) for *_rest, address in found))


class _Stream(httpcore.NetworkStream):
    """A stream of which every operation is given what is left."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITE_SIZE):
            self._inner.write(buffer[start : start + _WRITE_SIZE], _left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _Stream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    """Opens sockets for the pool."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> _Stream:
        """To one of the host's addresses, all of which must be open to the request that is under way."""
        addresses = self._open_addresses(host, port, timeout)
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._connect(addresses[-1], port, timeout, local_address, socket_options)

    def connect_unix_socket(self, *_args: Any, **_options: Any) -> _Stream:
        raise _refused(_("a request does not go to a socket of this machine"))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(_left(seconds) or 0)

    def _open_addresses(self, host: str, port: int, timeout: float | None) -> list[str]:
        origin = _ORIGIN.get()
        # Whoever resolves before us hands on an address: the entry of the allow-list names the host that was asked for.
        is_named = origin is not None and origin.port == port and origin.is_named
        found = [host] if address_of(host) else self._resolved(host, port, timeout)
        allowed = allow_list(settings().outgoing_allow)
        for text in found:
            address = address_of(text)
            if address is None or allowed.refusal(address, is_named=is_named):
                raise _refused(
                    _("the host is at an address that is not public"),
                    _("Name a public one, or have it put into FALAI_OUTGOING_ALLOW"),
                )
        return found[:_MOST_ADDRESSES]

    def _resolved(self, host: str, port: int, timeout: float | None) -> list[str]:
        """The system has no limit for a look-up, so it is made in a thread that nobody has to wait for."""
        found: list[str] = []

        def look_up() -> None:
            try:
                found.extend(self._resolve(host, port))
            except (OSError, UnicodeError):
                return

        thread = threading.Thread(target=look_up, name="falai-resolve", daemon=True)
        thread.start()
        thread.join(_left(timeout))
        if thread.is_alive():
            raise httpcore.ConnectTimeout("the name is not answered for")
        if not found:
            raise OutgoingError("unreachable", _("the host's name has no address"), _("Look at how it is spelt"))
        return list(found)

    def _connect(self, address: str, port: int, timeout: float | None, *options: Any) -> _Stream:
        stream = _Stream(self._inner.connect_tcp(address, port, _left(timeout), *options))
        peer = stream.get_extra_info("server_addr")
        if not peer or address_of(str(peer[0])) != address_of(address):
            stream.close()
            raise _refused(_("the connection led to another address than was checked"))
        return stream


@cache
def _authorities() -> ssl.SSLContext:
    """Those of the site: what it names in SSL_CERT_FILE holds, as for the model providers. Reading them takes long."""
    return httpx.create_ssl_context()


class GuardedTransport(httpx.HTTPTransport):
    """An httpx transport that only reaches what FALAI_OUTGOING_ALLOW and the tables of `addresses` let it.

    Safe for threads; connections are kept and bounded by FALAI_OUTGOING_CONNECTIONS. It follows no redirect and keeps
    no cookie. Raises OutgoingError for what it refuses, and what httpx raises.
    """

    def __init__(self, *, resolve: Resolve = _look_up, ssl_context: ssl.SSLContext | None = None) -> None:
        # Not httpx's own __init__: it has no place for a network backend. Should the attribute go, nothing is sent.
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context or _authorities(),
            max_connections=settings().outgoing_connections,
            max_keepalive_connections=min(_IDLE, settings().outgoing_connections),
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=_Backend(resolve),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
        origin = Origin(url.scheme, url.raw_host.decode("ascii"), port)
        check_origin(origin)
        token = _ORIGIN.set(origin)
        try:
            return super().handle_request(request)
        finally:
            _ORIGIN.reset(token)


_lock: Final = threading.Lock()
_transports: dict[int, GuardedTransport] = {}


def process_transport() -> GuardedTransport:
    """The transport of this process; a forked one gets its own, for a socket has one owner."""
    with _lock:
        if os.getpid() not in _transports:
            _transports.clear()
            _transports[os.getpid()] = GuardedTransport()
        return _transports[os.getpid()]


def close_connections() -> None:
    """Close what is kept open; the next request connects anew."""
    with _lock:
        transport = _transports.pop(os.getpid(), None)
    if transport is not None:
        transport.close()
