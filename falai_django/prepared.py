"""The statements of every turn, whose SQL is made once (spec: quality.md, a turn in the host).

Django makes the SQL of a query anew each time that it runs; for the dozen statements of a turn that costs several times
what the database takes for them. So each is built by Django once, with slots where its values go, and then only filled.
What was made serves every thread of the process (a request may have one of its own), so that it holds no connection.
The rows that are written are the runtime's own, of one session: no relation is checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

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
from django.db.models.sql import DeleteQuery, UpdateQuery

from falai_django.rows import write_alias

__all__ = ["Slot", "delete", "insert", "select", "update"]

# As any: its stubs are those of another version.
_related_populators: Final[Any] = django_query.get_related_populators


class Slot(Value):
    """A place in a query for a value that is given when it runs, as a value of the field would be."""

    def __init__(self, name: str, field: Any) -> None:
        super().__init__(None, output_field=field)
        self.name = name

    def as_sql(self, _compiler: Any, _connection: Any) -> Any:
        """The marker is found among the parameters again."""
        return "%s", [self]


_made: Final[dict[tuple[str, Any], Any]] = {}
"""By the alias of the database and the shape of the statement."""


def _once(shape: Any, make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The connection of this thread, and what was made for this shape."""
    connection = connections[write_alias()]
    key = (connection.alias, shape)
    found = _made.get(key)
    if found is None:
        found = _made[key] = make(connection)
    return connection, found


class _Place(NamedTuple):
    """Where a value goes. `field`: how it is written, None: as it is."""

    name: str
    field: Any


_AS_IT_IS: Final = (BooleanField, CharField, DateTimeField, IntegerField, TextField, UUIDField)
"""Fields whose values the driver of PostgreSQL takes as they are; of relations their keys."""


def _place(name: str, field: Any, connection: Any) -> _Place:
    told = field.target_field if field.is_relation else field
    is_as_it_is = connection.vendor == "postgresql" and isinstance(told, _AS_IT_IS)
    return _Place(name, None if is_as_it_is else field)


def _places(params: Sequence[Any], connection: Any) -> list[Any]:
    """The parameters, a place where there is a slot."""
    return [_place(each.name, each.output_field, connection) if isinstance(each, Slot) else each for each in params]


def _filled(places: Sequence[Any], values: Mapping[str, Any], connection: Any) -> list[Any]:
    filled = []
    for each in places:
        if type(each) is _Place:
            name, field = each
            value = values[name]
            filled.append(value if field is None else field.get_db_prep_save(value, connection))
        else:
            filled.append(each)
    return filled


# -- reading


def select(make: Callable[[], QuerySet[Any]], **values: Any) -> list[Any]:
    """The rows of a query as Django would give them. `make`: a function of a module, that gives it with its slots."""
    connection, found = _once(make, lambda connection: _Reading(make(), connection))
    with connection.cursor() as cursor:
        cursor.execute(found.sql, _filled(found.places, values, connection))
        return list(found.models(cursor.fetchall(), connection))


class _Reading:
    """The SQL of a query, and how its rows become models: as `ModelIterable` does it."""

    def __init__(self, queryset: QuerySet[Any], connection: Any) -> None:
        compiler: Any = queryset.query.get_compiler(connection=connection)
        self.sql, params = compiler.as_sql()
        self.places = _places(params, connection)
        converters = compiler.get_converters([each[0] for each in compiler.select[: compiler.col_count]])
        self._converters = [
            (position, [_unbound(each, connection) for each in found], expression)
            for position, (found, expression) in converters.items()
        ]
        fields = compiler.klass_info["select_fields"]
        self._model, self._extra = compiler.klass_info["model"], list(compiler.annotation_col_map.items())
        self._columns = slice(fields[0], fields[-1] + 1)
        self._names = [each[0].target.attname for each in compiler.select[self._columns]]
        self._related = _related_populators(compiler.klass_info, compiler.select, connection.alias)

    def models(self, rows: Iterable[Any], connection: Any) -> Iterator[Any]:
        for each in rows:
            row = self._converted(each, connection)
            found = self._model.from_db(connection.alias, self._names, row[self._columns])
            for related in self._related:
                related.populate(row, found)
            for name, position in self._extra:
                setattr(found, name, row[position])
            yield found

    def _converted(self, row: Sequence[Any], connection: Any) -> Sequence[Any]:
        """As the compiler's `apply_converters`, for whichever connection."""
        if not self._converters:
            return row
        found = list(row)
        for position, converters, expression in self._converters:
            for convert in converters:
                found[position] = convert(connection)(found[position], expression, connection)
        return found


def _unbound(convert: Any, connection: Any) -> Callable[[Any], Any]:
    """The same converter for any connection: a database's own ones are bound to that for which they were asked."""
    if getattr(convert, "__self__", None) is connection.ops:
        name = convert.__name__
        return lambda another: getattr(another.ops, name)
    return lambda _another: convert


# -- writing

_IN: Final = "__in"


def update(
    model: type[Model], where: Mapping[str, Any], columns: Mapping[str, Any], *conditions: Q, **slots: Any
) -> int:
    """Change the rows that `where` and `conditions` find; how many.

    Expressions among the columns, and conditions, are constants of a module; `slots` are the values of theirs.
    """
    shape = (model, tuple(map(id, conditions)), *map(_shape, where.items()), None, *map(_shape, columns.items()))
    connection, (sql, places, _) = _once(
        shape, lambda connection: _updating(connection, model, where, columns, conditions)
    )
    values = slots
    _name(values, "?", where)
    for name, value in columns.items():
        values["=" + name] = value
    with connection.cursor() as cursor:
        cursor.execute(sql, _filled(places, values, connection))
        return cursor.rowcount  # type: ignore[no-any-return]


def delete(model: type[Model], where: Mapping[str, Any]) -> int:
    """Delete the rows that `where` finds, and nothing of other models: what points at them is the caller's care."""
    connection, (sql, places) = _once(
        (model, "delete", *map(_shape, where.items())), lambda connection: _deleting(connection, model, where)
    )
    values: dict[str, Any] = {}
    _name(values, "?", where)
    with connection.cursor() as cursor:
        cursor.execute(sql, _filled(places, values, connection))
        return cursor.rowcount  # type: ignore[no-any-return]


def _name(values: dict[str, Any], mark: str, given: Mapping[str, Any]) -> None:
    """By the names of their slots; each of a list has one of its own."""
    for name, value in given.items():
        if name.endswith(_IN):
            values.update({f"{mark}{name}{number}": each for number, each in enumerate(value)})
        else:
            values[mark + name] = value


def _is_fixed(name: str, value: Any) -> bool:
    return name.endswith("__isnull") or hasattr(value, "resolve_expression")


def _shape(item: tuple[str, Any]) -> Any:
    """What of a column or condition is part of the SQL: its name, and what is written into it."""
    name, value = item
    if hasattr(value, "resolve_expression"):
        return name, id(value)
    if name.endswith(_IN):
        return name, len(value)
    return (name, value) if name.endswith("__isnull") else name


def _updating(
    connection: Any, model: type[Model], where: Mapping[str, Any], columns: Mapping[str, Any], conditions: Sequence[Q]
) -> tuple[str, list[Any], Any]:
    """The SQL, its parameters, and what its shape names by ids alone: kept, so that nothing else gets these ids."""
    found: QuerySet[Any] = QuerySet(model, using=connection.alias).filter(*conditions, **_slotted(model, "?", where))
    query: Any = found.query.chain(UpdateQuery)
    query.add_update_values(_slotted(model, "=", columns))
    sql, params = query.get_compiler(connection=connection).as_sql()
    fixed = [value for name, value in (*where.items(), *columns.items()) if _is_fixed(name, value)]
    return sql, _places(params, connection), (conditions, fixed)


def _deleting(connection: Any, model: type[Model], where: Mapping[str, Any]) -> tuple[str, list[Any]]:
    found: QuerySet[Any] = QuerySet(model, using=connection.alias).filter(**_slotted(model, "?", where))
    sql, params = found.query.chain(DeleteQuery).get_compiler(connection=connection).as_sql()
    return sql, _places(params, connection)


def _slotted(model: type[Model], mark: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _slot(model, mark, name, value) for name, value in values.items()}


def _slot(model: type[Model], mark: str, name: str, value: Any) -> Any:
    if _is_fixed(name, value):
        return value
    field = _field(model, name)
    if name.endswith(_IN):
        return [Slot(f"{mark}{name}{number}", field) for number in range(len(value))]
    return Slot(mark + name, field)


def _field(model: type[Model], name: str) -> Any:
    column = name.partition("__")[0]
    return model._meta.pk if column == "pk" else model._meta.get_field(column)


def insert(made: Sequence[Model]) -> None:
    """Insert rows of one model; each gets its key."""
    model = type(made[0])
    connection, (sql, places) = _once((model, len(made)), lambda connection: _inserting(connection, model, len(made)))
    values = []
    for row in made:
        for name, field in places:
            value = getattr(row, name)
            values.append(value if field is None else field.get_db_prep_save(value, connection))
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        keys = [key for (key,) in cursor.fetchall()]
    for row, key in zip(made, keys, strict=True):
        row.pk = key
        row._state.adding = False  # noqa: SLF001 - as bulk_create leaves its rows


def _inserting(connection: Any, model: type[Model], size: int) -> tuple[str, list[_Place]]:
    quote = connection.ops.quote_name
    fields = [each for each in model._meta.local_concrete_fields if not each.primary_key]
    row = f"({', '.join(['%s'] * len(fields))})"
    key = model._meta.pk
    assert key is not None
    columns = ", ".join(quote(each.column) for each in fields)
    head = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES "  # noqa: S608 - names of our own tables
    sql = f"{head}{', '.join([row] * size)} RETURNING {quote(key.column)}"
    return sql, [_place(each.attname, each, connection) for each in fields]
