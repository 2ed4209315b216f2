"""Every error that a caller of the API may read: class -> status -> code, in one place (spec: host.md section 5).

The failures of turns have their codes and statuses in `falai_django.failures`; `rows_of_table` gives both tables as
one. Codes stay as they are; sentences are for people and may change.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import Error as DatabaseError
from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions as rest

from falai_django import errors
from falai_django.failures import STATUS, FailureCode
from falai_django.rest.refusals import BodyTooLargeError, InvalidJsonError

__all__ = ["BY_CLASS", "ErrorRow", "meaning_of", "row_for", "rows_of_table", "status_of"]


class ErrorRow(NamedTuple):
    """The HTTP status and the code of an error, and when it comes, in a sentence that also stands in for its own."""

    status: int
    code: str
    meaning: str | Promise


_UNKNOWN: Final = ErrorRow(500, "internal", _("Something failed that should not. It is logged; try again later."))
_UNAVAILABLE: Final = ErrorRow(
    503,
    FailureCode.AGENT_UNAVAILABLE,
    _("The agent cannot work as it is configured now. It works when that is mended."),
)
_UNAUTHENTICATED: Final = ErrorRow(
    401, "unauthenticated", _("Send `Authorization: Bearer` with an API key that is not revoked.")
)
_MISSING_SCOPE: Final = ErrorRow(
    403, "missing-scope", _("The API key has not the scope that this takes. Ask an owner for another key.")
)
_NOT_FOUND: Final = ErrorRow(404, "not-found", _("There is no such thing in the tenant of this key."))
_TOO_LARGE: Final = ErrorRow(413, "too-large", _("The body is larger than this address reads. Send less."))
_INVALID: Final = ErrorRow(400, FailureCode.INVALID_INPUT, _("The request says something that cannot be."))

BY_CLASS: Final[dict[type[Exception], ErrorRow]] = {
    # What a request has wrong.
    InvalidJsonError: ErrorRow(400, "invalid-json", _("The body is no JSON, or not one that all programs read alike.")),
    rest.ValidationError: _INVALID,
    rest.ParseError: _INVALID,
    SuspiciousOperation: _INVALID,
    errors.InputRefusedError: _INVALID,  # its own code says which row of the failures it is
    rest.NotAuthenticated: _UNAUTHENTICATED,
    rest.AuthenticationFailed: _UNAUTHENTICATED,
    rest.PermissionDenied: _MISSING_SCOPE,
    DjangoPermissionDenied: _MISSING_SCOPE,
    errors.NotAllowedError: _MISSING_SCOPE,
    rest.NotFound: _NOT_FOUND,
    Http404: _NOT_FOUND,
    rest.MethodNotAllowed: ErrorRow(405, "method-not-allowed", _("This address does not take that method.")),
    BodyTooLargeError: _TOO_LARGE,
    RequestDataTooBig: _TOO_LARGE,
    rest.UnsupportedMediaType: ErrorRow(
        415, "unsupported-media-type", _("Send JSON, with `Content-Type: application/json`.")
    ),
    rest.Throttled: ErrorRow(
        429, "too-many-requests", _("Too many requests with this key, or about this session. Retry-After says when.")
    ),
    # What authors have wrong.
    errors.AuthoringError: ErrorRow(422, "refused", _("The change was refused; nothing was written. See `problems`.")),
    errors.DocumentError: ErrorRow(422, "invalid-document", _("The document cannot be read. See `problems`.")),
    errors.StaleEditError: ErrorRow(
        409, "stale", _("Somebody else changed it meanwhile; nothing was overwritten. Read it again.")
    ),
    errors.CrossTenantError: ErrorRow(
        409, "elsewhere", _("What is named belongs elsewhere. Name one of the same agent.")
    ),
    errors.NotResendableError: ErrorRow(
        409, "not-resendable", _("The message was sent, is on its way, or never was for us to send.")
    ),
    # What a site or the world outside has wrong.
    errors.AgentUnavailableError: _UNAVAILABLE,
    errors.RegistrationError: _UNAVAILABLE,
    errors.EncryptionError: _UNAVAILABLE,
    errors.OutgoingError: ErrorRow(502, "outgoing-failed", _("A request to another site could not be made.")),
    errors.Refused: ErrorRow(502, "receiver-refused", _("The receiver will never take the message.")),
    DatabaseError: ErrorRow(503, "database-unavailable", _("The database does not answer now. Try again.")),
    errors.InsideTransactionError: ErrorRow(
        500, "inside-transaction", _("The site runs this view in a transaction, and must not. See its README.")
    ),
    errors.FalaiError: _UNKNOWN,
    Exception: _UNKNOWN,
}
"""The nearest class of an exception's own ones decides."""

_OF_FAILURES: Final[dict[FailureCode, str | Promise]] = {
    FailureCode.INVALID_INPUT: _INVALID.meaning,
    FailureCode.UNKNOWN_RELEASE: _("The agent has no such release."),
    FailureCode.KEY_REUSED: _("Another input of this session had the same key. Give each input a key of its own."),
    FailureCode.ERASING: _("The session is being erased. Use another id, or wait."),
    FailureCode.AGENT_OFF: _("The agent answers nobody now, and nothing was recorded. The message is its own text."),
    FailureCode.ERASED: _("The conversation was erased meanwhile."),
    FailureCode.TURN_MISSED: _("The turn was due too long ago, and was not run any more."),
    FailureCode.TOO_MANY_INPUTS: _("Too many inputs of this session wait already. Try again later."),
    FailureCode.TURN_DEAD: _("The turn failed three times. It is listed, and can be run again."),
    FailureCode.MODEL_FAILED: _("The model refused or failed. `turn` may hold the agent's apology."),
    FailureCode.MODEL_UNAVAILABLE: _("The model cannot be reached now. The turn is kept, and tried again by itself."),
    FailureCode.AGENT_UNAVAILABLE: _UNAVAILABLE.meaning,
    FailureCode.SESSION_UNREADABLE: _("The conversation's state cannot be read. The turn runs when that is mended."),
}


def row_for(error: Exception) -> ErrorRow:
    """The row of an exception."""
    if isinstance(error, errors.InputRefusedError):
        return _of_failure(FailureCode(error.code))
    return next(BY_CLASS[kind] for kind in type(error).__mro__ if kind in BY_CLASS)


def status_of(code: str) -> int:
    """The status that a code comes with."""
    return _by_code()[code].status


def meaning_of(code: str) -> str:
    """When a code comes, in a sentence."""
    return str(_by_code()[code].meaning)


def rows_of_table() -> Iterator[ErrorRow]:
    """Every code once, by status."""
    yield from sorted(_by_code().values(), key=lambda row: (row.status, row.code))


@cache
def _by_code() -> dict[str, ErrorRow]:
    return {str(row.code): row for row in [*BY_CLASS.values(), *map(_of_failure, FailureCode)]}


def _of_failure(code: FailureCode) -> ErrorRow:
    return ErrorRow(STATUS[code], str(code), _OF_FAILURES[code])
