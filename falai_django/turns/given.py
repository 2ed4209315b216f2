"""A Turn's stored input as the engine's, with all that this turn works from (spec: host.md section 3; engine.md 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Any, Final

from falai_django.conf import settings
from falai_django.merge_patch import merged
from falai_django.models import Anchor as AnchorRow
from falai_django.models import Session as SessionRow
from falai_django.models import TokenCount, Turn
from falai_django.registry import Kind as RegistryKind
from falai_django.registry import registered
from falai_django.rows import rows
from falai_django.silenced import is_silenced
from falai_django.turns.claims import HeldClaims
from falai_django.turns.days import tenant_day
from falai_django.turns.history import history_of, told_text
from falai_django.turns.picking import Picked
from falai_engine import (
    MISSING,
    Anchor,
    EventInput,
    MessageInput,
    Session,
    Silenced,
    StartInput,
    TurnInput,
    WakeInput,
    assert_session,
)
from falai_engine.times import instant, iso, moment, ms_of

__all__ = [
    "LIMIT",
    "LOOP",
    "ContextRequest",
    "Given",
    "context_patches",
    "given_for",
    "session_of",
    "silence_of",
    "turn_time",
    "written_at",
]

Kind = Turn.Kind
LIMIT: Final = "limit"
LOOP: Final = "loop"
_HOUR: Final = timedelta(hours=1)
_UNASKED: Final = frozenset({Kind.WAKE, Kind.EVENT, Kind.START})


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a context provider is told: the slugs of tenant and agent, the session's id, and what is stored of it."""

    tenant: str
    agent: str
    session: str
    kind: str
    context: Mapping[str, Any]
    anchors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Given:
    """What a turn works from. `message`: what `context.message` says; `limited`: the limit that it is over."""

    input: TurnInput
    now: datetime
    claims: HeldClaims
    message: Mapping[str, Any] | None
    limited: str


def turn_time(session: Any) -> datetime:
    """The now of this turn: the database's, in whole milliseconds, never before that of the session's last turn."""
    now = session.now if session.last_now is None else max(session.now, session.last_now)
    return moment(ms_of(now))


def session_of(row: SessionRow) -> Session | None:
    """The engine's session, None before the first save. InvalidSessionError when the blob is none."""
    if row.blob is None:
        return None
    blob = {**row.blob, "version": row.version} if isinstance(row.blob, Mapping) else row.blob
    return assert_session(blob, row.session_id)


def given_for(picked: Picked, claims: HeldClaims) -> Given:
    """Read what is missing: the history, and of anchored sessions when their contacts wrote."""
    row, now = picked.session, turn_time(picked.session)
    message = _message_of(picked) if picked.turn.kind == Kind.MESSAGE else row.last_given.get("message")
    silenced, limited = silence_of(row, picked.turn, now)
    history = picked.turn.input.get("history")
    if history is None:
        history = history_of(row, [each.pk for each in picked.group])
    given = TurnInput(
        row.session_id,
        _WHAT[picked.turn.kind](picked, now),
        session_of(row),
        _context(picked, message),
        history,
        silenced,
        _anchors(row),
        claims.for_engine(),
        now,
    )
    return Given(given, now, claims, message, limited)


# -- what happened


def _message_of(picked: Picked) -> dict[str, Any]:
    """The customer's message; of a group the texts joined by a line, and each message as one of `parts`."""
    parts = [{"id": each.key, **each.input["message"], "text": _text_of(each)} for each in picked.group]
    message = {**parts[-1], "text": "\n".join(part["text"] for part in parts)}
    return message if len(parts) == 1 else {**message, "parts": parts}


def _text_of(turn: Turn) -> str:
    """Its text, or a word for what was sent without one."""
    body = turn.input["message"]
    return told_text(body.get("text", ""), body.get("media"))


def _message(picked: Picked, now: datetime) -> MessageInput:
    return MessageInput(_message_of(picked)["text"], picked.turn.key, written_at(picked, now))


def written_at(picked: Picked, now: datetime) -> str:
    """When the customer wrote: as told, else when it came, whichever lies after the last turn and not ahead."""
    last = picked.session.last_now
    since = None if last is None else ms_of(last)
    for told in (instant(picked.turn.input.get("at")), ms_of(picked.turn.received_at)):
        if told is not None and told <= ms_of(now) and (since is None or told > since):
            return iso(told)
    return iso(ms_of(now))


def _event(picked: Picked, _now: datetime) -> EventInput:
    body = picked.turn.input["event"]
    hop = picked.turn.input.get("hop", 0)
    return EventInput(body["event"], picked.turn.key, body.get("payload", MISSING), hop)


def _start(picked: Picked, _now: datetime) -> StartInput:
    body = picked.turn.input["start"]
    return StartInput(body["flow"], picked.turn.key, body.get("input", MISSING), picked.turn.input.get("hop", 0))


_WHAT: Final[Mapping[str, Callable[[Picked, datetime], Any]]] = {
    Kind.MESSAGE: _message,
    Kind.EVENT: _event,
    Kind.START: _start,
    Kind.WAKE: lambda picked, now: WakeInput(picked.turn.input["wake"]),
}


# -- what is given along


def context_patches(picked: Picked) -> list[Mapping[str, Any]]:
    """What the requests of a turn say of the context, in order: of a group each may say something."""
    return [patch for each in picked.group if (patch := each.input.get("context"))]


def _context(picked: Picked, message: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is stored, then what providers say now, then what the request said."""
    row, turn = picked.session, picked.turn
    context: dict[str, Any] = dict(row.context)
    tenant = row.agent.tenant.slug
    for provider in registered(RegistryKind.CONTEXT_PROVIDER, tenant).values():
        asked = ContextRequest(tenant, row.agent.slug, row.session_id, turn.kind, context, row.anchors)
        context = merged(context, provider.value(asked) or {})
    context = reduce(merged, context_patches(picked), context)
    return context if message is None else {**context, "message": message}


def _anchors(row: SessionRow) -> dict[str, Anchor]:
    """By name, each with when its contact last wrote anywhere. One query, none without anchors."""
    if not row.anchors:
        return {}
    found = rows(AnchorRow).filter(agent=row.agent, name__in=list(row.anchors), key__in=list(row.anchors.values()))
    heard = {(each.name, each.key): each.last_inbound_at for each in found}
    return {name: Anchor(key, _iso(heard.get((name, key)))) for name, key in row.anchors.items()}


def _iso(time: datetime | None) -> str | None:
    return None if time is None else iso(ms_of(time))


# -- whether it may speak


def silence_of(row: SessionRow, turn: Turn, now: datetime) -> tuple[Silenced | None, str]:
    """Why this turn may not speak, and the limit that is why."""
    limited, stored = _limit(row, turn, now), turn.input
    if limited == LIMIT:
        return Silenced(LIMIT), LIMIT
    own = stored.get("silenced")
    if own is not None:
        reason, understand = (own, False) if isinstance(own, str) else (own["reason"], own.get("understand") is True)
        return Silenced(reason, understand), ""
    if row.silenced is not None and is_silenced(row, now):
        return Silenced(row.silenced), ""
    return (Silenced(LOOP), LOOP) if limited else (None, "")


def _limit(row: SessionRow, turn: Turn, now: datetime) -> str:
    agent = row.agent
    per_hour = agent.turns_per_hour or settings().turns_per_hour
    if row.counted_from is not None and now - row.counted_from < _HOUR and row.counted_turns >= per_hour:
        return LIMIT
    if _tokens_are_spent(row, now):
        return LIMIT
    in_a_row = agent.unanswered_in_a_row or settings().unanswered_in_a_row
    return LOOP if turn.kind in _UNASKED and not turn.input.get("inbound") and row.unanswered >= in_a_row else ""


def _tokens_are_spent(row: SessionRow, now: datetime) -> bool:
    tenant = row.agent.tenant
    if tenant.tokens_per_day is None:
        return False
    count = rows(TokenCount).filter(tenant=tenant, day=tenant_day(tenant, now))
    spent = count.values_list("tokens", flat=True).first()
    return (spent or 0) >= tenant.tokens_per_day
