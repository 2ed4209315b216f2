"""Cells of lists that keep long names short: the whole stands in the title."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Final

from django.utils.html import format_html

from falai_django.admin.pages import Text

__all__ = ["short", "shortened"]

_MOST: Final = 20


def short(path: str, title: Text, most: int = _MOST) -> Callable[[Any, Any], str]:
    """A column of a list: a name of the row, or of a row that it points at (`session__session_id`), cut to `most`."""

    def column(_admin: Any, row: Any) -> str:
        return shortened(reduce(getattr, path.split("__"), row), most)

    column.__name__ = f"short_{path}"
    column.short_description = title  # type: ignore[attr-defined] # how Django's admin is told, as by its decorator
    column.admin_order_field = path  # type: ignore[attr-defined] # likewise
    return column


def shortened(text: str, most: int = _MOST) -> str:
    """The text, or its beginning with the whole as the title."""
    return text if len(text) <= most else format_html('<span title="{}">{}…</span>', text, text[:most].rstrip())
