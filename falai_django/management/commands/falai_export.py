"""`manage.py falai_export`: an agent, a flow or a release as JSON (spec: host.md section 2)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from falai_django.authoring.publishing import release_document
from falai_django.documents import document_bytes, export_document, export_flow
from falai_django.management.naming import add_agent_names, named_agent, named_flow, named_tenant
from falai_django.management.telling import errors_told
from falai_django.models import Agent

__all__ = ["Command"]


class Command(BaseCommand):
    """Prints the draft, one flow of it, or a release; the same bytes for the same content."""

    help = "Print an agent's draft as JSON, one of its flows, or one of its releases."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_agent_names(parser)
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--flow", help="only this flow, by its slug")
        what.add_argument("--release", type=int, help="this release instead of the draft, by its number")
        parser.add_argument("--output", type=Path, help="write to this file instead of the terminal")

    def handle(self, *_args: Any, **options: Any) -> None:
        agent = named_agent(named_tenant(options["tenant"]), options["agent"])
        with errors_told():
            content = document_bytes(_document(agent, options["flow"], options["release"]))
        try:
            if options["output"] is None:
                self._print(content)
            else:
                options["output"].write_bytes(content)
        except OSError as error:
            file = options["output"] or _("The output")
            raise CommandError(
                _("%(file)s cannot be written: %(why)s") % {"file": file, "why": error.strerror}
            ) from error

    def _print(self, content: bytes) -> None:
        """The bytes themselves: JSON is UTF-8 whatever the terminal speaks."""
        buffer = getattr(self.stdout, "buffer", None)
        if buffer is None:
            self.stdout.write(content.decode(), ending="")
            return
        raw = getattr(buffer, "raw", buffer)
        self.stdout.flush()
        written = 0
        while written < len(content):
            # Past the buffer, which would try again to write what was refused when the program ends.
            written += raw.write(content[written:])


def _document(agent: Agent, flow: str | None, release: int | None) -> dict[str, Any]:
    if flow is not None:
        return export_flow(named_flow(agent, flow))
    return export_document(agent) if release is None else release_document(agent, release)
