"""A tenant and its first owner (spec: host.md section 1)."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editing import in_one_transaction
from falai_django.authoring.members import add_member
from falai_django.authoring.row_problems import RowProblem, refused
from falai_django.errors import NotAllowedError
from falai_django.models import Role, Tenant
from falai_django.roles import Actor
from falai_engine.validation import Severity

__all__ = ["create_tenant"]


def create_tenant(
    actor: Actor, slug: str, name: str, *, owner: str = "", locale: str = "en", time_zone: str = "UTC"
) -> Tenant:
    """A tenant without anything in it but its owner, who is invited by e-mail. Superusers and commands alone."""
    if not actor.is_superuser:
        raise NotAllowedError(_("Only a superuser makes tenants. Ask whoever runs this site."))
    tenant = Tenant(slug=slug, name=name, locale=locale, time_zone=time_zone)
    with in_one_transaction():
        _assert_valid(tenant)
        tenant.save()
        record(actor, tenant, "tenant.create", tenant.slug)
        if owner:
            add_member(actor, tenant, owner, Role.OWNER)
    return tenant


def _assert_valid(tenant: Any) -> None:
    try:
        tenant.full_clean()
    except ValidationError as error:
        raise refused(
            RowProblem(tenant, name, Severity.ERROR, message, "value")
            for name, messages in error.message_dict.items()
            for message in messages
        ) from error
