"""Pages of long lists: they do not count to the end, and leave what is large where it is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from falai_django.models.ordered_json import OrderedJSONField

__all__ = ["MOST_LISTED", "BoundedPaginator", "LeanChangeList"]

MOST_LISTED: Final = 10_000
"""A list shows so many rows at most, the first in its order; search and filters reach the others."""


if TYPE_CHECKING:
    _Paginator = Paginator[Any]
else:
    _Paginator = Paginator


class BoundedPaginator(_Paginator):
    """As Django's, but the database stops counting at MOST_LISTED: a tenant may have millions of messages."""

    object_list: QuerySet[Any]

    @cached_property
    def count(self) -> int:
        return int(self.object_list.order_by()[:MOST_LISTED].count())


class LeanChangeList(ChangeList):
    """As Django's, but no JSON is read for a list, neither that of its rows nor that of their relations."""

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request, *args, **kwargs)
        related = self.list_select_related if isinstance(self.list_select_related, list | tuple) else ()
        return rows.defer(*(name for path in ("", *related) for name in _large(self.model, path)))


def _large(model: Any, path: str) -> list[str]:
    """The names, from the rows of a list, of what one of their relations has as JSON."""
    for name in filter(None, path.split("__")):
        model = model._meta.get_field(name).related_model
    return [f"{path}__{each}".removeprefix("__") for each in _json_fields(model)]


def _json_fields(model: type[Model]) -> list[str]:
    return [field.name for field in model._meta.concrete_fields if isinstance(field, OrderedJSONField)]
