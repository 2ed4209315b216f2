"""Who did what, kept for good (spec: host.md sections 1 and 6)."""

from __future__ import annotations

from typing import Any, Final

from falai_django.models import AuditRecord, Tenant
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["record"]

_TARGET_CHARACTERS: Final = 300


def record(actor: Actor, tenant: Tenant, action: str, target: str, **detail: Any) -> None:
    """Write one audit record, in the transaction of what it tells of. `detail`: JSON, nothing secret or said."""
    user = actor.user if getattr(actor.user, "pk", None) is not None else None
    row = AuditRecord(
        tenant=tenant,
        actor=user,
        actor_name=actor.name[:200],
        action=action,
        target=target[:_TARGET_CHARACTERS],
        detail=detail,
    )
    row.save(using=rows(AuditRecord).db)
