"""What some rows take in PostgreSQL: they are copied to tables of their own, and weighed there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Identifier

__all__ = ["RowsOf", "stored_bytes"]


@dataclass(frozen=True, slots=True)
class RowsOf:
    """The rows of a table whose `column` has one of these values."""

    table: str
    column: str
    values: list[Any]


def stored_bytes(connection: Connection[Any], kept: Iterable[RowsOf]) -> tuple[int, int]:
    """Bytes of the rows alone (`pg_column_size` of each whole row), and of tables that hold just them, with indexes.

    The second counts no page of a table without a row, and nothing that old versions of a row leave until a vacuum.
    """
    alone = whole = 0
    for each in kept:
        names = {"copy": Identifier(f"copy_of_{each.table}"), "table": Identifier(each.table)}
        wanted = SQL("INSERT INTO {copy} SELECT * FROM {table} WHERE {column} = ANY(%s)")
        with connection.transaction(force_rollback=True), connection.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(SQL("CREATE TEMPORARY TABLE {copy} (LIKE {table} INCLUDING ALL)").format(**names))
            cursor.execute(wanted.format(**names, column=Identifier(each.column)), [each.values])
            if not cursor.rowcount:
                continue
            weigh = SQL("SELECT sum(pg_column_size(each.*)), pg_total_relation_size(%s::regclass) FROM {copy} each")
            cursor.execute(weigh.format(**names), [names["copy"].as_string(connection)])
            found = cursor.fetchone()
            assert found is not None
            alone, whole = alone + int(found[0]), whole + int(found[1])
    return alone, whole
