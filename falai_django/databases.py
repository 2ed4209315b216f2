"""Transactions and times of the database that the runtime writes to (spec: host.md sections 3, 5 and 7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db import connections, transaction
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, Value
from django.db.models.functions import Now as DjangoNow
from django.utils import timezone
from django.utils.translation import gettext as _

from falai_django.errors import InsideTransactionError

__all__ = ["Now", "database_now", "now_and", "own_transaction", "refuse_inside_transaction", "undo"]


class Now(DjangoNow):
    """The database's time of the statement, with as many digits as SQLite keeps of a time: there it compares texts."""

    def as_sqlite(self, compiler: Any, connection: Any, **extra_context: Any) -> Any:
        template = "STRFTIME('%%%%Y-%%%%m-%%%%d %%%%H:%%%%M:%%%%f000', 'NOW')"
        return self.as_sql(compiler, connection, template=template, **extra_context)


def refuse_inside_transaction(alias: str) -> None:
    """Raise InsideTransactionError when somebody else's transaction is open: it would hold our locks, and undo us.

    That of a test case, which only stands for the database's state before the test, does not count.
    """
    blocks: list[Any] = connections[alias].atomic_blocks
    if blocks and not blocks[-1]._from_testcase:  # noqa: SLF001 - as Django's own `durable` asks
        raise InsideTransactionError(
            _(
                "A turn was begun inside a transaction: what others see of it would wait for that one, and be undone "
                "with it. Call it outside, after the commit, or mark the view with transaction.non_atomic_requests."
            )
        )


@contextmanager
def own_transaction(alias: str) -> Iterator[None]:
    """A transaction that commits when it ends. InsideTransactionError inside another one."""
    refuse_inside_transaction(alias)
    with transaction.atomic(using=alias):
        yield


def undo(alias: str) -> None:
    """Let the transaction end without effect, and without an exception in it."""
    transaction.set_rollback(True, using=alias)


@lru_cache(maxsize=64)
def now_and(seconds: float) -> Any:
    """The database's now and so much more, as an expression."""
    return ExpressionWrapper(Now() + Value(timedelta(seconds=seconds), DurationField()), output_field=DateTimeField())


def database_now(alias: str) -> datetime:
    """The time by the database, UTC, where no statement brings it along."""
    connection = connections[alias]
    if connection.vendor == "sqlite":
        return timezone.now()  # its clock is this machine's
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    return now  # type: ignore[no-any-return]
