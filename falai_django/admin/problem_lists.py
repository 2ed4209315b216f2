"""Problems of a draft as a list of ways to the inputs that they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.admin import AdminSite
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from falai_django.admin.pages import registered_admin, row_url
from falai_django.authoring import RowProblem

__all__ = ["ShownProblem", "shown_problems"]


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """`where` names the row, `url` leads to its input; empty when the row has no page."""

    where: str
    message: str
    url: str
    is_error: bool


def shown_problems(site: AdminSite, problems: Iterable[RowProblem]) -> list[ShownProblem]:
    """Errors first, each in the order of the document."""
    found = sorted(problems, key=lambda problem: not problem.is_error)
    return [ShownProblem(_where(each.row), str(each.message), _url(site, each), each.is_error) for each in found]


def _where(row: Any) -> str:
    named = _("%(kind)s “%(name)s”") % {"kind": row._meta.verbose_name, "name": row}
    flow = getattr(row, "flow", None)
    return str(capfirst(named if flow is None else _("flow “%(flow)s”, %(part)s") % {"flow": flow, "part": named}))


def _url(site: AdminSite, problem: RowProblem) -> str:
    """An admin that has `anchor_of(path)` says which element of its page a path belongs to."""
    row, model_admin = problem.row, registered_admin(site, type(problem.row))
    if model_admin is None or row.pk is None:
        return ""
    anchor_of = getattr(model_admin, "anchor_of", None)
    anchor = anchor_of(problem.path) if anchor_of is not None and problem.path else ""
    return row_url(row, site) + (f"#{anchor}" if anchor else "")
