"""JSON for reading: nested lists of names and values instead of a box of brackets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from falai_django.admin.pages import Text

__all__ = ["Node", "outline", "outline_html", "shown"]

_DEEPEST: Final = 12
_NOTHING: Final = "–"


@dataclass(frozen=True, slots=True)
class Node:
    """A value: its `text`, or the `parts` that it consists of; `name` is its key, empty in a list."""

    name: str
    text: str = ""
    parts: tuple[Node, ...] = ()


def outline(value: Any, name: str = "", depth: int = 0) -> Node:
    """The tree of some JSON; what is nested too deeply to read is told as the JSON that it is."""
    if isinstance(value, Mapping | list | tuple) and value and depth >= _DEEPEST:
        return Node(name, json.dumps(value, ensure_ascii=False, default=str))
    if isinstance(value, Mapping) and value:
        return Node(name, "", tuple(outline(part, str(key), depth + 1) for key, part in value.items()))
    if isinstance(value, list | tuple) and value:
        if all(isinstance(part, str | int | float) and not isinstance(part, bool) for part in value):
            return Node(name, ", ".join(map(str, value)))
        return Node(name, "", tuple(outline(part, "", depth + 1) for part in value))
    return Node(name, _text(value))


def outline_html(value: Any) -> str:
    """The outline as HTML, everything in it escaped."""
    return render_to_string("falai_django/admin/outline.html", {"node": outline(value)})


def shown(attribute: str, title: Text, value_of: Callable[[Any], Any] | None = None) -> Callable[[Any, Any], str]:
    """A read-only column of a change page: the JSON in an attribute of the row as an outline."""

    def column(_admin: Any, row: Any) -> str:
        return outline_html(value_of(row) if value_of else getattr(row, attribute))

    column.__name__ = f"shown_{attribute}"
    column.short_description = title  # type: ignore[attr-defined] # how Django's admin is told, as by its decorator
    return column


def _text(value: Any) -> str:
    if value is None or value in ({}, [], "", ()):
        return _NOTHING
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)
