"""The transport of a model provider (spec: host.md section 6): a base URL leads nowhere that an action could not go."""

from __future__ import annotations

import os
import threading
from typing import Final

import httpx

from falai_django.errors import OutgoingError
from falai_django.outgoing.network import GuardedTransport

__all__ = ["ProviderTransport", "provider_transport"]


class ProviderTransport(GuardedTransport):
    """A guarded transport that speaks httpx's errors, which the engine's providers read.

    What is refused counts as a mistake of the configuration: it is not tried again.
    """

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(request)
        except OutgoingError as error:
            kind = httpx.UnsupportedProtocol if error.code == "refused" else httpx.ConnectError
            raise kind(str(error), request=request) from None


_lock: Final = threading.Lock()
_transports: dict[int, ProviderTransport] = {}


def provider_transport() -> ProviderTransport:
    """What to give `make_provider(..., transport=...)`: one for all providers of this process, closed by none of them.

    It is not that of actions and webhooks: the engine puts its own clock into it.
    """
    with _lock:
        if os.getpid() not in _transports:
            _transports.clear()
            _transports[os.getpid()] = ProviderTransport()
        return _transports[os.getpid()]
