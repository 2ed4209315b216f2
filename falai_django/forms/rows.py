"""Repeated rows: lists, and objects whose keys people name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.part import Json, Label, Page, Part, Path, Spot, Typed
from falai_django.forms.posted import Posted, one_line
from falai_engine.values import MISSING

__all__ = ["Entry", "NamedRows", "Pair", "Rows", "TypedRow"]

_MOST_ROWS: Final = 500
_ROW: Final = gettext_lazy("Row")
_ADD: Final = gettext_lazy("Add")
_UNNAMED: Final = gettext_lazy("Give it a name.")
_KEY: Final = re.compile(r"[0-9]{1,4}|new[0-9]{1,4}")


class TypedRow(NamedTuple):
    """A row as it came: its key (the position that its value was stored at, or `new…`), and what was typed."""

    key: str
    order: str
    item: Typed
    remove: bool = False

    @property
    def position(self) -> int | None:
        """Where its value was stored."""
        return None if self.key.startswith("new") else int(self.key)


def _sorting(row: TypedRow, index: int) -> tuple[float, int, int]:
    """By the number typed; of two with the same number the one that was moved there goes where it was moved to."""
    stored = math.inf if row.position is None else row.position + 1
    try:
        wanted = float(row.order.replace(",", ".")) if row.order.strip() else stored
    except ValueError:
        wanted = stored
    wanted = stored if math.isnan(wanted) else wanted
    return wanted, (wanted > stored) - (wanted < stored), index


@dataclass(frozen=True, kw_only=True)
class Rows(Part):
    """A list of one part, in an order that people set. An empty list is no value unless `keep_empty`.

    There is always one more row to fill in, so that the page works without scripts; left empty it counts for nothing.
    """

    template: ClassVar[str] = "falai_django/forms/rows.html"
    group: ClassVar[bool] = True

    item: Part
    one: Label = _ROW
    add: Label = _ADD
    keep_empty: bool = False

    # -- what a list is; an object of named values is told by another two

    def _split(self, value: Json) -> Sequence[Json]:
        """The items that have a row each."""
        return list(value)

    def _join(self, items: Sequence[tuple[Json, Spot]], _was: Json) -> Json:
        """The value of these items; each comes with the place of its row."""
        return [item for item, _spot in items]

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, list) and len(value) < _MOST_ROWS

    # -- rows

    def _items(self, was: Json) -> Sequence[Json]:
        return [] if was is MISSING or was is None else self._split(was)

    def _inputs(self, value: Json) -> tuple[TypedRow, ...]:
        items = enumerate(self._items(value))
        return tuple(TypedRow(str(index), str(index + 1), self.item.typed(item)) for index, item in items)

    def _read(self, data: Posted, name: str) -> tuple[TypedRow, ...]:
        keys = [key for key in dict.fromkeys(data.all(f"{name}-row")) if _KEY.fullmatch(key)]
        rows = (self._read_row(data, name, key) for key in keys[:_MOST_ROWS])
        return tuple(row for row in rows if row.position is not None or row.item != self.item.blank)

    def _read_row(self, data: Posted, name: str, key: str) -> TypedRow:
        inner = f"{name}-{key}"
        order = one_line(data.text(f"{inner}-order"))
        return TypedRow(key, order, self.item.read(data, inner), data.has(f"{inner}-remove"))

    def _compose(self, inputs: tuple[TypedRow, ...], was: Json, spot: Spot) -> Json:
        stored = self._items(was)
        places = sorted(range(len(inputs)), key=lambda index: _sorting(inputs[index], index))
        taken = []
        for row in (inputs[index] for index in places if not inputs[index].remove):
            inner = spot.at(row.key)
            item = self.item.take(row.item, _item_at(stored, row.position), inner)
            if item is not MISSING:
                taken.append((item, inner))
        value = self._join(taken, was)
        return value if value or self.keep_empty else MISSING

    def _view(self, inputs: tuple[TypedRow, ...], was: Json, page: Page, name: str) -> dict[str, Any]:
        taken = {row.key for row in inputs}
        spare = next(key for key in (f"new{number}" for number in range(len(inputs) + 1)) if key not in taken)
        rows = [*inputs, TypedRow(spare, "", self.item.blank)]
        stored = self._items(was)
        return {
            "rows": [
                {
                    "row": row,
                    "name": f"{name}-{row.key}",
                    "id": page.id_of(f"{name}-{row.key}"),
                    "title": self._title(index, row.key == spare),
                    "spare": row.key == spare,
                    "view": self.item.view(row.item, _item_at(stored, row.position), page, f"{name}-{row.key}"),
                }
                for index, row in enumerate(rows)
            ],
            "add": self.add,
            "one": self.one,
        }

    def _title(self, index: int, spare: bool) -> str:
        return _("%(one)s, new") % {"one": self.one} if spare else f"{self.one} {index + 1}"

    def _place(self, path: Path, was: Json, name: str) -> str:
        items = self._items(was)
        if path and isinstance(path[0], int) and path[0] < len(items):
            return self.item.place(path[1:], items[path[0]], f"{name}-{path[0]}")
        return name


def _item_at(items: Sequence[Json], position: int | None) -> Json:
    return items[position] if position is not None and position < len(items) else MISSING


class Entry(NamedTuple):
    """A key of an object and its value, as one item of rows."""

    name: Json
    value: Json


@dataclass(frozen=True, kw_only=True)
class Pair(Part):
    """A name and what it stands for. `unnamed` is what is said when there is no name."""

    template: ClassVar[str] = "falai_django/forms/pair.html"
    group: ClassVar[bool] = True

    name: Part
    value: Part
    unnamed: Label = _UNNAMED

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, Entry)

    def _inputs(self, value: Json) -> tuple[Typed, Typed]:
        name, inner = (MISSING, MISSING) if value is MISSING else value
        return self.name.typed(name), self.value.typed(inner)

    def _read(self, data: Posted, name: str) -> tuple[Typed, Typed]:
        return self.name.read(data, f"{name}-name"), self.value.read(data, f"{name}-value")

    def _compose(self, inputs: tuple[Typed, Typed], was: Json, spot: Spot) -> Json:
        old_name, old_value = (MISSING, MISSING) if was is MISSING else was
        name = self.name.take(inputs[0], old_name, spot.at("name"))
        inner = spot.at("value")
        value = self.value.make(inputs[1], inner) if was is MISSING else self.value.take(inputs[1], old_value, inner)
        if name is MISSING and inputs[1] != self.value.blank:
            spot.at("name").problem(self.unnamed)
        if value is MISSING and was is MISSING:
            inner.problem(_("Fill this in."))
        return MISSING if name is MISSING or value is MISSING else Entry(name, value)

    def _view(self, inputs: tuple[Typed, Typed], was: Json, page: Page, name: str) -> dict[str, Any]:
        old_name, old_value = (MISSING, MISSING) if was is MISSING else was
        return {
            "first": self.name.view(inputs[0], old_name, page, f"{name}-name"),
            "second": self.value.view(inputs[1], old_value, page, f"{name}-value"),
        }

    def _place(self, path: Path, was: Json, name: str) -> str:
        if was is MISSING or was is None or not path:
            return f"{name}-name"
        return self.value.place(path, was.value, f"{name}-value")


@dataclass(frozen=True, kw_only=True)
class NamedRows(Rows):
    """An object, a row for each key. Names are unique."""

    def _can_show(self, value: Json) -> bool:
        named = isinstance(value, Mapping) and len(value) < _MOST_ROWS
        return named and all(isinstance(key, str) and key for key in value)

    def _split(self, value: Json) -> Sequence[Json]:
        return [Entry(*pair) for pair in value.items()]

    def _join(self, items: Sequence[tuple[Json, Spot]], _was: Json) -> Json:
        return dict(_unique(items))

    def _place(self, path: Path, was: Json, name: str) -> str:
        names = [entry.name for entry in self._items(was)]
        if not path or path[0] not in names:
            return name
        index = names.index(path[0])
        return self.item.place(path[1:], self._items(was)[index], f"{name}-{index}")


def _unique(items: Sequence[tuple[Entry, Spot]]) -> Iterator[tuple[str, Json]]:
    seen = set()
    for entry, spot in items:
        if entry.name in seen:
            spot.at("name").problem(_("This name is taken by a row above."))
        seen.add(entry.name)
        yield entry.name, entry.value
