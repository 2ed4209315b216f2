"""Keeps keys out of what the HTTP libraries log (spec: providers.md; "keys masked" would be worth little without).

At level DEBUG httpcore logs the headers that come back, which a server may fill with what it was sent, and hpack those
that go out, packed so that they can be unpacked. Lines with a key of a provider that is alive are dropped.
"""

from __future__ import annotations

import logging
import threading
from typing import Final
from weakref import WeakKeyDictionary

__all__ = ["guard"]

_LOGGERS: Final = (
    "hpack.hpack",
    "hpack.table",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "httpx",
)
_KEYS: Final[WeakKeyDictionary[object, str]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def _holds_no_key(record: logging.LogRecord) -> bool:
    if record.name.startswith("hpack") and record.levelno <= logging.DEBUG:
        return False
    with _LOCK:
        keys = set(_KEYS.values())
    message = record.getMessage()
    return not any(key in message for key in keys)


def guard(owner: object, key: str | None) -> None:
    """From now on, and as long as its owner lives, no line of those loggers holds the key."""
    if not key:
        return
    with _LOCK:
        _KEYS[owner] = key
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if _holds_no_key not in logger.filters:
            logger.addFilter(_holds_no_key)
