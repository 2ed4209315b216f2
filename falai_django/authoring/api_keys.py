"""Keys for programs: made and revoked by owners, their secret shown once (spec: host.md sections 1 and 5)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editing import editing_tenant
from falai_django.authoring.row_problems import refused_at
from falai_django.errors import AuthoringError
from falai_django.key_digests import new_key
from falai_django.models import ApiKey, Scope, Tenant
from falai_django.roles import Actor, Capability
from falai_django.rows import rows

__all__ = ["MadeKey", "make_api_key", "revoke_api_key"]


class MadeKey(NamedTuple):
    """The row, and the secret: show it now, it is kept nowhere."""

    row: ApiKey
    secret: str


def make_api_key(actor: Actor, tenant: Tenant, name: str, scopes: Collection[str]) -> MadeKey:
    """A key that may do what its scopes say, in this tenant alone."""
    with editing_tenant(actor, tenant, Capability.OWN, version=None) as fresh:
        made = new_key()
        user = actor.user if actor.user is not None and actor.user.pk is not None else None
        row = ApiKey(tenant=fresh, name=name.strip(), prefix=made.prefix, digest=made.digest, created_by=user)
        if not row.name:
            raise refused_at(row, "name", _("Give the key a name that tells who uses it."))
        row.scopes = _ordered(row, scopes)
        row.save()
        record(actor, fresh, "key.make", f"{row.name} {row.prefix}", scopes=row.scopes)
        return MadeKey(row, made.secret)


def revoke_api_key(actor: Actor, key: ApiKey) -> ApiKey:
    """From now on the key opens nothing; what is revoked stays revoked."""
    with editing_tenant(actor, key.tenant, Capability.OWN, version=None) as tenant:
        row: ApiKey | None = rows(ApiKey).filter(pk=key.pk, tenant=tenant).first()
        if row is None:
            raise AuthoringError(_("This key is gone."))
        if row.revoked_at is None:
            row.revoked_at = timezone.now()
            row.save(update_fields=["revoked_at"])
            record(actor, tenant, "key.revoke", f"{row.name} {row.prefix}")
        return row


def _ordered(row: ApiKey, scopes: Collection[str]) -> list[str]:
    unknown = sorted(set(scopes) - set(Scope.values))
    if unknown or not scopes:
        scopes_told = ", ".join(f"“{label}”" for label in Scope.labels)
        raise refused_at(row, "scopes", _("Choose at least one of %(scopes)s.") % {"scopes": scopes_told})
    return [scope for scope in Scope.values if scope in scopes]
