"""`manage.py falai_publish`: the draft becomes the release that serves, or an older one serves again."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from falai_django.authoring.publishing import activate, preview, publish
from falai_django.authoring.touched_runs import TouchedRuns
from falai_django.differences import Change
from falai_django.management.naming import add_agent_names, named_agent, named_tenant
from falai_django.management.telling import change_lines, errors_told, problem_lines
from falai_django.models import Agent
from falai_django.roles import Actor

__all__ = ["Command"]

_ACTOR = Actor.command("falai_publish")


class Command(BaseCommand):
    """Refuses a draft with errors, and tells them all."""

    help = "Publish an agent's draft, or let an older release serve again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_agent_names(parser)
        parser.add_argument("--note", default="", help="what this release is about")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--dry-run", action="store_true", help="only say what would change and what is wrong")
        what.add_argument("--activate", type=int, metavar="NUMBER", help="let this release serve instead")

    def handle(self, *_args: Any, **options: Any) -> None:
        agent = named_agent(named_tenant(options["tenant"]), options["agent"])
        with errors_told():
            if options["dry_run"]:
                self._preview(agent)
            elif options["activate"] is not None:
                self._activate(agent, options["activate"])
            else:
                self._publish(agent, options["note"])

    def _publish(self, agent: Agent, note: str) -> None:
        done = publish(_ACTOR, agent, note)
        self._tell(done.changes, done.touched, problem_lines(done.warnings))
        words = {"agent": agent, "number": done.release.number}
        if done.is_new:
            self.stdout.write(_("Published: release %(number)d of “%(agent)s” serves now.") % words)
        else:
            self.stdout.write(_("Nothing to publish: the draft says what release %(number)d says.") % words)

    def _activate(self, agent: Agent, number: int) -> None:
        done = activate(_ACTOR, agent, number)
        self._tell(done.changes, done.touched, [])
        words = {"agent": agent, "number": number}
        if done.is_changed:
            self.stdout.write(_("Release %(number)d of “%(agent)s” serves now.") % words)
        else:
            self.stdout.write(_("Release %(number)d of “%(agent)s” serves already.") % words)

    def _preview(self, agent: Agent) -> None:
        shown = preview(_ACTOR, agent)
        self._tell(shown.changes, shown.touched, problem_lines(shown.problems))
        if any(problem.is_error for problem in shown.problems):
            raise CommandError(_("It would be refused."))
        if shown.is_unchanged:
            self.stdout.write(_("Nothing to publish: the draft says what serves already."))
        else:
            self.stdout.write(_("Nothing was published: this was a dry run."))

    def _tell(self, changes: Iterable[Change], touched: Iterable[TouchedRuns], problems: Iterable[str]) -> None:
        for line in (*change_lines(changes), *(f"  {each.sentence}" for each in touched), *problems):
            self.stdout.write(line)
