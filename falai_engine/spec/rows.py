"""One table a dataclass: which attribute is which JSON key, and how its value is read and written."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from falai_engine.spec.nulls import without_nulls

__all__ = ["Row", "Shape", "each", "names", "row", "shape", "word"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One attribute. What `read` cannot make sense of it hands back as plain JSON, which `write` writes as it is."""

    attribute: str
    key: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


def row(
    attribute: str,
    read: Callable[[Any], Any] = without_nulls,
    write: Callable[[Any], Any] = without_nulls,
    *,
    key: str | None = None,
) -> Row:
    """A row whose key, unless given, is the attribute in camelCase without the `_` that tells it from a keyword."""
    return Row(attribute, key or _camel(attribute), read, write)


def _camel(attribute: str) -> str:
    first, *rest = attribute.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True, slots=True)
class Shape(Generic[T]):
    """A dataclass and its rows: both directions of the translation, and the words that its JSON knows.

    `keys` are those words, `required` those that the dataclass cannot be made without.
    """

    make: Callable[..., T]
    rows: tuple[Row, ...]
    keys: frozenset[str]
    required: tuple[str, ...]

    def missing(self, spec: Mapping[str, Any]) -> str | None:
        """The first required key that is absent or null."""
        return next((key for key in self.required if spec.get(key) is None), None)

    def read(self, spec: Mapping[str, Any]) -> T:
        """The dataclass; keys that are absent or null keep its defaults. TypeError when a required one is missing."""
        return self.make(
            **{row.attribute: row.read(part) for row in self.rows if (part := spec.get(row.key)) is not None}
        )

    def write(self, value: T) -> dict[str, Any]:
        """The JSON object, without what is None."""
        parts = ((row, getattr(value, row.attribute)) for row in self.rows)
        written = ((row.key, row.write(part)) for row, part in parts if part is not None)
        return {key: part for key, part in written if part is not None}


def shape(make: type[T], *rows: Row) -> Shape[T]:
    """The shape of a dataclass; `required` is read off its defaults."""
    given = {part.name for part in dataclasses.fields(make) if _has_default(part)}  # type: ignore[arg-type]
    required = tuple(row.key for row in rows if row.attribute not in given)
    return Shape(make, rows, frozenset(row.key for row in rows), required)


def _has_default(part: dataclasses.Field[Any]) -> bool:
    return part.default is not dataclasses.MISSING or part.default_factory is not dataclasses.MISSING


def each(translate: Callable[[Any], Any], into: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Translates every item of a list into a list or tuple; anything else stays plain JSON."""

    def translate_each(value: Any) -> Any:
        return into(translate(item) for item in value) if isinstance(value, (list, tuple)) else without_nulls(value)

    return translate_each


names = each(without_nulls, tuple)
"""Reads a list of names or values into a tuple."""


def word(attribute: str, values: type[StrEnum]) -> Row:
    """A row of a closed set of words; any other value stays what it is."""
    words = {member.value: member for member in values}

    def read(value: Any) -> Any:
        return words.get(value, value) if isinstance(value, str) else without_nulls(value)

    def write(value: Any) -> Any:
        return value.value if isinstance(value, values) else without_nulls(value)

    return row(attribute, read, write)
