"""Send a message again that was given up (spec: host.md section 4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.conf import settings
from falai_django.databases import Now
from falai_django.errors import NotResendableError
from falai_django.hints import hint
from falai_django.journal import note
from falai_django.models import Message
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias

__all__ = ["RESENDABLE", "resend"]

RESENDABLE: Final = (
    Message.State.DEAD,
    Message.State.EXPIRED,
    Message.State.REFUSED,
    Message.State.WITHHELD,
)
"""The states of a message that nobody will send any more."""


def resend(actor: Actor, message: Message) -> None:
    """Put a message back at the head of its session's queue, due now, with all its tries and its hour before it.

    Its public id stays. Raises NotAllowedError (it takes an operator) and NotResendableError.
    """
    tenant = message.session.agent.tenant
    require(actor, tenant, Capability.OPERATE)
    with transaction.atomic(using=write_alias()):
        given_up = rows(Message).filter(pk=message.pk, state__in=RESENDABLE, session__erasing_at__isnull=True)
        if not given_up.update(
            state=Message.State.QUEUED,
            due=Now(),
            expires_at=Now() + timedelta(seconds=settings().outbox_expiry_seconds),
            attempts=0,
            after_ms=0,
            error="",
            lease_owner="",
            lease_until=None,
        ):
            raise NotResendableError(
                _("Only a message that was given up can be sent again; this one is on its way or has left.")
            )
        record(actor, tenant, "message.resend", f"message {message.pk}", session=message.session_id)
        hint("outbox")
    note("message.resent", message=message.pk, session=message.session_id)
