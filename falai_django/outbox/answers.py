"""What became of one try to send (spec: host.md section 4), and when the next one is due."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

__all__ = ["ATTEMPTS", "BACKOFF_SECONDS", "Answer", "Declined", "Failed", "Sent", "retry_delay"]

BACKOFF_SECONDS: Final = (2, 10, 30, 120, 600, 1_800)
"""How long after each failure the message is tried again; all together they lie within the hour that it has."""
ATTEMPTS: Final = len(BACKOFF_SECONDS) + 1
_JITTER: Final = 0.2


@dataclass(frozen=True, slots=True)
class Sent:
    """It left."""


@dataclass(frozen=True, slots=True)
class Declined:
    """The receiver will never take it; `code` says why, in the receiver's words."""

    code: str


@dataclass(frozen=True, slots=True)
class Failed:
    """It did not leave, or nobody knows; it may later. `retry_after`: seconds that the receiver asked for."""

    code: str
    retry_after: float | None = None


Answer: TypeAlias = Sent | Declined | Failed


def retry_delay(attempt: int, retry_after: float | None = None) -> timedelta | None:
    """How long to wait after the `attempt`-th try (from 1) failed; None: no more. Jitter keeps retries apart."""
    if attempt >= ATTEMPTS:
        return None
    seconds = BACKOFF_SECONDS[max(attempt, 1) - 1]
    # No secret: it only keeps those that failed together from coming back together.
    spread = seconds * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311
    return timedelta(seconds=max(spread, min(retry_after or 0.0, BACKOFF_SECONDS[-1])))
