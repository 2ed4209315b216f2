"""The lists that rows stand in: who their neighbours are, and in which order (spec: host.md section 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Max, Model
from django.utils.translation import gettext as _

from falai_django.authoring.editing import editing, stamp
from falai_django.errors import AuthoringError
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["PARENTS", "insert", "last_position", "neighbours", "reorder"]

PARENTS: Final[Mapping[type[Model], type[Model]]] = {
    **dict.fromkeys((Field, Flow, Action, Event, Condition, Tool), Agent),
    **dict.fromkeys((Trigger, Step), Flow),
}
"""What the lists of each sort belong to."""


def reorder(actor: Actor, parent: Agent | Flow, model: type[Model], keys: Sequence[int], *, version: int | None) -> Any:
    """Put the rows of a list in the order of these primary keys; the parent as it is now, with its new token.

    AuthoringError unless each row of the list is named exactly once, also when one came or went meanwhile.
    """
    if PARENTS[model] is not type(parent):
        raise TypeError(f"a {type(parent).__name__} has no list of {model.__name__}")
    with editing(actor, parent, version=version) as fresh:
        found = {row.pk: row for row in _list_of(fresh, model)}
        if sorted(keys) != sorted(found):
            raise AuthoringError(
                _("The list changed meanwhile: each of its entries must be named once. Open it again and sort it anew.")
            )
        if _numbered(model, [found[key] for key in keys]):
            stamp(actor, fresh)
        return fresh


def neighbours(row: Any) -> Any:
    """All rows of the list that a row stands in, or will stand in."""
    parent = row.flow if isinstance(row, Trigger | Step) else row.agent
    return _list_of(parent, type(row))


def last_position(row: Any) -> int:
    """A place behind all others of its list."""
    last = neighbours(row).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def insert(row: Any, index: int) -> None:
    """Move a stored row to this place of its list, counted from 0 without it; the caller stamps."""
    others = [other for other in neighbours(row) if other.pk != row.pk]
    others.insert(max(index, 0), row)
    _numbered(type(row), others)


def _list_of(parent: Any, model: type[Model]) -> Any:
    above = "flow" if isinstance(parent, Flow) else "agent"
    return rows(model).filter(**{above: parent}).order_by("position", "pk")


def _numbered(model: type[Model], in_order: Sequence[Any]) -> bool:
    """Whether any number had to change."""
    moved = [row for position, row in enumerate(in_order) if row.position != position]
    for position, row in enumerate(in_order):
        row.position = position
    rows(model).bulk_update(moved, ["position"])
    return bool(moved)
