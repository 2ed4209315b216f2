"""The sender `python`: a function that the site registered (spec: host.md sections 1 and 4).

    @sender("whatsapp", tenants=["acme"])
    def whatsapp(message):            # falai_django.outbox.Outgoing
        ...
        raise Refused("unknown-number")   # or: return Refused(...)

It has sent the message when it returns. Refused: it never will. Any other exception: it is tried again.
"""

from __future__ import annotations

import logging

from falai_django.errors import Refused, RegistrationError
from falai_django.journal import note
from falai_django.models import Sender
from falai_django.outbox.answers import Answer, Declined, Failed, Sent
from falai_django.outbox.payload import Outgoing
from falai_django.registry import Kind, registration

__all__ = ["send_by_python"]


def send_by_python(message: Outgoing, sender: Sender) -> Answer:
    """Call the function and read what it says."""
    try:
        handler = registration(Kind.SENDER, sender.python_name, message.tenant).value
    except RegistrationError:
        return Failed("not-registered")
    try:
        said = handler(message)
    except Refused as refusal:
        said = refusal
    except Exception as error:  # noqa: BLE001 - a function of the site may raise anything; the queue goes on
        note("sender.raised", logging.WARNING, error=error, sender=sender.pk)
        return Failed(f"raised {type(error).__name__}")
    return Declined(said.code) if isinstance(said, Refused) else Sent()
