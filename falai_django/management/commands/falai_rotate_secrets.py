"""`manage.py falai_rotate_secrets`: secrets move to the first key of FALAI_ENCRYPTION_KEYS."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from cryptography.fernet import Fernet
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from falai_django.authoring import rotate_secrets
from falai_django.management.telling import errors_told

__all__ = ["Command"]


class Command(BaseCommand):
    """Values stay; exit code 1 when no key reads one of them."""

    help = "Encrypt every secret with the first key of FALAI_ENCRYPTION_KEYS; then the other keys can go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--new-key", action="store_true", help="only print a new key, to put first in the setting")

    def handle(self, *_args: Any, new_key: bool, **_options: Any) -> None:
        if new_key:
            self.stdout.write(Fernet.generate_key().decode())
            return
        with errors_told():
            done = rotate_secrets()
        message = ngettext(
            "%(count)d secret lies under the first key now.",
            "%(count)d secrets lie under the first key now.",
            done.rotated,
        )
        self.stdout.write(message % {"count": done.rotated})
        if done.unreadable:
            names = ", ".join(f"{secret.tenant.slug}/{secret.name}" for secret in done.unreadable)
            raise CommandError(
                _(
                    "No key reads %(names)s. Put the key that they were encrypted with back into "
                    "FALAI_ENCRYPTION_KEYS, or type them again."
                )
                % {"names": names}
            )
