"""Under which key a call leaves (spec: host.md section 3, Receipts): whoever drives a turn sets it for a handler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["current_key", "keyed", "under_key"]

P = ParamSpec("P")
T = TypeVar("T")

_KEY: ContextVar[str | None] = ContextVar("falai_idempotency_key", default=None)


def current_key() -> str | None:
    """The key of the call that runs here; None outside of a turn, as when an author tries a definition."""
    return _KEY.get()


@contextmanager
def under_key(key: str) -> Iterator[None]:
    """Requests of handlers that run meanwhile, in this context, carry the key as `Idempotency-Key`."""
    token = _KEY.set(key)
    try:
        yield
    finally:
        _KEY.reset(token)


def keyed(handler: Callable[P, T], key: str) -> Callable[P, T]:
    """The handler, run under a key, in whatever thread it is called."""

    @wraps(handler, updated=())
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        with under_key(key):
            return handler(*args, **kwargs)

    return call
