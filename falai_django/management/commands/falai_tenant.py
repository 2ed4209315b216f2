"""`manage.py falai_tenant`: a new tenant and its owner."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext as _

from falai_django.authoring import create_tenant
from falai_django.management.telling import errors_told
from falai_django.models import Membership
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["Command"]


class Command(BaseCommand):
    """Makes the tenant and invites its owner by e-mail."""

    help = "Make a tenant, and invite its owner."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="its name in addresses: small letters, digits, hyphens")
        parser.add_argument("--name", help="what it is called; by default its slug")
        parser.add_argument("--owner", default="", metavar="EMAIL", help="who owns it; gets an invitation by e-mail")
        parser.add_argument("--locale", default="en", help="the language of its agents: en or pt-br")
        parser.add_argument("--time-zone", default="UTC", help="such as America/Sao_Paulo")

    def handle(self, *_args: Any, **options: Any) -> None:
        slug, owner = options["slug"], options["owner"]
        with errors_told():
            tenant = create_tenant(
                Actor.command("falai_tenant"),
                slug,
                options["name"] or slug,
                owner=owner,
                locale=options["locale"],
                time_zone=options["time_zone"],
            )
        self.stdout.write(_("Tenant “%(slug)s” is there.") % {"slug": slug})
        if owner:
            self.stdout.write(
                _(
                    "%(email)s got an invitation by e-mail; a new user sets a password by its link. "
                    "Where no mail arrives: manage.py changepassword %(name)s"
                )
                % {"email": owner, "name": rows(Membership).get(tenant=tenant).user.get_username()}
            )
        else:
            self.stdout.write(_("It has no owner yet: a superuser invites one in the admin."))
