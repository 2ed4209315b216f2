"""Which keys of a spec have a column of their own, once, for both directions (spec: flow-spec.md, host.md section 1).

A value that does not fit its column (a name of 300 characters, a goal that is a number) stays with the rest of the
row's JSON, so that nothing is lost and validation can say what is wrong; a column that is set wins over it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from falai_django.documents.storable import is_storable_text
from falai_django.models import Agent, Field, Flow

__all__ = ["AGENT_COLUMNS", "FIELD_COLUMNS", "FLOW_COLUMNS", "Column", "split", "written"]

_MOST_WHOLE: Final = 32_767


@dataclass(frozen=True, slots=True)
class Column:
    """`key` of the spec, `attribute` of the row, what it holds when unset, and whether it can hold a value."""

    key: str
    attribute: str
    fits: Callable[[Any], bool]
    unset: Any = ""


def _text(key: str, attribute: str | None = None, most: int | None = None) -> Column:
    return Column(key, attribute or key, lambda value: value != "" and is_storable_text(value, most))


def _word(key: str, words: Collection[str]) -> Column:
    return Column(key, key, lambda value: isinstance(value, str) and value in words)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_WHOLE


AGENT_COLUMNS: Final = (
    _text("name", most=Agent._meta.get_field("name").max_length),
    _text("goal"),
    _text("persona"),
    _text("knowledgeBase", "knowledge_base"),
    Column("variables", "variables", lambda value: isinstance(value, Mapping), {}),
    Column("instructions", "instructions", lambda value: isinstance(value, list), []),
    Column("idle", "idle", lambda value: value is not None, None),
    Column("maxToolLoops", "max_tool_loops", _is_whole, None),
    Column("compaction", "compaction", lambda value: value is not None, None),
)
FIELD_COLUMNS: Final = (
    _word("type", Field.Type.values),
    Column("enum", "enum", lambda value: isinstance(value, list), None),
    _text("label", most=Field._meta.get_field("label").max_length),
    _text("description"),
    _text("ask"),
    _word("extract", Field.Extract.values),
)
FLOW_COLUMNS: Final = (_text("name", most=Flow._meta.get_field("name").max_length), _text("description"))


def split(spec: Mapping[str, Any], columns: Collection[Column]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The attributes of a row, each set or unset, and the rest of its spec."""
    by_key = {column.key: column for column in columns}
    values = {column.attribute: copy(column.unset) for column in columns}
    rest = {}
    for key, value in spec.items():
        column = by_key.get(key)
        if column is not None and column.fits(value):
            values[column.attribute] = value
        else:
            rest[key] = value
    return values, rest


def written(row: Any, columns: Collection[Column], rest: Mapping[str, Any]) -> dict[str, Any]:
    """The way back: what the columns hold, then the rest in its own order."""
    held = ((column, getattr(row, column.attribute)) for column in columns)
    spec = {column.key: value for column, value in held if value not in (column.unset, None)}
    return {**spec, **{key: value for key, value in rest.items() if key not in spec}}
