"""Send what is due (spec: host.md section 4): the loop's pass over the outbox."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from falai_django.databases import Now
from falai_django.faults import fault_point
from falai_django.journal import note
from falai_django.models import Message, Sender
from falai_django.outbox.answers import ATTEMPTS, Answer, Failed
from falai_django.outbox.deliveries import Tried, log_delivery
from falai_django.outbox.payload import Outgoing, outgoing_of
from falai_django.outbox.python import send_by_python
from falai_django.outbox.queue import end_pauses, expire, finish, lease, ready
from falai_django.outbox.webhook import send_by_webhook
from falai_django.rows import rows

__all__ = ["Delivered", "send_due"]

_SENDERS: Final[Mapping[str, Callable[[Outgoing, Sender], Tried]]] = {
    Sender.Kind.PYTHON: lambda message, sender: Tried(send_by_python(message, sender)),
    Sender.Kind.WEBHOOK: send_by_webhook,
}
"""By kind. `poll` has none: its rows wait until they are fetched."""


@dataclass(slots=True)
class Delivered:
    """What a pass did, in messages. `tried` have an answer, of whatever kind."""

    tried: int = 0
    expired: int = 0


def send_due(limit: int = 200, seconds: float = 10.0, stopping: Callable[[], bool] = lambda: False) -> Delivered:
    """Send at most `limit` due messages in about `seconds`, senders in turn; stop before the next when asked to.

    A sender that fails is left alone for the rest of the pass: one that hangs holds up nobody else for long.
    """
    done, end, failing = Delivered(expired=expire()), time.monotonic() + seconds, set[int]()
    if done.expired:
        note("messages.expired", count=done.expired)
    end_pauses()
    for pk, sender in _due(limit):
        if stopping() or time.monotonic() > end:
            break
        if sender in failing:
            continue
        answer = _send(pk)
        done.tried += answer is not None
        if isinstance(answer, Failed):
            failing.add(sender)
    return done


def _due(limit: int) -> list[tuple[int, int]]:
    """Messages with their senders, each sender's first before anybody's second."""
    place = Window(RowNumber(), partition_by=F("session__agent__sender"), order_by=["due", "pk"])
    due = ready().filter(session__agent__sender__kind__in=_SENDERS).annotate(place=place)
    return list(due.order_by("place", "due").values_list("pk", "session__agent__sender")[:limit])


def _send(pk: int) -> Answer | None:
    """Lease, send, write what became of it; None when another worker was faster."""
    owner = uuid.uuid4().hex
    if not lease(pk, owner):
        return None
    fault_point("message-leased")
    message = rows(Message).select_related(*_ALONG).annotate(now=Now()).get(pk=pk)
    sender = message.session.agent.sender
    began = time.monotonic()
    tried = _tried(message, sender)
    answer, took = tried.answer, time.monotonic() - began
    fault_point("message-answered")
    log_delivery(message, sender, tried, round(took * 1_000))
    kept = finish(message, owner, answer)
    note(
        "message.tried" if kept else "message.lease_lost",
        message=message.pk,
        session=message.session_id,
        attempt=message.attempts,
        answer=type(answer).__name__,
    )
    return answer


_ALONG: Final = (
    "session__agent__tenant",
    "session__agent__sender__secret",
    "session__agent__sender__next_secret",
)


def _tried(message: Message, sender: Sender | None) -> Tried:
    if message.attempts > ATTEMPTS:
        # Each try before ended the process.
        return Tried(Failed("killed"))
    if sender is None or sender.kind not in _SENDERS:
        # It was changed just now.
        return Tried(Failed("no-sender"))
    return _SENDERS[sender.kind](outgoing_of(message), sender)
