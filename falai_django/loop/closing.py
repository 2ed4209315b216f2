"""Conversations in which nothing happened for long are closed (spec: host.md section 3, Close)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, Subquery

from falai_django.databases import now_and, own_transaction
from falai_django.errors import InputRefusedError
from falai_django.hints import hint
from falai_django.inbox.door import lock_session, receive
from falai_django.inbox.inputs import close
from falai_django.journal import note
from falai_django.models import Agent, Session, SessionRun, Turn
from falai_django.rows import rows, write_alias

__all__ = ["close_idle"]

_BATCH: Final = 50
_READ: Final = ("session_id", "epoch", "last_activity_at")
_DAY_SECONDS: Final = 86_400


def close_idle(stopping: Callable[[], bool]) -> int:
    """Put a close into the queue of sessions that are idle for their agent's `close_after_days`; of how many."""
    closed = 0
    closing = rows(Agent).filter(close_after_days__isnull=False, is_active=True, tenant__is_active=True)
    for agent in closing.select_related("tenant"):
        for session in _idle(agent):
            if stopping():
                return closed
            closed += _close(agent, session)
    return closed


def _close(agent: Agent, session: Any) -> bool:
    """Unless something has happened since it was read: a message that came meanwhile opens it, another close is one."""
    try:
        with own_transaction(write_alias()):
            locked = lock_session(agent, session.session_id, is_made=False)
            since = rows(Turn).filter(session=locked, pk__gt=session.last_turn or 0)
            if locked.last_activity_at > session.last_activity_at or since.exists():
                return False
            receive(locked, close(key=f"idle:{session.epoch}:{session.last_turn or 0}"))
            hint("sessions")
    except InputRefusedError as refusal:
        # It is being erased by now.
        note("session.not_closed", session=session.pk, code=str(refusal.code))
        return False
    note("session.closing", session=session.pk)
    return True


def _idle(agent: Agent) -> list[Any]:
    """Nothing happened, nothing waits, no run is parked until later, and it is not closed already."""
    since = now_and(-agent.close_after_days * _DAY_SECONDS)  # type: ignore[operator] # asked for with one
    turns = rows(Turn).filter(session=OuterRef("pk")).order_by("-pk")
    parked = rows(SessionRun).filter(session=OuterRef("pk"), waiting_until__gt=since)
    found = rows(Session).filter(~Exists(parked), agent=agent, last_activity_at__lte=since)
    found = found.filter(due__isnull=True, erasing_at__isnull=True, blob__isnull=False)
    found = found.annotate(last_turn=Subquery(turns.values("pk")[:1]), last_kind=Subquery(turns.values("kind")[:1]))
    still_open = Q(last_kind__isnull=True) | ~Q(last_kind=Turn.Kind.CLOSE)
    return list(found.filter(still_open).order_by("last_activity_at").only(*_READ)[:_BATCH])
