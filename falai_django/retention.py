"""What is old enough to be forgotten (spec: host.md section 4): Turns, and after them transcripts.

Never what is still to be run or to leave, and never a session's state: that is for closing and erasing.
"""

from __future__ import annotations

from typing import Final

from falai_django.conf import settings
from falai_django.databases import now_and
from falai_django.journal import note
from falai_django.models import Message, Turn
from falai_django.outbox.queue import WAITING
from falai_django.rows import rows

__all__ = ["forget_old"]

_BATCH: Final = 500
_DAY_SECONDS: Final = 86_400


def forget_old() -> int:
    """Delete a batch of each; how many rows went. Receipts go with their Turn, a message stays without it."""
    days = settings()
    turns = rows(Turn).filter(received_at__lte=now_and(-days.retention_turn_days * _DAY_SECONDS))
    ended = turns.exclude(state=Turn.State.RECEIVED).order_by("received_at").values_list("pk", flat=True)
    messages = rows(Message).filter(created_at__lte=now_and(-days.retention_message_days * _DAY_SECONDS))
    settled = messages.exclude(state__in=WAITING).order_by("created_at").values_list("pk", flat=True)
    old_turns, old_messages = list(ended[:_BATCH]), list(settled[:_BATCH])
    if old_turns:
        rows(Turn).filter(pk__in=old_turns).delete()
    if old_messages:
        rows(Message).filter(pk__in=old_messages).delete()
    count = len(old_turns) + len(old_messages)
    if count:
        note("retention.forgot", turns=len(old_turns), messages=len(old_messages))
    return count
