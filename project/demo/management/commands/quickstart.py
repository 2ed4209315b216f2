"""`manage.py quickstart`: from a fresh clone to a conversation, by one command."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from socket import socket
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.utils.translation import gettext as _

from project.demo.catalog import PORTUGUESE, TENANTS
from project.demo.serving import PortTakenError, bound_socket, serve
from project.demo.setting_up import ADMIN, SetUp, set_up

__all__ = ["Command"]


class Command(BaseCommand):
    """A second run keeps what is there."""

    help = "Migrate, make the demo's tenants, an admin user and an API key, and serve it all until Ctrl-C."
    # Migrations are made here, and the checks of the database come after them.
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: this machine alone)")
        parser.add_argument("--port", type=int, default=8000, help="the first port to try (default: 8000)")
        parser.add_argument("--new-key", action="store_true", help="make another API key, and print it")
        parser.add_argument("--new-password", action="store_true", help="give the admin user another password")
        parser.add_argument("--no-serve", action="store_true", help="make everything, then end")

    def handle(
        self, *_args: Any, host: str, port: int, new_key: bool, new_password: bool, no_serve: bool, **_options: Any
    ) -> None:
        if not settings.DEBUG:
            raise CommandError(_("The demo is for DEBUG alone. README, deploy, says how a real site is set up."))
        began = time.monotonic()
        call_command("migrate", verbosity=0, interactive=False)
        made = set_up(new_password=new_password, new_key=new_key)
        if no_serve:
            self._tell_secrets(made)
            return
        listener = self._listener(host, port)
        found = listener.getsockname()[1]
        url = f"http://{f'[{host}]' if ':' in host else host}:{found}"
        connections.close_all()

        def on_ready() -> None:
            self._tell(made, url, time.monotonic() - began)

        serve(listener, "project.asgi:application", on_ready)
        self._line(_("Stopped. What was said is kept."))

    def _listener(self, host: str, port: int) -> socket:
        try:
            return bound_socket(host, port, self._tell_taken)
        except PortTakenError:
            message = _("No port from %(port)d on is free. Give another with --port.")
            raise CommandError(message % {"port": port}) from None

    def _tell_taken(self, port: int) -> None:
        self._line(_("Port %(port)d is taken, trying the next.") % {"port": port})

    def _tell(self, made: SetUp, url: str, seconds: float) -> None:
        self._line("")
        self._line(_("falai runs (%(seconds).0f s). Stop it with Ctrl-C.") % {"seconds": seconds})
        self._line("")
        self._line(_("  Chat with the demo   %(url)s/") % {"url": url})
        self._line(_("  Write agents         %(url)s/admin/") % {"url": url})
        self._line(_("  The API              %(url)s/api/docs") % {"url": url})
        self._line(_("  Data                 %(place)s") % {"place": _place()})
        self._line("")
        self._tell_secrets(made)

    def _tell_secrets(self, made: SetUp) -> None:
        """Once: nothing keeps them in a form that can be read."""
        if made.password is not None:
            secret = {"user": ADMIN, "password": made.password}
            self._line(_("  Admin user           %(user)s, password %(password)s") % secret)
        if made.api_key is not None:
            self._line(_("  API key              %(key)s") % {"key": made.api_key})
            self._line(
                _("                       for the agents of %(tenant)s") % {"tenant": TENANTS[PORTUGUESE]["name"]}
            )
        if made.password is None and made.api_key is None:
            self._line(_("  Admin user and API key are those of the first start. New ones:"))
        else:
            self._line(_("  This is shown once. New ones:"))
        self._line("  make run ARGS='--no-serve --new-password --new-key'")

    def _line(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _place() -> str:
    """Where the data is, without a password that its address may hold."""
    database = settings.DATABASES["default"]
    name = str(database["NAME"])
    return name if Path(name).is_absolute() else f"{database.get('HOST') or 'localhost'}/{name}"
