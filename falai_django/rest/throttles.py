"""How often a key may ask, and how often about one session (spec: host.md section 5).

Counted by the minute in the site's default cache, by its own atomic operations: right under several processes as far
as they share it. A cache that fails lets everybody through: it is no lock, and nobody should be locked out by it.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from typing import Any, Final

from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from falai_django.conf import settings
from falai_django.journal import note
from falai_django.rest.access import Caller

__all__ = ["ByTheMinute", "KeyThrottle", "SessionThrottle"]

_MINUTE: Final = 60


class ByTheMinute(BaseThrottle):
    """So many requests of one name in each minute of the clock."""

    clock: Callable[[], float] = staticmethod(time.time)

    def __init__(self) -> None:
        self._left = 0.0

    def most(self) -> int:
        raise NotImplementedError

    def name(self, caller: Caller, view: Any) -> str | None:
        raise NotImplementedError

    def allow_request(self, request: Request, view: Any) -> bool:
        most = self.most()
        if not most or not isinstance(request.auth, Caller):
            return True
        name = self.name(request.auth, view)
        if name is None:
            return True
        now = self.clock()
        self._left = _MINUTE - now % _MINUTE
        return _counted(f"falai:{name}:{int(now // _MINUTE)}") <= most

    def wait(self) -> float:
        return self._left


def _counted(name: str) -> int:
    """How many there were with this one."""
    try:
        cache.add(name, 0, 2 * _MINUTE)
        return int(cache.incr(name))
    except ValueError:  # gone between the two
        return 1
    except Exception as error:  # noqa: BLE001 - whatever a cache and its client raise
        note("throttle.failed", logging.WARNING, error=error)
        return 1


class KeyThrottle(ByTheMinute):
    """FALAI_REQUESTS_PER_KEY."""

    def most(self) -> int:
        return settings().requests_per_key

    def name(self, caller: Caller, _view: Any) -> str:
        return f"key:{caller.key.pk}"


class SessionThrottle(ByTheMinute):
    """FALAI_REQUESTS_PER_SESSION, whichever keys ask."""

    def most(self) -> int:
        return settings().requests_per_session

    def name(self, caller: Caller, view: Any) -> str | None:
        if "session" not in view.kwargs:
            return None
        told = f"{caller.tenant.pk}/{view.kwargs['agent']}/{view.kwargs['session']}"
        # The id of a session may be a phone number, and is no name for a cache.
        return f"session:{hashlib.sha256(told.encode(errors='replace')).hexdigest()}"
