"""What stands in the way of a change or of publishing, with the row and the input that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import ngettext

from falai_django.errors import AuthoringError
from falai_engine.validation import Severity

__all__ = ["RowProblem", "refused", "refused_at"]


@dataclass(frozen=True, slots=True)
class RowProblem:
    """`row` may be one that is not stored yet. `path`: the machine path inside what the row says, empty for all of it.

    `message` is translated and says what to do. `document_path` is the place in the draft's document, where there is
    one; `code` is a key of `falai_engine.validation.RULES`, or a word of ours.
    """

    row: Any
    path: str
    severity: Severity
    message: str
    code: str = ""
    document_path: str = ""

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR


def refused(problems: Iterable[RowProblem]) -> AuthoringError:
    """The error for these problems; the sentence is that of the first."""
    found = tuple(problems)
    if len(found) == 1:
        return AuthoringError(found[0].message, found)
    told = ngettext(
        "Nothing was saved: %(count)d problem stands in the way. %(first)s",
        "Nothing was saved: %(count)d problems stand in the way. The first: %(first)s",
        len(found),
    )
    return AuthoringError(told % {"count": len(found), "first": found[0].message}, found)


def refused_at(row: Any, path: str, message: str, code: str = "") -> AuthoringError:
    """The error for one problem at one input."""
    return refused([RowProblem(row, path, Severity.ERROR, message, code)])
