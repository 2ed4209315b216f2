"""One request and its answer, within a deadline (spec: host.md section 6). No redirect is followed, no cookie kept.

A redirect is an answer like any other: whoever reads it sees its status. So there is one hop, and it is the one that
was checked.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx
from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import OutgoingError
from falai_django.outgoing.network import bound_to, process_transport
from falai_django.outgoing.quiet import quiet

__all__ = ["Answered", "OutgoingRequest", "send"]

_HEADER_LIMIT: Final = 32 * 1024
_LEAST: Final = 0.001
# The lengths of bodies are told as they leave; an answer that unpacks to a thousand times its size is not wanted.
_ALWAYS: Final = (("accept-encoding", "identity"),)


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request that is ready to leave; `url` as it goes out, its values encoded.

    `secrets`: values that stand in it, to be kept out of whatever is told about it. It shows none of its parts.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<OutgoingRequest {self.method}>"


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, read to its end: header names are small; `peer` is the address that it came from."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    peer: str = ""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def send(
    request: OutgoingRequest,
    deadline: float,
    *,
    limit: int | None = None,
    transport: httpx.BaseTransport | None = None,
) -> Answered:
    """Send a request and read the answer until `deadline` (monotonic seconds). OutgoingError when there is none.

    `limit`: bytes of the largest body that is read; None: as the settings say.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise OutgoingError("timeout", _("there was no time left for it"))
    try:
        built = _built(request, left)
        with quiet(), bound_to(deadline):
            response = (transport or process_transport()).handle_request(built)
            try:
                return _answered(response, limit or settings().outgoing_max_bytes)
            finally:
                response.close()
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, UnicodeError) as error:
        raise _told(error) from None


def _built(request: OutgoingRequest, left: float) -> httpx.Request:
    connect = min(left, settings().outgoing_connect_seconds)
    built = httpx.Request(
        request.method,
        request.url,
        headers=[*request.headers, *_ALWAYS],
        content=request.body,
        extensions={"timeout": {"connect": connect, "read": left, "write": left, "pool": left}},
    )
    # The library reads URLs by rules of its own; what it would send must be what was built here.
    if str(built.url) != request.url:
        raise OutgoingError("refused", _("the URL can be read in two ways"), _("Write it as it is sent"))
    return built


def _answered(response: httpx.Response, limit: int) -> Answered:
    if sum(len(name) + len(value) for name, value in response.headers.raw) > _HEADER_LIMIT:
        raise OutgoingError("too-large", _("the answer's headers are too large"))
    if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise OutgoingError(
            "broken", _("the answer is compressed, although that was not asked for"), _("Turn it off at the server")
        )
    headers = {name.lower(): value for name, value in response.headers.items()}
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    return Answered(response.status_code, headers, _body(response, limit), str(peer[0]) if peer else "")


def _body(response: httpx.Response, limit: int) -> bytes:
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > limit:
            raise OutgoingError(
                "too-large",
                _("the answer is larger than %(limit)d bytes") % {"limit": limit},
                _("Ask for less, or raise FALAI_OUTGOING_MAX_BYTES"),
            )
    return bytes(body)


def _told(error: Exception) -> OutgoingError:
    """Our words for it. Those of the libraries may quote what was sent or what came."""
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return OutgoingError("timeout", _("no connection was made in time"))
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return OutgoingError("timeout", _("no answer came in time"))
    if isinstance(error, httpx.ConnectError):
        return _not_connected(error)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | httpx.LocalProtocolError | UnicodeError):
        return OutgoingError("refused", _("the request cannot be written as HTTP"), _("Look at its URL and headers"))
    if isinstance(error, httpx.RemoteProtocolError):
        return OutgoingError("broken", _("what came is no whole HTTP answer"))
    return OutgoingError("broken", _("the connection broke"))


def _not_connected(error: BaseException) -> OutgoingError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return OutgoingError("unreachable", _("the host's certificate is not valid for it"))
        if isinstance(cause, ssl.SSLError):
            return OutgoingError("unreachable", _("no secure connection was made"))
        cause = cause.__cause__ or cause.__context__
    return OutgoingError("unreachable", _("no connection was made"), _("Look at the host and the port"))
