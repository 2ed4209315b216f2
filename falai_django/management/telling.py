"""What commands print: problems, changes, and our errors as theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from falai_django.authoring import RowProblem
from falai_django.differences import Change
from falai_django.errors import FalaiError

__all__ = ["change_lines", "errors_told", "problem_lines"]


@contextmanager
def errors_told() -> Iterator[None]:
    """An error of ours ends the command with its sentence and all its problems, and exit code 1."""
    try:
        yield
    except FalaiError as error:
        problems = getattr(error, "problems", ())
        raise CommandError("\n".join([str(error), *problem_lines(problems)])) from error


def problem_lines(problems: Iterable[Any]) -> list[str]:
    """One line each: how bad, where, what and how to mend it."""
    return [f"  {_how_bad(each)} {_where(each)}: {each.message}" for each in problems]


def change_lines(changes: Iterable[Change]) -> list[str]:
    """One line each."""
    return [f"  {change.sentence}" for change in changes]


def _how_bad(problem: Any) -> str:
    return _("error") if getattr(problem, "is_error", True) else _("warning")


def _where(problem: Any) -> str:
    if not isinstance(problem, RowProblem):
        return str(problem.path) or _("the file")
    if problem.row is None:
        return problem.document_path or _("the file")
    row = _("%(kind)s “%(name)s”") % {"kind": capfirst(problem.row._meta.verbose_name), "name": problem.row}
    return f"{row}, {problem.path}" if problem.path else row
