"""Requests for tests, ready to leave."""

from __future__ import annotations

import time

from falai_django.outgoing.connection import OutgoingRequest, send

__all__ = ["ask", "get", "post"]


def get(url, **headers):
    return OutgoingRequest("GET", url, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def post(url, body=b"{}"):
    return OutgoingRequest("POST", url, (("content-type", "application/json"),), body)


def ask(request, seconds=5.0, **options):
    """The answer, within so many seconds."""
    if isinstance(request, str):
        request = get(request)
    return send(request, time.monotonic() + seconds, **options)
