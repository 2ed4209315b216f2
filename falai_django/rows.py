"""Rows as the runtime reads and writes them: always in the database that is written to (spec: host.md section 7).

A replica may lag: a turn decided on what was true a moment ago would be wrong.
"""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, router
from django.db.models import Model

from falai_django.models import Session, TenantRows

__all__ = ["rows", "write_alias"]


def write_alias() -> str:
    """The alias of the database that conversations are written to."""
    return router.db_for_write(Session) if router.routers else DEFAULT_DB_ALIAS


def rows(model: type[Model]) -> TenantRows:
    """All rows of a model, in the database that is written to."""
    return TenantRows(model, using=write_alias())
