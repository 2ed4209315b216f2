"""The errors of the app. Each says what is wrong and what to do next (spec: style.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

__all__ = [
    "AgentUnavailableError",
    "AuthoringError",
    "CrossTenantError",
    "DocumentError",
    "EncryptionError",
    "FalaiError",
    "NotAllowedError",
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
    """Somebody else saved meanwhile; nothing was overwritten. `expected` and `found` are edit tokens."""

    def __init__(self, what: str, expected: int, found: int) -> None:
        super().__init__(
            _("%(what)s was saved by somebody else meanwhile. Open it again and repeat your change.") % {"what": what}
        )
        self.expected = expected
        self.found = found


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
