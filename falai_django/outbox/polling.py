"""The sender `poll`: a program fetches what is due and says what it has sent (spec: host.md sections 4 and 5)."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from falai_django.conf import settings
from falai_django.databases import Now
from falai_django.journal import note
from falai_django.models import Message, Sender, Tenant
from falai_django.outbox.payload import Outgoing, outgoing_of
from falai_django.outbox.queue import end_pauses, leased, left, ready
from falai_django.rows import rows, write_alias

__all__ = ["Acknowledged", "acknowledge", "poll_messages"]

_OWNER: Final = "poll:"
"""Opens the owner of a lease by a poll: only what was fetched can be acknowledged."""

_OPEN: Final = (Message.State.SENDING, Message.State.EXPIRED)


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Public ids: what counts as sent or refused now (again when it did already), and what was not to be found."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]


def poll_messages(tenant: Tenant, limit: int = 50) -> list[Outgoing]:
    """What is due of the tenant's agents that are polled: of each session the first, as long as it is not acknowledged.

    Nobody else gets them for FALAI_POLL_LEASE_SECONDS; those that are not acknowledged by then come again, under the
    same id.
    """
    owner = f"{_OWNER}{uuid.uuid4().hex[:32]}"
    end_pauses()
    with transaction.atomic(using=write_alias()):
        free = ready().filter(session__agent__tenant=tenant, session__agent__sender__kind=Sender.Kind.POLL)
        free = free.order_by("due", "pk")
        pks = list(free.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[:limit])
        rows(Message).filter(pk__in=pks).update(**leased(owner, settings().poll_lease_seconds))
    fetched = rows(Message).filter(pk__in=pks, lease_owner=owner).select_related("session__agent__tenant")
    if pks:
        note("outbox.polled", tenant=tenant.pk, count=len(pks))
    return [outgoing_of(message) for message in fetched.annotate(now=Now()).order_by("due", "pk")]


def acknowledge(tenant: Tenant, ids: Collection[str], refused: Mapping[str, str] | None = None) -> Acknowledged:
    """Say of fetched messages that they were sent, or `refused` (public id -> code) for good.

    May be repeated, and may come late: what a program has sent is sent.
    """
    verdicts: dict[str, str | None] = {**dict.fromkeys(ids), **(refused or {})}
    public = {text: parsed for text in verdicts if (parsed := _uuid(text)) is not None}
    of_tenant = rows(Message).filter(session__agent__tenant=tenant, lease_owner__startswith=_OWNER)
    found = {message.public_id: message for message in of_tenant.filter(public_id__in=public.values())}
    for text, key in public.items():
        if key in found:
            _conclude(found[key], verdicts[text])
    known = tuple(text for text in verdicts if public.get(text) in found)
    return Acknowledged(known, tuple(text for text in verdicts if public.get(text) not in found))


def _conclude(message: Message, code: str | None) -> None:
    open_still = rows(Message).filter(pk=message.pk, state__in=_OPEN)
    if code is None:
        written: dict[str, Any] = {"state": Message.State.SENT, "sent_at": Now(), "error": ""}
    else:
        written = {"state": Message.State.REFUSED, "error": code[:200]}
    if code is None and message.state in _OPEN:
        left(message)
    # The owner stays: an acknowledgement that comes again finds its message.
    if open_still.update(lease_until=None, **written):
        note("message.acknowledged", message=message.pk, session=message.session_id)


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except (ValueError, AttributeError, TypeError):
        return None
