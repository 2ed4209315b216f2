"""The HTTP libraries log nothing of a tenant's requests: at level DEBUG they write down every header that comes back.

A receiver may send back what it was sent, encoded as it likes, so no search for values would be enough.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["quiet"]

_LOGGERS: Final = ("httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpx")
_IS_QUIET: ContextVar[bool] = ContextVar("falai_outgoing_quiet", default=False)


def _is_loud(_record: logging.LogRecord) -> bool:
    return not _IS_QUIET.get()


@contextmanager
def quiet() -> Iterator[None]:
    """In this thread the libraries log nothing meanwhile."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_is_loud)
    token = _IS_QUIET.set(True)
    try:
        yield
    finally:
        _IS_QUIET.reset(token)
