"""`manage.py falai_reconcile`: restore wakes that were lost, after a backup was restored (spec: host.md section 4)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
        looked = ngettext("%(count)d session was looked at.", "%(count)d sessions were looked at.", done.sessions)
        self.stdout.write(looked % {"count": done.sessions})
        self.stdout.write(_restored(done.restored, dry_run=dry_run) % {"count": done.restored})
        if done.failed:
            message = ngettext(
                "%(count)d session could not be read, its key: %(keys)s. Its agent or its blob is broken.",
                "%(count)d sessions could not be read, their keys: %(keys)s. Their agent or their blob is broken.",
                len(done.failed),
            )
            raise CommandError(message % {"count": len(done.failed), "keys": ", ".join(map(str, done.failed[:20]))})


def _restored(count: int, *, dry_run: bool) -> str:
    if dry_run:
        return ngettext("%(count)d wake would be restored.", "%(count)d wakes would be restored.", count)
    return ngettext("%(count)d wake was restored.", "%(count)d wakes were restored.", count)
