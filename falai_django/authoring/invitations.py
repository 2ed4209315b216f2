"""The mail that tells somebody that they are a member; only it holds the link to set a password."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any, Final

from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.db import transaction
from django.urls import NoReverseMatch, reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import AuthoringError
from falai_django.models import Membership
from falai_django.roles import Actor
from falai_django.rows import write_alias

__all__ = ["assert_reachable", "mail_invitation"]

_LOGGER: Final = logging.getLogger("falai")
_PASSWORD_PAGE: Final = "password_reset_confirm"  # noqa: S105 - the name of a URL
_ENTRANCE: Final = "admin:index"


def assert_reachable() -> None:
    """AuthoringError when this site cannot write links that lead to it.

    The address is a setting: a request's Host header is the visitor's word, and a link with a token must not go by it.
    """
    if not settings().base_url:
        raise AuthoringError(
            _("This site does not know its own address, so no invitation can lead to it. Set FALAI_BASE_URL.")
        )
    if _path(_PASSWORD_PAGE, uidb64="x", token="-") is None:  # noqa: S106 - any will do
        raise AuthoringError(
            _(
                "This site has no page to set a password, so nobody new can be invited. Give Django's "
                "PasswordResetConfirmView an address named password_reset_confirm."
            )
        )


def mail_invitation(actor: Actor, member: Membership) -> None:
    """Send it once the transaction is through; a mail server that fails is told in the log."""
    user: Any = member.user
    address = getattr(user, type(user).get_email_field_name())
    with translation.override(member.tenant.locale):
        # One line each, so that no name adds lines of its own.
        tenant, inviter = (" ".join(str(name).split()) for name in (member.tenant.name, actor.name))
        subject = _("You are invited to %(tenant)s") % {"tenant": tenant}
        body = "\n\n".join(
            [
                _made_by(actor) % {"inviter": inviter, "tenant": tenant},
                _way_in(user),
                _("If you do not know what this is about, you need not do anything."),
            ]
        )
    transaction.on_commit(partial(_send, subject, body, address, member.pk), using=write_alias())


def _made_by(actor: Actor) -> str:
    """A command is nobody whom a reader would know."""
    if actor.user is None:
        return _("You are a member of %(tenant)s now.")
    return _("%(inviter)s has made you a member of %(tenant)s.")


def _send(subject: str, body: str, address: str, key: int) -> None:
    try:
        send_mail(subject, body, None, [address])
    except OSError as error:
        # What was committed stays; the list of members offers to send it again.
        _LOGGER.error("invitation.failed member=%d error=%s", key, type(error).__name__)  # noqa: TRY400 - its words may quote the address


def _way_in(user: Any) -> str:
    """To the page where a password is set, or for who has one to the entrance."""
    site = settings().base_url.rstrip("/")
    if user.has_usable_password():
        return _("Sign in as you do already:") + f"\n{site}{_path(_ENTRANCE) or '/'}"
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    path = _path(_PASSWORD_PAGE, uidb64=uid, token=default_token_generator.make_token(user))
    name = _("Your user name is %(name)s. Set your password here:") % {"name": user.get_username()}
    return f"{name}\n{site}{path}"


def _path(name: str, **kwargs: str) -> str | None:
    try:
        return reverse(name, kwargs=kwargs or None)
    except NoReverseMatch:
        return None
