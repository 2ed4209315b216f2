"""Who may do what in which tenant (spec: host.md section 1).

Five roles, each may do all that those before it may; a table says which role each thing asks for. Every rule of
`authoring` asks here, and every door narrows its rows by `tenants_of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Self

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from falai_django.errors import NotAllowedError
from falai_django.models import ApiKey, Membership, Role, Scope, Tenant

__all__ = [
    "LEAST_ROLES",
    "SCOPE_CAPABILITIES",
    "Actor",
    "Capability",
    "capabilities_of",
    "may",
    "may_somewhere",
    "rank",
    "require",
    "tenants_of",
]

_ORDER: Final[Mapping[str, int]] = {str(role): number for number, role in enumerate(Role)}


class Capability(StrEnum):
    """What somebody may do in a tenant."""

    VIEW = "view"
    OPERATE = "operate"
    EDIT = "edit"
    PUBLISH = "publish"
    OWN = "own"


LEAST_ROLES: Final[Mapping[Capability, Role]] = MappingProxyType(
    {
        Capability.VIEW: Role.VIEWER,
        Capability.OPERATE: Role.OPERATOR,
        Capability.EDIT: Role.AUTHOR,
        Capability.PUBLISH: Role.PUBLISHER,
        Capability.OWN: Role.OWNER,
    }
)
"""The least role that each capability asks for."""

SCOPE_CAPABILITIES: Final[Mapping[Scope, frozenset[Capability]]] = MappingProxyType(
    {
        Scope.TURNS: frozenset({Capability.OPERATE}),
        Scope.READ: frozenset({Capability.VIEW}),
        Scope.READ_SENSITIVE: frozenset({Capability.VIEW}),
        Scope.AUTHOR: frozenset({Capability.VIEW, Capability.EDIT}),
        Scope.PUBLISH: frozenset({Capability.VIEW, Capability.PUBLISH}),
        Scope.ERASE: frozenset({Capability.OPERATE}),
    }
)
"""What each scope of an API key lets a program do: no more than it says, so that they have no order as roles have."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and their authority when they began; `roles` by the tenant's key.

    `name` is what logs and audit records call them for ever, also when the user is gone. `granted`, by the tenant's
    key, is what a program may do, who has no role.
    """

    name: str
    user: Any = None
    roles: Mapping[int, Role] = field(default_factory=dict, hash=False)
    is_superuser: bool = False
    granted: Mapping[int, frozenset[Capability]] = field(default_factory=dict, hash=False)

    @classmethod
    def of_user(cls, user: Any) -> Self:
        """A user with their memberships, by one query. Somebody anonymous or inactive may do nothing."""
        name = str(user.get_username())
        if not user.is_authenticated or not user.is_active:
            return cls(name, user if user.pk is not None else None)
        if getattr(user, "is_superuser", False):
            return cls(name, user, is_superuser=True)
        memberships = Membership.objects.filter(user=user).values_list("tenant_id", "role")
        return cls(name, user, {tenant: Role(role) for tenant, role in memberships})

    @classmethod
    def command(cls, name: str) -> Self:
        """A management command: who has a shell on the site may do everything."""
        return cls(name, is_superuser=True)

    @classmethod
    def of_key(cls, key: ApiKey) -> Self:
        """A program with its API key: in the key's tenant alone, what its scopes say. A revoked one may do nothing."""
        name = f"{key.name} ({key.prefix})"
        if key.revoked_at is not None:
            return cls(name)
        scopes = [SCOPE_CAPABILITIES[Scope(scope)] for scope in key.scopes if scope in Scope.values]
        return cls(name, granted={key.tenant_id: frozenset().union(*scopes)})

    def role_in(self, tenant: Tenant) -> Role | None:
        """Their role there; a superuser's is an owner's, a stranger's None."""
        return Role.OWNER if self.is_superuser else self.roles.get(tenant.pk)


def rank(role: str) -> int:
    """Where a role stands in the order, for comparing two."""
    return _ORDER[role]


def may(actor: Actor, tenant: Tenant, capability: Capability) -> bool:
    """Whether the actor's role in the tenant reaches."""
    role = actor.role_in(tenant)
    if role is None:
        return capability in actor.granted.get(tenant.pk, ())
    return rank(role) >= rank(LEAST_ROLES[capability])


def may_somewhere(actor: Actor, capability: Capability) -> bool:
    """Whether there is a tenant where the actor may; a superuser may also where there is none yet."""
    return actor.is_superuser or any(may(actor, Tenant(pk=pk), capability) for pk in _known(actor))


def capabilities_of(actor: Actor, tenant: Tenant) -> frozenset[Capability]:
    """All that the actor may do in the tenant."""
    return frozenset(capability for capability in Capability if may(actor, tenant, capability))


def require(actor: Actor, tenant: Tenant, capability: Capability) -> None:
    """Raise NotAllowedError, which says which role it takes, when the actor may not."""
    if may(actor, tenant, capability):
        return
    role = actor.role_in(tenant)
    if actor.granted.get(tenant.pk):
        raise NotAllowedError(_("The scopes of this API key do not reach. Ask an owner of the tenant for another key."))
    if role is None:
        # Strangers do not learn what the tenant is called, nor who could invite them.
        raise NotAllowedError(_("You are no member here. Ask somebody of the team to invite you."))
    raise NotAllowedError(
        _("This takes the role “%(needed)s” in %(tenant)s; yours is “%(role)s”. Ask an owner for it.")
        % {"needed": _title(LEAST_ROLES[capability]), "tenant": tenant, "role": _title(role)}
    )


def tenants_of(actor: Actor, capability: Capability = Capability.VIEW) -> QuerySet[Tenant]:
    """The tenants where the actor may do that; what a door narrows its rows to."""
    if actor.is_superuser:
        return Tenant.objects.all()
    return Tenant.objects.filter(pk__in=[pk for pk in _known(actor) if may(actor, Tenant(pk=pk), capability)])


def _known(actor: Actor) -> tuple[int, ...]:
    """The keys of the tenants where the actor has any authority."""
    return (*actor.roles, *actor.granted)


def _title(role: Role) -> str:
    """The role's name without what it may do."""
    return str(role.label).partition(":")[0]
