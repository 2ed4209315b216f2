"""`manage.py falai_reconcile`: restore wakes that were lost, after a backup was restored (spec: host.md section 4)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from falai_django.models import Agent, Session
from falai_django.reconcile import Reconciled, reconcile
from falai_django.rows import rows

__all__ = ["Command"]


class Command(BaseCommand):
    """Looks at every session; ends with 1 when one could not be read."""

    help = "Restore the wakes that conversations wait for and that are nowhere any more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only this tenant's, by its slug")
        parser.add_argument("--agent", help="only this agent's, by its slug; takes --tenant, too")
        parser.add_argument("--dry-run", action="store_true", help="say what would be restored, and write nothing")

    def handle(self, *_args: Any, tenant: str | None, agent: str | None, dry_run: bool, **_options: Any) -> None:
        sessions = rows(Session).all()
        if agent and not tenant:
            raise CommandError(_("Two tenants may have an agent of the same name. Give --tenant, too."))
        if tenant:
            agents = rows(Agent).filter(tenant__slug=tenant, **({"slug": agent} if agent else {}))
            if not agents.exists():
                raise CommandError(_("There is no such agent. Look at the slugs in the admin."))
            sessions = sessions.filter(agent__in=agents)
        self._tell(reconcile(sessions, dry_run=dry_run), dry_run=dry_run)

    def _tell(self, done: Reconciled, *, dry_run: bool) -> None:
        verb = _("to restore") if dry_run else _("restored")
        told = {"sessions": done.sessions, "wakes": done.restored, "verb": verb}
        self.stdout.write(_("%(sessions)d sessions, %(wakes)d wakes %(verb)s.") % told)
        if done.failed:
            raise CommandError(
                _("%(count)d sessions could not be read, their keys: %(keys)s. Their agent or their blob is broken.")
                % {"count": len(done.failed), "keys": ", ".join(map(str, done.failed[:20]))}
            )
