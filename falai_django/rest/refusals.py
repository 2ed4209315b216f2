"""What only a request can have wrong, beside what its framework says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException

__all__ = ["BodyTooLargeError", "InvalidJsonError"]


class BodyTooLargeError(APIException):
    """The body has more bytes than this address reads."""

    status_code = 413

    def __init__(self, most: int) -> None:
        super().__init__(_("The body is larger than %(most)d bytes. Send less.") % {"most": most})


class InvalidJsonError(APIException):
    """The body is no JSON that every program reads in the same way; `problems` say where."""

    status_code = 400

    def __init__(self, message: str, problems: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
