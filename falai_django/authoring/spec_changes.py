"""From what a row is to say to the attributes to set (spec: flow-spec.md; `documents.row_spec`)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Final

from django.db.models import Model

from falai_django.authoring.editable import is_same
from falai_django.documents import row_values
from falai_django.documents.columns import AGENT_COLUMNS, FIELD_COLUMNS, FLOW_COLUMNS, Column
from falai_django.models import Agent, Field, Flow

__all__ = ["spec_changes"]

_HEADS: Final[Mapping[type[Model], tuple[str, tuple[Column, ...]]]] = {
    Agent: ("head_rest", AGENT_COLUMNS),
    Field: ("rest", FIELD_COLUMNS),
    Flow: ("head", FLOW_COLUMNS),
}
"""Rows with columns of their own, and the attribute that holds the rest of their spec. All others have a body."""


def spec_changes(row: Any, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What `change` is given so that the row says `after` instead of `before`, which is its `row_spec`.

    A key with a column goes there as it was typed, so that one that does not fit is refused and not put aside. The
    slug, id and kind, and the label of a step, are set by themselves.
    """
    model = type(row)
    if model not in _HEADS:
        old, new = row_values(model, before)["body"], row_values(model, after)["body"]
        return {} if is_same(old, new) else {"body": new}
    rest, columns = _HEADS[model]
    changed = {
        column.attribute: after.get(column.key, copy(column.unset))
        for column in columns
        if not is_same(before.get(column.key), after.get(column.key))
    }
    return {**changed, **_rest(rest, getattr(row, rest), before, after, columns)}


def _rest(
    name: str, old: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any], columns: tuple[Column, ...]
) -> dict[str, Any]:
    """The keys without a column; with one, only those that had no room there and were not touched."""
    keys = {column.key for column in columns}
    kept = [key for key in after if key not in keys or (key in old and is_same(before.get(key), after[key]))]
    in_order = [*(key for key in old if key in kept), *(key for key in kept if key not in old)]
    new = {key: after[key] for key in in_order}
    return {} if is_same(dict(old), new) else {name: new}
