"""The errors of the app. Each says what is wrong and what to do next (spec: style.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

__all__ = [
    "AgentUnavailableError",
    "AuthoringError",
    "CrossTenantError",
    "DocumentError",
    "EncryptionError",
    "FalaiError",
    "InputRefusedError",
    "InsideTransactionError",
    "NotAllowedError",
    "NotResendableError",
    "OutgoingError",
    "Refused",
    "RegistrationError",
    "StaleEditError",
]


class FalaiError(Exception):
    """The root of the app's errors; `str(error)` is a translated sentence for people."""


class AuthoringError(FalaiError):
    """A change was refused; nothing was written.

    `problems`: what stands in the way, as `authoring` reports it (each with its row and input); may be empty.
    """

    def __init__(self, message: str, problems: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class DocumentError(FalaiError):
    """A document, or a stored body, that cannot be read as rows.

    `problems`: every reason, each with its machine path and its message (`documents.DocumentProblem`).
    """

    def __init__(self, message: str, problems: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class NotAllowedError(FalaiError):
    """The person's role in the tenant does not reach."""


class StaleEditError(AuthoringError):
    """Somebody else saved meanwhile; nothing was overwritten. `expected` and `found` are edit tokens.

    `by` and `at`: who saved last, and when.
    """

    def __init__(self, what: str, expected: object, found: object, by: str = "", at: datetime | None = None) -> None:
        values = {"what": what, "who": by or _("somebody else"), "when": _told(at)}
        super().__init__(
            _("%(what)s was saved by %(who)s meanwhile%(when)s. Open it again and repeat your change.") % values
        )
        self.expected = expected
        self.found = found
        self.by = by
        self.at = at


def _told(at: datetime | None) -> str:
    if at is None:
        return ""
    return _(" (%(time)s)") % {"time": date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT")}


class CrossTenantError(FalaiError):
    """A row would point at a row of another tenant, or of another agent, session or flow of the same one."""

    def __init__(self, row: str, relation: str) -> None:
        super().__init__(
            _("%(row)s: what `%(relation)s` points at belongs elsewhere. Choose one of the same tenant and agent.")
            % {"row": row, "relation": relation}
        )
        self.relation = relation


class RegistrationError(FalaiError):
    """Python code registered what cannot be, or a row names what no code registered."""


class EncryptionError(FalaiError):
    """A secret cannot be encrypted or read with the keys of this site."""


class AgentUnavailableError(FalaiError):
    """An agent cannot be built as it is configured now (`agent-unavailable`); the sentence names what is missing."""


class NotResendableError(FalaiError):
    """A message that was sent, is on its way, or never was for us to send."""


class Refused(FalaiError):  # noqa: N818 - an answer as much as an error: a sender may return it, too
    """What a registered sender answers when the receiver will never take the message; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class InsideTransactionError(FalaiError):
    """A turn was begun while somebody's transaction was open."""


class InputRefusedError(FalaiError):
    """An input was not taken, and nothing of it was recorded.

    `code` is a value of `failures.FailureCode`; `problems` says of each part what is wrong, as `(path, message)`.
    """

    def __init__(self, code: str, message: str, problems: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.problems = tuple(problems)


class OutgoingError(FalaiError):
    """A request of a tenant may not leave, or brought no answer (spec: host.md section 6).

    `code`: `refused` (it may not leave), `unreachable` (no connection was made; nothing was sent), `timeout`, `broken`
    (the connection broke, or what came is no HTTP), `too-large`. `what` and `fix` are translated and hold no secret.
    """

    def __init__(self, code: str, what: str, fix: str = "") -> None:
        super().__init__(f"{what}. {fix}." if fix else what)
        self.code = code
        self.what = what
        self.fix = fix
