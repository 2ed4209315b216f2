"""What the environment must tell in a form of its own, read or refused with one sentence that says what to write.

No sentence repeats a value: addresses hold passwords.
"""

from __future__ import annotations

import re
from typing import Any, Final

import environ
from django.core.exceptions import ImproperlyConfigured

__all__ = ["database_of", "redis_of", "secret_key_of"]

_DATABASES: Final = frozenset({"postgres", "postgresql", "psql", "pgsql", "sqlite"})
_REDIS: Final = ("redis://", "rediss://", "unix://")


def secret_key_of(env: environ.Env, name: str) -> str:
    """The site's key, which is never empty."""
    key: str = env.str(name, default="")
    if not key.strip():
        raise ImproperlyConfigured(
            f"Set {name} to a long random text of the site's own: "
            'python -c "import secrets; print(secrets.token_urlsafe(50))" makes one.'
        )
    return key


def database_of(env: environ.Env, name: str, default: str) -> dict[str, Any]:
    """The database that an address names."""
    scheme = env.str(name, default=default).partition("://")[0]
    try:
        found: dict[str, Any] = env.db_url(name, default=default) if scheme in _DATABASES else {}
    except ValueError:
        found = {}
    if not found:
        raise ImproperlyConfigured(
            f"Set {name} to postgres://USER:PASSWORD@HOST:5432/NAME or to sqlite:////FOLDER/FILE, or do not set it: "
            "then it is SQLite beside manage.py."
        )
    return found


def redis_of(env: environ.Env, name: str) -> str:
    """The address of Redis, or of several with commas between them; empty when there is none."""
    address: str = env.str(name, default="")
    if not all(each.startswith(_REDIS) for each in re.split("[;,]", address) if address):
        raise ImproperlyConfigured(
            f"Set {name} to redis://HOST:6379/0, rediss://HOST:6379/0 (TLS) or unix:///FOLDER/SOCKET, or do not set it."
        )
    return address
