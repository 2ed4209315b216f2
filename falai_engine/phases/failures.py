"""What a failed or blank speak call means for the run (spec: engine.md section 8, Failure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.records.outcomes import Code

__all__ = ["BLANK", "FAILURE_CODES", "Failure", "failure_of"]


@dataclass(frozen=True, slots=True)
class Failure:
    """The line's code, whether trying again may help, and the instant (ms) before which it will not."""

    code: Code
    retryable: bool
    reset_at_ms: int | None = None


FAILURE_CODES: Final[Mapping[ErrorKind, Code]] = {
    ErrorKind.ABORTED: Code.PROVIDER_UNAVAILABLE,
    ErrorKind.TIMEOUT: Code.PROVIDER_UNAVAILABLE,
    ErrorKind.NETWORK: Code.PROVIDER_UNAVAILABLE,
    ErrorKind.OVERLOAD: Code.PROVIDER_UNAVAILABLE,
    ErrorKind.RATE: Code.PROVIDER_UNAVAILABLE,
    ErrorKind.QUOTA: Code.PROVIDER_QUOTA,
    ErrorKind.ENTITLEMENT: Code.PROVIDER_AUTH,
    ErrorKind.AUTH: Code.PROVIDER_AUTH,
    ErrorKind.MODEL: Code.PROVIDER_INVALID,
    ErrorKind.CONTEXT: Code.PROVIDER_CONTEXT,
    ErrorKind.CONTENT: Code.PROVIDER_INVALID,
    ErrorKind.INVALID: Code.PROVIDER_INVALID,
    ErrorKind.UNKNOWN: Code.PROVIDER_UNAVAILABLE,
}

BLANK: Final = Failure(Code.PROVIDER_UNAVAILABLE, retryable=True)
"""The model answered with a blank message."""


def failure_of(error: Exception) -> Failure:
    """Classify what a model call raised; any exception that is no ProviderError may be tried again."""
    if not isinstance(error, ProviderError):
        return BLANK
    return Failure(FAILURE_CODES[error.kind], error.is_retryable, error.reset_at_ms)
