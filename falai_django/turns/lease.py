"""Who may run the turns of a session now: at most one (spec: host.md section 3).

A lease is time on the session's row, by the database's clock. It is taken anew for each turn, never within one; a
process that died leaves one that expires, and its turn is run again.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from django.db.models import BigIntegerField, Case, CharField, DateTimeField, F, Q, Value, When

from falai_django.databases import Now, now_and
from falai_django.models import Session
from falai_django.prepared import Slot, update

__all__ = ["NO_QUEUE", "RELEASED", "Held", "let_go", "new_owner", "slots_of_release", "take_lease"]

NO_QUEUE: Final = -1
"""A `queue_seq` that no queue has: due now."""

_NOW: Final = Now()
_OWNER: Final = Slot("owner", CharField())
_FREE: Final = Q(lease_until=None) | Q(lease_until__lte=_NOW) | Q(lease_owner=_OWNER)
_SEEN: Final = When(queue_seq=Slot("seen", BigIntegerField()), then=Slot("due_behind", DateTimeField()))
_NEVER: Final = Value(None, DateTimeField())
RELEASED: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "due": Case(_SEEN, default=_NOW, output_field=DateTimeField()),
        "lease_until": Case(
            When(lease_owner=_OWNER, then=_NEVER), default=F("lease_until"), output_field=DateTimeField()
        ),
        "lease_owner": Case(When(lease_owner=_OWNER, then=Value("")), default=F("lease_owner")),
    }
)
"""The columns of a session whose lease its owner gives back, and when its queue is due next."""


@dataclass(frozen=True, slots=True)
class Held:
    """A lease that the door took for a Turn that its caller runs at once. `looked`: when it read the row, monotonic."""

    owner: str
    looked: float


def new_owner() -> str:
    """A name for one drainer."""
    return uuid.uuid4().hex


def take_lease(session_pk: int, owner: str, seconds: float) -> bool:
    """Take it for so long, when something is due and the lease is free, expired, or this owner's."""
    where = {"pk": session_pk, "due__lte": _NOW, "erasing_at__isnull": True}
    columns = {"lease_owner": owner, "lease_until": now_and(seconds)}
    return update(Session, where, columns, _FREE, owner=owner) == 1


def slots_of_release(owner: str, queue_seq: int, due: datetime | None) -> dict[str, Any]:
    """What RELEASED is filled with.

    `due` is right for the queue as it was at `queue_seq`; when something has joined it since, it is due now: whoever
    looks finds out. Another's lease stays.
    """
    return {"owner": owner, "seen": queue_seq, "due_behind": due}


def let_go(session_pk: int, owner: str, queue_seq: int, due: datetime | None) -> int:
    """Give the lease back without having run anything; 0 when it was another's already."""
    where = {"pk": session_pk, "lease_owner": owner}
    return update(Session, where, RELEASED, **slots_of_release(owner, queue_seq, due))
