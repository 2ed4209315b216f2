"""Telling the loop that there is work (spec: host.md section 4): after a commit, and never more than a hint.

What is due lies in the database; a hint that gets lost costs the time until the loop's next look. So whoever listens
(the Celery tasks) may fail, and nothing waits for them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction

from falai_django.journal import note

__all__ = ["hint", "on_hint"]

_listeners: list[Callable[[], None]] = []


def on_hint(listener: Callable[[], None]) -> None:
    """Have this called after each commit that leaves work behind; once, however often it is given."""
    if listener not in _listeners:
        _listeners.append(listener)


def hint(alias: str) -> None:
    """After the commit of the transaction that is open, or now: there is work."""
    if _listeners:
        transaction.on_commit(_tell, using=alias)


def _tell() -> None:
    for listener in _listeners:
        try:
            listener()
        except Exception as error:  # noqa: BLE001 - the loop finds the work by itself
            note("hint.failed", logging.WARNING, error=error)
