"""Who may run the turns of a session now: at most one (spec: host.md section 3).

A lease is time on the session's row, by the database's clock. It is taken anew for each turn, never within one; a
process that died leaves one that expires, and its turn is run again.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Final

from django.db.models import Case, DateTimeField, F, Q, Value, When

from falai_django.databases import Now, now_and
from falai_django.models import Session
from falai_django.rows import rows

__all__ = ["NO_QUEUE", "let_go", "new_owner", "released", "take_lease"]

NO_QUEUE: Final = -1
"""A `queue_seq` that no queue has: due now."""


def new_owner() -> str:
    """A name for one drainer."""
    return uuid.uuid4().hex


def take_lease(session_pk: int, owner: str, seconds: float) -> bool:
    """Take it for so long, when something is due and the lease is free, expired, or this owner's."""
    free = Q(lease_until=None) | Q(lease_until__lte=Now()) | Q(lease_owner=owner)
    due = rows(Session).filter(free, pk=session_pk, due__lte=Now(), erasing_at=None)
    return due.update(lease_owner=owner, lease_until=now_and(seconds)) == 1


def released(owner: str, queue_seq: int, due: datetime | None) -> dict[str, Any]:
    """The columns of a session whose lease this owner gives back, and when its queue is due next.

    `due` is right for the queue as it was at `queue_seq`; when something has joined it since, it is due now: whoever
    looks finds out. Another's lease stays.
    """
    mine = Q(lease_owner=owner)
    return {
        "due": Case(
            When(queue_seq=queue_seq, then=Value(due, DateTimeField())), default=Now(), output_field=DateTimeField()
        ),
        "lease_until": Case(
            When(mine, then=Value(None, DateTimeField())), default=F("lease_until"), output_field=DateTimeField()
        ),
        "lease_owner": Case(When(mine, then=Value("")), default=F("lease_owner")),
    }


def let_go(session_pk: int, owner: str, queue_seq: int, due: datetime | None) -> None:
    """Give the lease back without having run anything."""
    rows(Session).filter(pk=session_pk, lease_owner=owner).update(**released(owner, queue_seq, due))
