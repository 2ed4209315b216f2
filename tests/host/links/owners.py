"""Who may change what links a tenant to the world."""

from __future__ import annotations

from django.contrib.auth.models import User

from falai_django.models import Membership, Role
from falai_django.roles import Actor

__all__ = ["actor_in", "config_version"]


def actor_in(tenant, role=Role.OWNER, name=None):
    user = User.objects.create_user(name or f"{tenant.slug}-{role}")
    Membership.objects.create(tenant=tenant, user=user, role=role)
    return Actor.of_user(user)


def config_version(tenant):
    """As the next turn reads it."""
    return type(tenant).objects.get(pk=tenant.pk).config_version
