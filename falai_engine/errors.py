"""Every error of the engine (spec: engine.md section 12). Each says where, what, and how to fix it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = [
    "RETRYABLE_KINDS",
    "DeadlineError",
    "ErrorKind",
    "FlowConfigurationError",
    "InputError",
    "InvalidSessionError",
    "ProviderError",
    "SessionConflictError",
]

BODY_LIMIT = 2_000


class ErrorKind(StrEnum):
    """What went wrong with a model call; closed, with `unknown` for all that no row of a table names."""

    ABORTED = "aborted"
    TIMEOUT = "timeout"
    NETWORK = "network"
    OVERLOAD = "overload"
    RATE = "rate"
    QUOTA = "quota"
    ENTITLEMENT = "entitlement"
    AUTH = "auth"
    MODEL = "model"
    CONTEXT = "context"
    CONTENT = "content"
    INVALID = "invalid"
    UNKNOWN = "unknown"


RETRYABLE_KINDS: Final = frozenset(
    {ErrorKind.TIMEOUT, ErrorKind.NETWORK, ErrorKind.OVERLOAD, ErrorKind.RATE, ErrorKind.UNKNOWN}
)


def _sentence(cls: str, where: str, what: str, fix: str) -> str:
    return f"[{cls}] {where}: {what.rstrip('.')}. {fix.rstrip('.')}."


class FlowConfigurationError(ValueError):
    """An agent, a flow or a registration cannot work as written.

    `where` names the place (`flow "x", step "y"`), `what` the problem, `fix` the next thing to do.
    """

    def __init__(self, where: str, what: str, fix: str) -> None:
        super().__init__(_sentence("FlowConfigurationError", where, what, fix))
        self.where = where
        self.what = what
        self.fix = fix

    def __reduce__(self) -> tuple[type[FlowConfigurationError], tuple[str, str, str]]:
        return type(self), (self.where, self.what, self.fix)


class InputError(ValueError):
    """What a turn was given is not a turn's input; nothing happened."""

    def __init__(self, where: str, what: str, fix: str) -> None:
        super().__init__(_sentence("InputError", where, what, fix))
        self.where = where
        self.what = what
        self.fix = fix

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        return type(self), (self.where, self.what, self.fix)


class SessionConflictError(RuntimeError):
    """The stored session is not at the version that was expected (None: it is gone)."""

    def __init__(self, session_id: str, expected_version: int, actual_version: int | None) -> None:
        found = "no row" if actual_version is None else f"version {actual_version}"
        super().__init__(
            _sentence(
                "SessionConflictError",
                f'session "{session_id}"',
                f"expected version {expected_version}, found {found}",
                "Load the session again and replay the turn",
            )
        )
        self.session_id = session_id
        self.expected_version = expected_version
        self.actual_version = actual_version

    def __reduce__(self) -> tuple[type[SessionConflictError], tuple[str, int, int | None]]:
        return type(self), (self.session_id, self.expected_version, self.actual_version)


class InvalidSessionError(ValueError):
    """A stored row is not a session of version 4 for that id (spec: engine.md section 13)."""

    def __init__(self, session_id: str, what: str = "the blob is not a v4 session") -> None:
        super().__init__(
            _sentence(
                "InvalidSessionError",
                f'session "{session_id}"',
                what,
                "Repair the row or run migrate_session on a 3.x blob; never replace it with a fresh one",
            )
        )
        self.session_id = session_id
        self.what = what

    def __reduce__(self) -> tuple[type[InvalidSessionError], tuple[str, str]]:
        return type(self), (self.session_id, self.what)


class ProviderError(RuntimeError):
    """A model call failed. Times are milliseconds; `body` is cut at 2,000 characters and holds no key."""

    def __init__(
        self,
        provider: str,
        kind: ErrorKind | str,
        status: int | None = None,
        code: str | None = None,
        retry_after_ms: int | None = None,
        reset_at_ms: int | None = None,
        should_retry: bool | None = None,
        body: str | None = None,
    ) -> None:
        self.provider = provider
        self.kind = ErrorKind(kind)
        self.status = status
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.reset_at_ms = reset_at_ms
        self.should_retry = should_retry
        self.body = body[:BODY_LIMIT] if body else body
        status_text = f" (HTTP {status})" if status else ""
        super().__init__(f"[ProviderError] {provider}: {self.kind.value}{status_text}{': ' + code if code else ''}.")

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may work later (engine.md section 8, Failure); `should_retry` decides when given."""
        if self.should_retry is not None:
            return self.should_retry
        return self.kind in RETRYABLE_KINDS or (self.kind is ErrorKind.QUOTA and self.reset_at_ms is not None)

    def __reduce__(self) -> tuple[type[ProviderError], tuple[object, ...]]:
        return type(self), (
            self.provider,
            self.kind,
            self.status,
            self.code,
            self.retry_after_ms,
            self.reset_at_ms,
            self.should_retry,
            self.body,
        )


class DeadlineError(TimeoutError):
    """An action or tool was due to run after the turn's deadline; nothing of the turn is to be saved."""

    def __init__(self, what: str) -> None:
        super().__init__(
            _sentence("DeadlineError", what, "the turn's deadline has passed", "Give the turn more time and replay it")
        )
        self.what = what

    def __reduce__(self) -> tuple[type[DeadlineError], tuple[str]]:
        return type(self), (self.what,)
