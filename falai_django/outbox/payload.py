"""A message as senders get it (spec: host.md section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from falai_engine.times import iso, ms_of

__all__ = ["Outgoing", "outgoing_of", "payload"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is to be sent. A message that comes again has the same `id`: a receiver drops what it has seen.

    `direction`: `out` to the customer, `notice` to `recipient`, somebody of the team. `author`: `assistant` or `human`;
    `kind`: `ai`, `verbatim` or empty. `sequence` grows within a session. `anchors` and `context` are the session's, as
    stored. `attempt` counts from 1; `tried_at` is when it began, by the database's clock.
    """

    id: str
    tenant: str
    agent: str
    session: str
    sequence: int
    direction: str
    author: str
    kind: str
    text: str
    media: Any
    recipient: str
    anchors: Mapping[str, Any]
    context: Mapping[str, Any]
    created_at: datetime
    attempt: int
    tried_at: datetime


def outgoing_of(message: Any) -> Outgoing:
    """The value of a Message, read with the database's time as its `now`, and best with session, agent and tenant."""
    session = message.session
    return Outgoing(
        id=str(message.public_id),
        tenant=session.agent.tenant.slug,
        agent=session.agent.slug,
        session=session.session_id,
        sequence=message.seq,
        direction=message.direction,
        author=message.author,
        kind=message.kind,
        text=message.text,
        media=message.media,
        recipient=message.recipient,
        anchors=session.anchors,
        context=session.context,
        created_at=message.created_at,
        attempt=message.attempts,
        tried_at=message.now,
    )


def payload(message: Outgoing) -> dict[str, Any]:
    """The JSON that a webhook and a poll get: the same each time it comes. The context stays with us."""
    told = {
        "id": message.id,
        "tenant": message.tenant,
        "agent": message.agent,
        "session": message.session,
        "sequence": message.sequence,
        "direction": message.direction,
        "author": message.author,
        "kind": message.kind,
        "text": message.text,
        "media": message.media,
        "recipient": message.recipient,
        "anchors": message.anchors,
        "createdAt": iso(ms_of(message.created_at)),
    }
    return {name: value for name, value in told.items() if value not in (None, "")} | {"text": message.text}
