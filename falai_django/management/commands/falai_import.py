"""`manage.py falai_import`: JSON becomes an agent's draft, a new agent, or a flow (spec: host.md section 2)."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from falai_django.authoring import ImportMode, ImportPlan, plan_import, run_import
from falai_django.conf import settings
from falai_django.management.naming import add_agent_names, named_agent, named_flow, named_tenant
from falai_django.management.telling import change_lines, errors_told, problem_lines
from falai_django.models import Agent, Flow, Tenant
from falai_django.roles import Actor

__all__ = ["Command"]


class Command(BaseCommand):
    """Tells what it changes; with `--dry-run` it only tells."""

    help = "Import JSON: replace an agent's draft, add it as a new agent, or add or replace one flow."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the file to read; - for what is piped in")
        add_agent_names(parser, agent_is_needed=False)
        parser.add_argument("--flow", help="the flow to replace, by its slug")
        parser.add_argument(
            "--mode",
            choices=[str(mode) for mode in ImportMode],
            help="default: replace_flow with --flow, replace with --agent, else copy",
        )
        parser.add_argument("--slug", default="", help="of the new agent or flow; by default its own, made free")
        parser.add_argument("--dry-run", action="store_true", help="only say what would change and what is wrong")
        parser.add_argument("--as-draft", action="store_true", help="import it also when it has errors")

    def handle(self, *_args: Any, **options: Any) -> None:
        mode = ImportMode(options["mode"] or _usual_mode(options))
        target = _target(mode, options)
        content = _content(options["file"])
        actor = Actor.command("falai_import")
        with errors_told():
            plan = plan_import(actor, target, content, mode=mode, slug=options["slug"])
            self._tell(plan)
            if options["dry_run"]:
                self._end_dry_run(plan, as_draft=options["as_draft"])
                return
            stored = run_import(
                actor, target, content, mode=mode, slug=options["slug"], as_draft=options["as_draft"], token=plan.token
            )
        self.stdout.write(_("Imported: “%(what)s” (%(slug)s).") % {"what": stored, "slug": stored.slug})

    def _tell(self, plan: ImportPlan) -> None:
        nothing = _("Nothing changes.")
        changes = change_lines(plan.changes) or [f"  {nothing}"]
        notes = (f"  {note}" for note in plan.notes)
        self.stdout.write("\n".join([*changes, *notes, *problem_lines(plan.problems)]))

    def _end_dry_run(self, plan: ImportPlan, *, as_draft: bool) -> None:
        if plan.errors and not as_draft:
            raise CommandError(_("It would be refused. Correct the file, or import it with --as-draft."))
        self.stdout.write(_("Nothing was imported: this was a dry run."))


def _usual_mode(options: dict[str, Any]) -> ImportMode:
    if options["flow"]:
        return ImportMode.REPLACE_FLOW
    return ImportMode.REPLACE if options["agent"] else ImportMode.COPY


def _target(mode: ImportMode, options: dict[str, Any]) -> Tenant | Agent | Flow:
    tenant = named_tenant(options["tenant"])
    if mode is ImportMode.COPY:
        return tenant
    if not options["agent"]:
        raise CommandError(_("Say which agent: --agent."))
    agent = named_agent(tenant, options["agent"])
    if mode is not ImportMode.REPLACE_FLOW:
        return agent
    if not options["flow"]:
        raise CommandError(_("Say which flow: --flow."))
    return named_flow(agent, options["flow"])


def _content(file: str) -> bytes:
    """One byte more than may be read at most, so that a file that is too large is told as that."""
    most = settings().import_max_bytes + 1
    try:
        if file == "-":
            return sys.stdin.buffer.read(most)
        with Path(file).open("rb") as opened:
            return opened.read(most)
    except OSError as error:
        raise CommandError(_("%(file)s cannot be read: %(why)s") % {"file": file, "why": error.strerror}) from error
