"""How a webhook goes out: one POST, nothing followed, nothing read from the environment (spec: host.md section 6)."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final

import httpx

__all__ = ["ANSWER_BYTES", "AnswerTooLargeError", "HttpAnswer", "post"]

ANSWER_BYTES: Final = 65_536
"""More than an answer of ours can hold."""
_CONNECT_SECONDS: Final = 5.0


class AnswerTooLargeError(Exception):
    """The receiver answered with more than ANSWER_BYTES."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """`headers` by names in small letters."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def post(url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> HttpAnswer:
    """The answer, within `seconds` in all.

    Raises httpx.HTTPError (TimeoutException when it took too long), httpx.InvalidURL, AnswerTooLargeError.
    """
    deadline = time.monotonic() + seconds
    timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
    # Packed, a small answer could be a large one.
    sent = {**headers, "Accept-Encoding": "identity"}
    with _client(os.getpid()).stream("POST", url, content=body, headers=sent, timeout=timeout) as response:
        read = bytearray()
        for chunk in response.iter_raw():
            read += chunk
            if len(read) > ANSWER_BYTES:
                raise AnswerTooLargeError
            # A receiver that drips a byte now and then meets every timeout of a single read.
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout("the answer took too long", request=response.request)
        return HttpAnswer(response.status_code, bytes(read), dict(response.headers))


@lru_cache(maxsize=1)
def _client(_process: int) -> httpx.Client:
    """One a process: a forked worker does not share its parent's connections. It keeps no cookies to give away."""
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    return httpx.Client(trust_env=False, follow_redirects=False, cookies=cookies)
