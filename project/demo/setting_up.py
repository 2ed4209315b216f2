"""The demo's rows, by the same rules that authors and owners go by; what is there already stays as it is."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth import get_user_model

from falai_django import authoring
from falai_django.authoring.publishing import publish
from falai_django.models import Agent, ApiKey, ModelProvider, Scope, Sender, Tenant
from falai_django.roles import Actor
from project.demo.catalog import AGENTS, PORTUGUESE, TENANTS, DemoAgent, document_of

__all__ = ["ADMIN", "SetUp", "set_up"]

ADMIN: Final = "admin"
_ACTOR: Final = Actor.command("quickstart")
_KEY: Final = "quickstart"
_SENDER: Final = "chat"


@dataclass(frozen=True, slots=True)
class SetUp:
    """What was made just now.

    `password` of the admin user and `api_key` are None when they were there: nobody can read them again.
    """

    agents: tuple[str, ...]
    password: str | None
    api_key: str | None


def set_up(*, new_password: bool = False, new_key: bool = False) -> SetUp:
    """Make what is missing; with `new_...` also another password, another key."""
    made = tuple(each.slug for each in AGENTS if _make_agent(each))
    return SetUp(made, _password(new=new_password), _api_key(new=new_key))


def _make_agent(wanted: DemoAgent) -> bool:
    tenant = _tenant(wanted.tenant)
    agent: Agent | None = Agent.objects.filter(tenant=tenant, slug=wanted.slug).first()
    if agent is None:
        mode = authoring.ImportMode.COPY
        made = authoring.run_import(_ACTOR, tenant, document_of(wanted), mode=mode, slug=wanted.slug)
        assert isinstance(made, Agent)
        agent = made
    elif agent.active_release_id is not None:
        return False
    # One that an earlier start was interrupted at is finished.
    sender = Sender.objects.get(tenant=tenant, name=_SENDER)
    authoring.change_agent_settings(_ACTOR, agent, {"sender": sender}, version=None)
    publish(_ACTOR, agent, "quickstart")
    return True


def _tenant(slug: str) -> Tenant:
    tenant = Tenant.objects.filter(slug=slug).first() or authoring.create_tenant(_ACTOR, slug, **TENANTS[slug])
    if not ModelProvider.objects.filter(tenant=tenant).exists():
        authoring.add_provider(_ACTOR, tenant, kind="offline")
    if not Sender.objects.filter(tenant=tenant, name=_SENDER).exists():
        authoring.add_sender(_ACTOR, tenant, name=_SENDER, kind=Sender.Kind.PYTHON, python_name="demo.chat")
    return tenant


def _password(*, new: bool) -> str | None:
    users: Any = get_user_model()
    user = users.objects.filter(username=ADMIN).first()
    if user is not None and not new:
        return None
    password = secrets.token_urlsafe(12)
    if user is None:
        users.objects.create_superuser(ADMIN, "admin@example.com", password)
    else:
        user.set_password(password)
        user.save()
    return password


def _api_key(*, new: bool) -> str | None:
    tenant = Tenant.objects.get(slug=PORTUGUESE)
    if ApiKey.objects.filter(tenant=tenant, name=_KEY, revoked_at=None).exists() and not new:
        return None
    return authoring.make_api_key(_ACTOR, tenant, _KEY, list(Scope.values)).secret
