"""Who asks, and whether the key's scopes reach: `Authorization: Bearer` (spec: host.md section 5).

A key is looked up in each request, so that a revoked one opens nothing from then on. Nothing of it is ever logged.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, FilteredRelation, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from falai_django.databases import Now
from falai_django.key_digests import PREFIX_CHARACTERS, key_digest
from falai_django.models import Agent, ApiKey, Scope, Tenant, TenantRows
from falai_django.roles import Actor
from falai_django.rows import rows, write_alias

__all__ = ["Caller", "HasScope", "KeyAuthentication", "caller_of", "require_scope"]

_SLUG: Final = re.compile(r"[a-z0-9_-]{1,64}")
_WRITTEN_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Caller:
    """The program that asks: its key, and what that lets it do, in `tenant` alone."""

    key: ApiKey
    actor: Actor

    @property
    def tenant(self) -> Tenant:
        return self.key.tenant

    def has(self, scope: Scope) -> bool:
        return scope in self.key.scopes

    def agent(self, slug: str) -> Agent | None:
        """The agent that the address names, with its tenant; what else it has is read when it is asked for."""
        pk = getattr(self.key, "agent_pk", None)
        if pk is None:
            return None
        known = {"id": pk, "slug": slug, "tenant_id": self.tenant.pk, "active_release_id": self._release()}
        # It takes values in the order of the model's fields.
        names = [each.attname for each in Agent._meta.concrete_fields if each.attname in known]
        found = Agent.from_db(write_alias(), names, [known[name] for name in names])
        found.tenant = self.tenant
        return found

    def _release(self) -> int | None:
        release: int | None = getattr(self.key, "agent_release", None)
        return release


class KeyAuthentication(BaseAuthentication):
    """`request.auth` is the Caller. A user of the site's own is none here: no cookie opens the API."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        key = _key_of(secret.strip(), str((request.parser_context or {}).get("kwargs", {}).get("agent", "")))
        if key is None:
            raise AuthenticationFailed(_("This API key is unknown or revoked."))
        _note_use(key)
        return AnonymousUser(), Caller(key, Actor.of_key(key))

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


def _key_of(secret: str, slug: str) -> Any:
    """By its prefix, which is no secret; the digests are compared in constant time, also when there is no row.

    With the agent of that slug in its tenant, which the same statement finds, as `agent_pk` and `agent_release`.
    """
    if not secret.isascii():
        return None
    prefix, digest = secret[:PREFIX_CHARACTERS], key_digest(secret)
    found: Any = None
    if prefix.isprintable():
        found = _with_agent(rows(ApiKey).filter(prefix=prefix, revoked_at=None), slug).order_by("pk").first()
    is_right = hmac.compare_digest(digest, digest[::-1] if found is None else found.digest)
    return found if is_right else None


def _with_agent(keys: TenantRows, slug: str) -> Any:
    keys = keys.select_related("tenant")
    if not _SLUG.fullmatch(slug):
        return keys
    agent = FilteredRelation("tenant__agents", condition=Q(tenant__agents__slug=slug))
    return keys.annotate(agent=agent).annotate(agent_pk=F("agent__pk"), agent_release=F("agent__active_release"))


def _note_use(key: ApiKey) -> None:
    """At most once a minute, whoever of the processes comes first."""
    if key.last_used_at is not None and timezone.now() - key.last_used_at < _WRITTEN_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lte=Now() - _WRITTEN_EVERY)
    rows(ApiKey).filter(stale, pk=key.pk).update(last_used_at=Now())


def caller_of(request: Request) -> Caller:
    """The caller of a view that asks for a scope."""
    caller = request.auth
    assert isinstance(caller, Caller)
    return caller


def require_scope(caller: Caller, scope: Scope) -> None:
    """PermissionDenied when the key has not the scope."""
    if not caller.has(scope):
        raise _missing((scope,))


def _missing(wanted: Collection[str]) -> PermissionDenied:
    names = _(" or ").join(f"`{scope}`" for scope in wanted)
    return PermissionDenied(_("This takes an API key with the scope %(scopes)s.") % {"scopes": names})


class HasScope(BasePermission):
    """One of the scopes that the view names for the method; a view that names none is for everybody."""

    def has_permission(self, request: Request, view: Any) -> bool:
        scopes: Mapping[str, Collection[Scope]] = view.scopes
        wanted = scopes.get("GET" if request.method == "HEAD" else str(request.method))
        if wanted is None:
            return True
        if not isinstance(request.auth, Caller):
            return False
        if not any(request.auth.has(scope) for scope in wanted):
            raise _missing(wanted)
        return True
