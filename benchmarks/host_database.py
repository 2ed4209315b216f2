"""A PostgreSQL database for the host's rows: made when the first one is measured, gone at the end."""

from __future__ import annotations

import atexit
import os
from functools import cache
from urllib.parse import quote

__all__ = ["IS_POSTGRES", "database_url", "open_database"]

IS_POSTGRES = os.environ.get("DATABASE_URL", "").startswith("postgres")
"""The host's rows are about PostgreSQL: DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres names a server."""


@cache
def open_database() -> None:
    """Set Django up with an empty database `test_...` beside the one that DATABASE_URL names."""
    if not IS_POSTGRES:
        raise SystemExit("The host is measured on PostgreSQL. Set DATABASE_URL=postgres://user@host:5432/name")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.http_site")
    import django  # noqa: PLC0415 - the engine's rows need no Django

    django.setup()
    from django.db import connection  # noqa: PLC0415 - Django is set up by now

    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    atexit.register(connection.creation.destroy_test_db, name, 0)


def database_url() -> str:
    """Where the open one is, for processes that share it."""
    from django.db import connection  # noqa: PLC0415 - as above

    where = connection.settings_dict
    user = quote(where["USER"]) + (f":{quote(where['PASSWORD'])}" if where["PASSWORD"] else "")
    return f"postgres://{user}@{where['HOST']}:{where['PORT'] or 5432}/{where['NAME']}"
