"""How a webhook goes out: one POST, through the module that every request of a tenant goes through (host.md 6)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from falai_django.outgoing.connection import Answered, OutgoingRequest, send
from falai_django.outgoing.url import literal_url

__all__ = ["ANSWER_BYTES", "post"]

ANSWER_BYTES: Final = 65_536
"""More than an answer of ours can hold."""


def post(url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> Answered:
    """The answer, within `seconds` in all. OutgoingError when the URL may not be reached, or there is no answer."""
    request = OutgoingRequest("POST", literal_url(url), tuple(headers.items()), body)
    return send(request, time.monotonic() + seconds, limit=ANSWER_BYTES)
