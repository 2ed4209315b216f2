"""What is old enough to be forgotten (spec: host.md section 4): tries to send, Turns, and after them transcripts.

Never what is still to be run or to leave, and never a session's state: that is for closing and erasing.
"""

from __future__ import annotations

from typing import Any, Final

from falai_django.conf import settings
from falai_django.databases import now_and
from falai_django.journal import note
from falai_django.models import Delivery, Message, TenantRows, Turn
from falai_django.outbox.queue import WAITING
from falai_django.rows import rows

__all__ = ["forget_old"]

_BATCH: Final = 500
_DAY_SECONDS: Final = 86_400


def forget_old() -> int:
    """Delete a batch of each; how many rows went. Receipts go with their Turn, a message stays without it."""
    days = settings()
    turns = _older(Turn, "received_at", days.retention_turn_days).exclude(state=Turn.State.RECEIVED)
    messages = _older(Message, "created_at", days.retention_message_days).exclude(state__in=WAITING)
    tries = _older(Delivery, "at", days.retention_delivery_days)
    gone_turns, gone_messages, gone_tries = _forget(turns), _forget(messages), _forget(tries)
    count = gone_turns + gone_messages + gone_tries
    if count:
        note("retention.forgot", turns=gone_turns, messages=gone_messages, deliveries=gone_tries)
    return count


def _older(model: Any, column: str, days: int) -> TenantRows:
    """The oldest first."""
    old: TenantRows = rows(model).filter(**{f"{column}__lte": now_and(-days * _DAY_SECONDS)}).order_by(column)
    return old


def _forget(old: TenantRows) -> int:
    keys = list(old.values_list("pk", flat=True)[:_BATCH])
    if keys:
        rows(old.model).filter(pk__in=keys).delete()
    return len(keys)
