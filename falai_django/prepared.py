"""The statements of every turn, whose SQL is made once (spec: quality.md, a turn in the host).

Django makes the SQL of a query anew each time that it runs; for the dozen statements of a turn that costs several times
what the database takes for them. So each is built by Django once, with slots where its values go, and then only filled.
The rows that are written are the runtime's own, of one session: no relation is checked again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import connections
from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    Model,
    Q,
    QuerySet,
    TextField,
    UUIDField,
    Value,
)
from django.db.models import query as django_query
from django.db.models.sql import UpdateQuery

from falai_django.rows import write_alias

__all__ = ["Slot", "insert", "select", "update"]

# As any: its stubs are those of another version.
_related_populators: Final[Any] = django_query.get_related_populators
_made = threading.local()
"""Of each thread, since a compiler knows its thread's connection."""


class Slot(Value):
    """A place in a query for a value that is given when it runs, as a value of the field would be."""

    def __init__(self, name: str, field: Any) -> None:
        super().__init__(None, output_field=field)
        self.name = name

    def as_sql(self, _compiler: Any, _connection: Any) -> Any:
        """The marker is found among the parameters again."""
        return "%s", [self]


def _once(shape: Any, make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The connection of this thread, and what was made for this shape with it."""
    connection = connections[write_alias()]
    known: dict[Any, Any] = _made.__dict__.setdefault(connection.alias, {})
    if known.get("connection") is not connection:
        known.clear()
        known["connection"] = connection
    found = known.get(shape)
    if found is None:
        found = known[shape] = make(connection)
    return connection, found


_AS_IT_IS: Final = (BooleanField, CharField, DateTimeField, IntegerField, TextField, UUIDField)
"""Fields whose values the driver of PostgreSQL takes as they are; of relations their keys."""


def _written(field: Any, connection: Any) -> Callable[[Any], Any] | None:
    """How a value of the field is written, None: as it is. Asked once, since it is done for every value."""
    told = field.target_field if field.is_relation else field
    if connection.vendor == "postgresql" and isinstance(told, _AS_IT_IS):
        return None
    return lambda value: field.get_db_prep_save(value, connection)


def _places(params: Sequence[Any], connection: Any) -> list[tuple[str | None, Any]]:
    """Of each parameter the name of its value and how that is written, or None and the parameter itself."""
    return [
        (each.name, _written(each.output_field, connection)) if isinstance(each, Slot) else (None, each)
        for each in params
    ]


def _filled(places: Sequence[tuple[str | None, Any]], values: Mapping[str, Any]) -> list[Any]:
    filled = []
    for name, how in places:
        if name is None:
            filled.append(how)
        else:
            value = values[name]
            filled.append(value if how is None else how(value))
    return filled


# -- reading


def select(make: Callable[[], QuerySet[Any]], **values: Any) -> list[Any]:
    """The rows of a query as Django would give them. `make`: a function of a module, that gives it with its slots."""
    connection, found = _once(make, lambda connection: _Reading(make(), connection))
    with connection.cursor() as cursor:
        cursor.execute(found.sql, _filled(found.places, values))
        return list(found.models(cursor.fetchall()))


class _Reading:
    """The SQL of a query, and how its rows become models: as `ModelIterable` does it."""

    def __init__(self, queryset: QuerySet[Any], connection: Any) -> None:
        compiler: Any = queryset.query.get_compiler(connection=connection)
        self.sql, params = compiler.as_sql()
        self.places = _places(params, connection)
        self._compiler, self._alias = compiler, connection.alias
        self._converters = compiler.get_converters([each[0] for each in compiler.select[: compiler.col_count]])
        fields = compiler.klass_info["select_fields"]
        self._columns = slice(fields[0], fields[-1] + 1)
        self._names = [each[0].target.attname for each in compiler.select[self._columns]]
        self._related = _related_populators(compiler.klass_info, compiler.select, connection.alias)

    def models(self, rows: Iterable[Any]) -> Iterator[Any]:
        model = self._compiler.klass_info["model"]
        for row in self._compiler.apply_converters(rows, self._converters) if self._converters else rows:
            found = model.from_db(self._alias, self._names, row[self._columns])
            for related in self._related:
                related.populate(row, found)
            for name, position in self._compiler.annotation_col_map.items():
                setattr(found, name, row[position])
            yield found


# -- writing


def update(
    model: type[Model], where: Mapping[str, Any], columns: Mapping[str, Any], *conditions: Q, **slots: Any
) -> int:
    """Change the rows that `where` and `conditions` find; how many.

    Expressions among the columns, and conditions, are constants of a module; `slots` are the values of theirs.
    """
    shape = (model, conditions, tuple(map(_shape, where.items())), tuple(map(_shape, columns.items())))
    connection, (sql, places) = _once(
        shape, lambda connection: _updating(connection, model, where, columns, conditions)
    )
    values = {**slots, **{f"?{name}": each for name, each in where.items()}, **{f"={n}": v for n, v in columns.items()}}
    with connection.cursor() as cursor:
        cursor.execute(sql, _filled(places, values))
        return cursor.rowcount  # type: ignore[no-any-return]


def _is_fixed(name: str, value: Any) -> bool:
    return name.endswith("__isnull") or hasattr(value, "resolve_expression")


def _shape(item: tuple[str, Any]) -> tuple[str, Any]:
    """What of a column or condition is part of the SQL."""
    name, value = item
    return (name, value) if _is_fixed(name, value) else (name, None)


def _updating(
    connection: Any, model: type[Model], where: Mapping[str, Any], columns: Mapping[str, Any], conditions: Sequence[Q]
) -> tuple[str, list[tuple[str | None, Any]]]:
    found: QuerySet[Any] = QuerySet(model, using=connection.alias).filter(*conditions, **_slotted(model, "?", where))
    query: Any = found.query.chain(UpdateQuery)
    query.add_update_values(_slotted(model, "=", columns))
    sql, params = query.get_compiler(connection=connection).as_sql()
    return sql, _places(params, connection)


def _slotted(model: type[Model], mark: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value if _is_fixed(name, value) else Slot(mark + name, _field(model, name))
        for name, value in values.items()
    }


def _field(model: type[Model], name: str) -> Any:
    column = name.partition("__")[0]
    return model._meta.pk if column == "pk" else model._meta.get_field(column)


def insert(made: Sequence[Model]) -> None:
    """Insert rows of one model; each gets its key."""
    model = type(made[0])
    connection, (sql, fields) = _once((model, len(made)), lambda connection: _inserting(connection, model, len(made)))
    values = []
    for row in made:
        for name, how in fields:
            value = getattr(row, name)
            values.append(value if how is None else how(value))
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        keys = [key for (key,) in cursor.fetchall()]
    for row, key in zip(made, keys, strict=True):
        row.pk = key
        row._state.adding = False  # noqa: SLF001 - as bulk_create leaves its rows


def _inserting(connection: Any, model: type[Model], size: int) -> tuple[str, list[tuple[str, Any]]]:
    quote = connection.ops.quote_name
    fields = [each for each in model._meta.local_concrete_fields if not each.primary_key]
    places = f"({', '.join(['%s'] * len(fields))})"
    key = model._meta.pk
    assert key is not None
    columns = ", ".join(quote(each.column) for each in fields)
    head = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES "  # noqa: S608 - names of our own tables
    return f"{head}{', '.join([places] * size)} RETURNING {quote(key.column)}", [
        (each.attname, _written(each, connection)) for each in fields
    ]
