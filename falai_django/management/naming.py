"""How commands name a tenant, an agent and a flow: by their slugs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from falai_django.documents import is_storable_text
from falai_django.models import Agent, Flow, Tenant
from falai_django.rows import rows, write_alias

__all__ = ["add_agent_names", "named_agent", "named_flow", "named_tenant"]


def add_agent_names(parser: ArgumentParser, *, agent_is_needed: bool = True) -> None:
    """`--tenant` and `--agent`; the tenant may be left out where there is only one."""
    parser.add_argument("--tenant", help="the tenant's slug; may be left out where there is only one tenant")
    parser.add_argument("--agent", required=agent_is_needed, help="the agent's slug")


def named_tenant(slug: str | None) -> Tenant:
    """The tenant of a slug, or the only one. CommandError with those that there are."""
    tenants = Tenant.objects.using(write_alias()).order_by("slug")
    found: list[Tenant] = list(tenants if slug is None else _called(tenants, slug))
    if len(found) == 1:
        return found[0]
    slugs = ", ".join(tenants.values_list("slug", flat=True)) or _("none")
    if slug is None:
        raise CommandError(_("Say which tenant: --tenant. There are: %(slugs)s.") % {"slugs": slugs})
    raise CommandError(_("There is no tenant “%(slug)s”. There are: %(slugs)s.") % {"slug": slug, "slugs": slugs})


def named_agent(tenant: Tenant, slug: str) -> Agent:
    """An agent of a tenant, which comes along. CommandError with those that there are."""
    agents = rows(Agent).filter(tenant=tenant)
    found: Agent | None = _called(agents, slug).select_related("tenant", "active_release").first()
    if found is None:
        slugs = ", ".join(agents.order_by("slug").values_list("slug", flat=True)) or _("none")
        raise CommandError(
            _("%(tenant)s has no agent “%(slug)s”. There are: %(slugs)s.")
            % {"tenant": tenant.slug, "slug": slug, "slugs": slugs}
        )
    return found


def named_flow(agent: Agent, slug: str) -> Flow:
    """A flow of an agent, which comes along. CommandError with those that there are."""
    flows = rows(Flow).filter(agent=agent)
    found: Flow | None = _called(flows, slug).select_related("agent__tenant").first()
    if found is None:
        slugs = ", ".join(flows.order_by("slug").values_list("slug", flat=True)) or _("none")
        raise CommandError(
            _("%(agent)s has no flow “%(slug)s”. There are: %(slugs)s.")
            % {"agent": agent.slug, "slug": slug, "slugs": slugs}
        )
    return found


def _called(named: QuerySet[Any], slug: str) -> QuerySet[Any]:
    """An argument may hold bytes that are no text, which no database is asked for."""
    return named.filter(slug=slug) if is_storable_text(slug) else named.none()
