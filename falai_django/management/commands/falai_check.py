"""`manage.py falai_check`: whether drafts could be published, and what serves can be used (host.md section 2)."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from falai_django.authoring import problems
from falai_django.errors import FalaiError
from falai_django.management.naming import add_agent_names, named_agent, named_tenant
from falai_django.management.telling import problem_lines
from falai_django.models import Agent
from falai_django.releases import unavailable_releases
from falai_django.rows import rows

__all__ = ["Command"]


class Command(BaseCommand):
    """Exit code 1 when an agent has an error."""

    help = "Check the drafts of all agents; with --releases, that every active release can be used now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_agent_names(parser, agent_is_needed=False)
        parser.add_argument("--releases", action="store_true", help="look at what serves instead of the drafts")

    def handle(self, *_args: Any, **options: Any) -> None:
        agents = list(_agents(options["tenant"], options["agent"]))
        bad = self._releases(agents) if options["releases"] else self._drafts(agents)
        if bad:
            message = ngettext("%(count)d agent has errors.", "%(count)d agents have errors.", bad)
            raise CommandError(message % {"count": bad})
        message = ngettext("%(count)d agent is fine.", "%(count)d agents are fine.", len(agents))
        self.stdout.write(message % {"count": len(agents)})

    def _releases(self, agents: Iterable[Agent]) -> int:
        bad = 0
        for agent, why in unavailable_releases(agents):
            bad += 1
            self.stdout.write(f"{_name(agent)}\n  {why}")
        return bad

    def _drafts(self, agents: Iterable[Agent]) -> int:
        return sum(self._draft(agent) for agent in agents)

    def _draft(self, agent: Agent) -> bool:
        """Tell what is wrong; whether any of it is an error."""
        try:
            found = problems(agent)
        except FalaiError as error:
            self.stdout.write(f"{_name(agent)}\n  {error}")
            return True
        if found:
            self.stdout.write("\n".join([_name(agent), *problem_lines(found)]))
        return any(problem.is_error for problem in found)


def _agents(tenant: str | None, agent: str | None) -> Iterable[Agent]:
    if agent is not None:
        return [named_agent(named_tenant(tenant), agent)]
    found = rows(Agent).select_related("tenant", "active_release").order_by("tenant__slug", "slug")
    return found if tenant is None else found.filter(tenant=named_tenant(tenant))


def _name(agent: Agent) -> str:
    return _("%(tenant)s / %(agent)s") % {"tenant": agent.tenant.slug, "agent": agent.slug}
