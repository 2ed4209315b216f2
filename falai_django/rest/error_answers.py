"""An exception or a failure as what its caller reads: one shape for all (spec: host.md section 5)."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.core.signals import got_request_exception
from rest_framework import exceptions as rest
from rest_framework.response import Response

from falai_django.authoring import RowProblem
from falai_django.documents import DocumentProblem
from falai_django.failures import FailureCode
from falai_django.journal import note
from falai_django.rest.error_table import row_for, status_of

__all__ = ["answer_of", "error_body", "error_response", "told_problems"]

RETRY_SECONDS: Final[Mapping[str, int]] = {FailureCode.TOO_MANY_INPUTS: 5, "database-unavailable": 5}
"""When it makes sense to try again, where nobody knows better."""
_SPEAKING: Final = (rest.ValidationError, rest.NotFound, rest.AuthenticationFailed, rest.PermissionDenied)
"""Exceptions of the framework whose sentence we wrote ourselves, or tells more than the table."""


def error_body(code: str, message: str, problems: Iterable[Any] = (), **more: Any) -> dict[str, Any]:
    """`{"error": {"code", "message", "problems"?}}`; `more` stands beside them."""
    told = told_problems(problems)
    error = {"code": str(code), "message": message, **more}
    return {"error": {**error, "problems": told} if told else error}


def error_response(
    code: str, message: str, problems: Iterable[Any] = (), *, retry_after: int | None = None
) -> Response:
    """The answer for a code of the table."""
    wait = RETRY_SECONDS.get(code) if retry_after is None else retry_after
    more = {} if wait is None else {"retryAfter": wait}
    response = Response(error_body(code, message, problems, **more), status=status_of(code))
    if wait is not None:
        response["Retry-After"] = str(wait)
    return response


def answer_of(error: Exception, request: Any) -> Response:
    """The answer for an exception of a view. One that is nobody's plan is logged, and told to who watches for it."""
    row = row_for(error)
    if row.status >= 500:  # noqa: PLR2004 - server errors
        note("request.failed", logging.ERROR, error=error, code=str(row.code), method=str(request.method))
    else:
        note("request.refused", code=str(row.code), status=row.status, method=str(request.method))
    if row.code == "internal":
        got_request_exception.send(sender=None, request=request)
    response = error_response(row.code, _message(error) or str(row.meaning), _problems(error), retry_after=_wait(error))
    if row.status == 401:  # noqa: PLR2004 - RFC 9110 asks for it
        response["WWW-Authenticate"] = "Bearer"
    return response


def told_problems(problems: Iterable[Any]) -> list[dict[str, Any]]:
    """Problems of every sort as `{path, message, code?, severity?, row?}`."""
    return [_told(each) for each in problems]


def _told(problem: Any) -> dict[str, Any]:
    if isinstance(problem, RowProblem):
        told = {
            "path": problem.document_path or problem.path,
            "message": problem.message,
            "code": problem.code,
            "severity": str(problem.severity),
            "row": "" if problem.row is None else str(problem.row),
        }
        return {name: value for name, value in told.items() if value or name == "path"}
    if isinstance(problem, DocumentProblem):
        return {"path": problem.path, "message": problem.message}
    path, message = problem
    return {"path": path, "message": message}


def _message(error: Exception) -> str:
    """Its own sentence where it was written for people; else the table's."""
    if row_for(error).status == 500:  # noqa: PLR2004 - its words may quote anything
        return ""
    if isinstance(error, rest.ValidationError):
        return " ".join(f"`{path}`: {message}" if path else message for path, message in _problems(error))
    if isinstance(error, rest.APIException):
        is_ours = isinstance(error, _SPEAKING) or type(error).__module__.startswith("falai_django.")
        return str(error.detail) if is_ours else ""
    return str(error) if type(error).__module__.startswith("falai_django.") else ""


def _problems(error: Exception) -> list[Any]:
    if isinstance(error, rest.ValidationError):
        return list(_flat("", error.detail))
    return list(getattr(error, "problems", ()))


def _flat(path: str, detail: Any) -> Iterable[tuple[str, str]]:
    """Every problem of a serializer with its path."""
    if isinstance(detail, Mapping):
        for name, part in detail.items():
            yield from _flat(path if name == "non_field_errors" else f"{path}.{name}".lstrip("."), part)
    elif isinstance(detail, list):
        for index, part in enumerate(detail):
            yield from _flat(path if isinstance(part, str) else f"{path}[{index}]", part)
    else:
        yield path, str(detail)


def _wait(error: Exception) -> int | None:
    wait = getattr(error, "wait", None)
    return None if wait is None else max(1, math.ceil(wait))
