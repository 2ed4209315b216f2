"""A conversation in the order in which it happened: what was written, and what each turn did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, Final

from falai_django.failures import failure_words
from falai_django.hiding import Hidden
from falai_django.models import Message, Session, Turn
from falai_django.outcome_words import CODE_WORDS, outcome_words

__all__ = ["Entry", "Timeline", "timeline"]

_TURNS: Final = 50
_LOOSE_MESSAGES: Final = 50
_SETTLED: Final = frozenset({Message.State.RECORDED, Message.State.SENT})


@dataclass(frozen=True, slots=True)
class Entry:
    """A message, or a turn with what happened in it, each in words."""

    at: datetime
    message: Message | None = None
    turn: Turn | None = None
    happened: tuple[str, ...] = ()

    @property
    def trouble(self) -> str:
        """What went wrong with the turn, empty when nothing did."""
        return "" if self.turn is None else failure_words(self.turn.error)

    @property
    def is_delayed(self) -> bool:
        """Whether the message is still to leave, or never did."""
        return self.message is not None and self.message.state not in _SETTLED


@dataclass(frozen=True, slots=True)
class Timeline:
    """`earlier`: the turn that the page before this one ends with; None when this is the first."""

    entries: tuple[Entry, ...]
    earlier: int | None


def timeline(session: Session, hidden: Hidden, before: int | None = None) -> Timeline:
    """The last turns with their messages, oldest first; `before`: those before this turn. Three queries."""
    turns = Turn.objects.filter(session=session).select_related("release").order_by("-pk")
    found: list[Turn] = list((turns if before is None else turns.filter(pk__lt=before))[: _TURNS + 1])
    listed = found[:_TURNS]
    messages = list(Message.objects.filter(session=session, turn__in=[turn.pk for turn in listed]))
    written = {message.turn_id: message.created_at for message in messages}
    loose = Message.objects.filter(session=session, turn=None).order_by("-seq")[:_LOOSE_MESSAGES]
    entries = chain(
        (Entry(message.created_at, message=message) for message in messages),
        (Entry(message.created_at, message=message) for message in (loose if before is None else ())),
        (Entry(_ended(turn, written), turn=turn, happened=_happened(turn, hidden)) for turn in listed),
    )
    return Timeline(_in_order(entries), listed[-1].pk if len(found) > _TURNS else None)


def _in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """By time; at the same time what came in first, then what was written, then what the turn tells of itself."""
    return tuple(sorted(entries, key=lambda entry: (entry.at, entry.message is None, getattr(entry.message, "seq", 0))))


def _ended(turn: Turn, written: Mapping[int | None, datetime]) -> datetime:
    """When it ended; one that is under way stands behind what was written for it."""
    return turn.ended_at or max(turn.received_at, written.get(turn.pk, turn.received_at))


def _happened(turn: Turn, hidden: Hidden) -> tuple[str, ...]:
    lines = tuple(outcome_words(line) for line in _list(hidden.without(turn.outcomes)))
    response = turn.response if isinstance(turn.response, Mapping) else {}
    return lines + tuple(_skipped(start) for start in _list(hidden.without(response.get("skipped"))))


def _skipped(start: Any) -> str:
    if not isinstance(start, Mapping):
        return str(start)
    why = str(CODE_WORDS.get(str(start.get("code")), start.get("code") or ""))
    return f"{start.get('flowId', '')}: {why}"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
