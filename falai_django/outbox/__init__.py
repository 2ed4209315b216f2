"""Messages on their way out (spec: host.md section 4): the queue of each session, and the senders that empty it."""

from falai_django.errors import Refused
from falai_django.outbox.payload import Outgoing, payload
from falai_django.outbox.polling import Acknowledged, acknowledge, poll_messages
from falai_django.outbox.queue import leaving, withhold
from falai_django.outbox.resending import RESENDABLE, resend
from falai_django.outbox.sending import Delivered, send_due

__all__ = [
    "RESENDABLE",
    "Acknowledged",
    "Delivered",
    "Outgoing",
    "Refused",
    "acknowledge",
    "leaving",
    "payload",
    "poll_messages",
    "resend",
    "send_due",
    "withhold",
]
