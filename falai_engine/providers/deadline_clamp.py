"""Keeps synchronous sockets to an instant (spec: providers.md, "bodies are read piece by piece against it").

httpx times each socket operation by itself: a server that sends a byte now and then, in its headers even, would hold a
call for as long as it likes. Here every operation gets what is left, whichever of them it is. Asynchronous calls need
none of this: they are cancelled.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import httpx

__all__ = ["clamp", "clamp_transport", "kept_to"]

_UNTIL: ContextVar[float | None] = ContextVar("falai_provider_until", default=None)
# Zero would make a socket non-blocking, which is another error than too late.
_LEAST: Final = 0.001
# A write is timed by the send, so one that the other side takes slowly is many.
_WRITE_SIZE: Final = 16 * 1024


@contextmanager
def kept_to(until: float) -> Iterator[None]:
    """Whatever this thread does on clamped sockets meanwhile times out at `until` (monotonic seconds)."""
    token = _UNTIL.set(until)
    try:
        yield
    finally:
        _UNTIL.reset(token)


def clamp(client: httpx.Client) -> None:
    """Clamps every socket that the client will open, those to the proxies of the environment too.

    httpx has no public way to do so. Should these attributes go, the time limits of single operations still hold, and
    the test with the dripping server fails.
    """
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001
        clamp_transport(transport)


def clamp_transport(transport: object) -> None:
    """As `clamp`, for one transport; one that is not httpx's own stays as it is."""
    pool = getattr(transport, "_pool", None)
    backend = getattr(pool, "_network_backend", None)
    if backend is not None and not isinstance(backend, _Backend):
        pool._network_backend = _Backend(backend)  # type: ignore[union-attr]  # noqa: SLF001


def _left(timeout: float | None) -> float | None:
    until = _UNTIL.get()
    if until is None:
        return timeout
    left = max(until - time.monotonic(), _LEAST)
    return left if timeout is None else min(timeout, left)


class _Stream:
    """A network stream in httpcore's shape; every operation is given what is left."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, _left(timeout))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITE_SIZE):
            self._inner.write(buffer[start : start + _WRITE_SIZE], _left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> _Stream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend:
    """A network backend in httpcore's shape."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **options: Any) -> _Stream:
        """One address after the other, all within what is left; only the look-up of the name is out of reach."""
        addresses = _addresses(host, port)
        for address in addresses[:-1]:
            try:
                return _Stream(self._inner.connect_tcp(address, port, _left(timeout), **options))
            except Exception:  # noqa: BLE001, S112 - whatever it was, the last address tells it
                continue
        return _Stream(self._inner.connect_tcp(addresses[-1], port, _left(timeout), **options))

    def connect_unix_socket(self, path: str, timeout: float | None = None, **options: Any) -> _Stream:
        return _Stream(self._inner.connect_unix_socket(path, _left(timeout), **options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(_left(seconds))


def _addresses(host: str, port: int) -> list[str]:
    """The name's addresses, itself when it has none: then connecting says why, in the words of its kind."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return [host]
    return list(dict.fromkeys(str(address[0]) for *_, address in found)) or [host]
