"""What a session is about, and when its contact was last heard of (spec: host.md section 3).

Whoever locks several anchors takes them in the order of name and key, and after the session's row: so do the commits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from falai_django.models import Anchor, AnchorSession, Session
from falai_django.rows import rows

__all__ = ["link_anchors", "stamp_anchors"]


def stamp_anchors(session: Session, now: datetime) -> None:
    """The contact was heard of just now. The session's row is locked."""
    if session.anchors:
        made = _anchor_rows(session, session.anchors, now)
        rows(Anchor).bulk_create(
            made, update_conflicts=True, unique_fields=["agent", "name", "key"], update_fields=["last_inbound_at"]
        )


def link_anchors(session: Session, anchors: Mapping[str, str]) -> None:
    """The session is about these, and about none else. Its row is locked."""
    found = _made(session, anchors)
    links = rows(AnchorSession).filter(session=session)
    links.exclude(anchor__in=found).delete()
    wanted = [AnchorSession(anchor=each, session=session) for each in found]
    rows(AnchorSession).bulk_create(wanted, ignore_conflicts=True)


def _made(session: Session, anchors: Mapping[str, str]) -> list[Anchor]:
    """Their rows, locked. Who erases a contact may have taken one between making and locking it: then once more."""
    while True:
        rows(Anchor).bulk_create(_anchor_rows(session, anchors, None), ignore_conflicts=True)
        found = _stored(session, anchors)
        if len(found) == len(anchors):
            return found


def _anchor_rows(session: Session, anchors: Mapping[str, str], now: datetime | None) -> list[Anchor]:
    return [
        Anchor(agent=session.agent, name=name, key=key, last_inbound_at=now) for name, key in sorted(anchors.items())
    ]


def _stored(session: Session, anchors: Mapping[str, str]) -> list[Anchor]:
    candidates = rows(Anchor).filter(agent=session.agent, name__in=list(anchors), key__in=list(anchors.values()))
    candidates = candidates.order_by("name", "key").select_for_update(no_key=True)
    found = [each for each in candidates if anchors.get(each.name) == each.key]
    for each in found:
        each.agent = session.agent
    return found
