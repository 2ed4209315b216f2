"""The statements of every turn, whose SQL is made once (spec: quality.md, a turn in the host).

Django makes the SQL of a query anew each time that it runs; for the dozen statements of a turn that costs several times
what the database takes for them. So each is built by Django once, with slots where its values go, and then only filled.
What was made serves every thread of the process (a request may have one of its own), so that it holds no connection.
The rows that are written are the runtime's own, of one session: no relation is checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

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
from django.db.models.expressions import Combinable
from django.db.models.sql import DeleteQuery, UpdateQuery

from falai_django.rows import write_alias

__all__ = ["Slot", "delete", "insert", "new", "select", "update"]

_Row = TypeVar("_Row", bound=Model)
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


_KEPT: Final = "falai_cursor"


def _ran(connection: Any, sql: str, params: Sequence[Any]) -> Any:
    """The cursor that ran it. One is kept for all statements of a connection: each one's rows are read before the next.

    Making one each time, which learns anew how to write and read values, costs as much as a fifth of a turn. Threads
    that share a connection, as those of a live server in a test do, share no cursor: each would read the other's rows.
    """
    if connection.health_check_enabled:
        connection.close_if_health_check_failed()
    made_with, cursor = connection.__dict__.get(_KEPT, (None, None))
    if connection.queries_logged or connection.allow_thread_sharing:
        cursor = connection.cursor()
    elif made_with is None or made_with is not connection.connection:
        cursor = connection.cursor()
        connection.__dict__[_KEPT] = (connection.connection, cursor)
    cursor.execute(sql, params)
    # All rows of PostgreSQL have come by now: no error of the database is left to be told in Django's words.
    return cursor.cursor if connection.vendor == "postgresql" else cursor


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
    rows = _ran(connection, found.sql, _filled(found.places, values, connection)).fetchall()
    models: list[Any] = found.models(rows, connection)
    return models


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
        self._names = frozenset(each[0].target.attname for each in compiler.select[self._columns])
        self._related = _related_populators(compiler.klass_info, compiler.select, connection.alias)
        for each in self._related:
            # Asked for each field whether it is among them.
            each.init_list = frozenset(each.init_list)

    def models(self, rows: Iterable[Any], connection: Any) -> list[Any]:
        return [self._model_of(self._converted(row, connection), connection.alias) for row in rows]

    def _model_of(self, row: Sequence[Any], alias: str) -> Any:
        found = self._model.from_db(alias, self._names, row[self._columns])
        for related in self._related:
            related.populate(row, found)
        for name, position in self._extra:
            setattr(found, name, row[position])
        return found

    def _converted(self, row: Sequence[Any], connection: Any) -> Sequence[Any]:
        """As the compiler's `apply_converters`, for whichever connection."""
        if not self._converters:
            return row
        found = list(row)
        for position, converters, expression in self._converters:
            for convert in converters:
                how = getattr(connection.ops, convert) if isinstance(convert, str) else convert
                found[position] = how(found[position], expression, connection)
        return found


def _unbound(convert: Any, connection: Any) -> Any:
    """The same converter for any connection: of a database's own ones, which are bound to one, their name."""
    return convert.__name__ if getattr(convert, "__self__", None) is connection.ops else convert


# -- writing

_IN: Final = "__in"
_CONSTANTS: Final = {None: "NULL", "": "''", 0: "0"}
_OF_CONSTANTS: Final = frozenset({type(None), str, int})


def update(
    model: type[Model], where: Mapping[str, Any], columns: Mapping[str, Any], *conditions: Q, **slots: Any
) -> int:
    """Change the rows that `where` and `conditions` find; how many.

    Expressions among the columns, and conditions, are constants of a module; `slots` are the values of theirs.
    """
    shape: list[Any] = [model, *map(id, conditions)]
    _look(where, "?", shape, slots)
    _look(columns, "=", shape, slots)
    connection, (sql, places, _) = _once(
        tuple(shape), lambda connection: _updating(connection, model, where, columns, conditions)
    )
    return _ran(connection, sql, _filled(places, slots, connection)).rowcount  # type: ignore[no-any-return]


def delete(model: type[Model], where: Mapping[str, Any]) -> int:
    """Delete the rows that `where` finds, and nothing of other models: what points at them is the caller's care."""
    shape: list[Any] = [model, "delete"]
    values: dict[str, Any] = {}
    _look(where, "?", shape, values)
    connection, (sql, places) = _once(tuple(shape), lambda connection: _deleting(connection, model, where))
    return _ran(connection, sql, _filled(places, values, connection)).rowcount  # type: ignore[no-any-return]


def _look(given: Mapping[str, Any], mark: str, shape: list[Any], values: dict[str, Any]) -> None:
    """What of columns or conditions is part of the SQL goes to its shape, what fills slots to the values."""
    for name, value in given.items():
        shape.append(mark + name)
        if _is_fixed(name, value):
            shape.append(id(value) if isinstance(value, Combinable) else value)
        elif name.endswith(_IN):
            shape.append(len(value))
            values.update({f"{mark}{name}{number}": each for number, each in enumerate(value)})
        else:
            values[mark + name] = value


def _is_fixed(name: str, value: Any) -> bool:
    return isinstance(value, Combinable) or name.endswith("__isnull")


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


def new(model: type[_Row], columns: Mapping[str, Any]) -> _Row:
    """A row to insert, by its columns (`session_id`), the others as the model would have them; sooner made."""
    blank = _blank(model)
    return model(*[columns[name] if name in columns else default() for name, default in blank])


@lru_cache(maxsize=16)
def _blank(model: type[Model]) -> list[tuple[str, Callable[[], Any]]]:
    return [(each.attname, each.get_default) for each in model._meta.concrete_fields]


def insert(made: Sequence[Model]) -> None:
    """Insert rows of one model; each gets its key."""
    connection, (head, places, tail) = _once(type(made[0]), lambda connection: _inserting(connection, type(made[0])))
    written, values = [], []
    for row in made:
        parts = []
        for name, field in places:
            value = getattr(row, name)
            if field is not None:
                value = field.get_db_prep_save(value, connection)
            # Most columns of most rows: the driver would write the same.
            constant = _CONSTANTS.get(value) if type(value) in _OF_CONSTANTS else None
            parts.append(constant or "%s")
            if constant is None:
                values.append(value)
        written.append(f"({', '.join(parts)})")
    keys = _ran(connection, f"{head}{', '.join(written)}{tail}", values).fetchall()
    for row, (key,) in zip(made, keys, strict=True):
        row.pk = key
        row._state.adding = False  # noqa: SLF001 - as bulk_create leaves its rows


def _inserting(connection: Any, model: type[Model]) -> tuple[str, list[_Place], str]:
    quote = connection.ops.quote_name
    fields = [each for each in model._meta.local_concrete_fields if not each.primary_key]
    key = model._meta.pk
    assert key is not None
    columns = ", ".join(quote(each.column) for each in fields)
    head = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES "  # noqa: S608 - names of our own tables
    places = [_place(each.attname, each, connection) for each in fields]
    return head, places, f" RETURNING {quote(key.column)}"
