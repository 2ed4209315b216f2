"""Where in the text of an update stands what a machine path means (spec: update-state.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_django.forms.part import Json, Path
from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import Update, expression_from_json, format_update

__all__ = ["column_of"]

_MARK = "\ue000"
"""Stands for the place that is looked for. Hardly a text holds it, and one that does only moves a column."""


def column_of(item: Mapping[str, Any], path: Path) -> int:
    """The column, from 1, of the deepest node on the path, in the text that stands for the update."""
    if path[:1] != ("expression",):
        return 1
    keys = list(path[1:])
    while keys and not _is_node(_at(item["expression"], keys)):
        keys.pop()
    marked = _marked(item["expression"], keys)
    try:
        update = Update(item["variable"], expression_from_json(marked), item.get("required"))
    except (FlowConfigurationError, KeyError):
        return 1
    optional = 0 if update.is_required else 1
    return format_update(update).find(f"`{_MARK}`") + 1 + optional


def _is_node(value: Json) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("type"), str) and value["type"].islower()


def _at(value: Json, keys: Path | list[str | int]) -> Json:
    for key in keys:
        try:
            value = value[key]
        except (IndexError, KeyError, TypeError):
            return None
    return value


def _marked(value: Json, keys: list[str | int]) -> Json:
    """A copy with a variable that is called by the mark in the place of a node."""
    if not keys:
        return {"type": "dynamic_variable", "name": _MARK}
    first, *rest = keys
    if isinstance(value, list):
        return [_marked(part, rest) if index == first else part for index, part in enumerate(value)]
    return {**value, first: _marked(value[first], rest)}
