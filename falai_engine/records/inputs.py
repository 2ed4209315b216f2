"""What a turn is given (spec: engine.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias

from falai_engine.error_words import shown
from falai_engine.errors import InputError
from falai_engine.model import HistoryItem
from falai_engine.records.session import Session
from falai_engine.times import instant
from falai_engine.values import MISSING

__all__ = [
    "Anchor",
    "CrossClaims",
    "EventInput",
    "MessageInput",
    "Silenced",
    "StartInput",
    "TurnInput",
    "WakeInput",
    "check_what",
]


@dataclass(frozen=True, slots=True)
class MessageInput:
    """The customer wrote; `at` (ISO 8601) is when, if not now."""

    message: str
    id: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class WakeInput:
    """A wake that an earlier turn scheduled is due."""

    wake: str


@dataclass(frozen=True, slots=True)
class EventInput:
    """A registered event happened; `key` names this one, `hop` counts the flows that led to it."""

    event: str
    key: str
    payload: Any = MISSING
    hop: int = 0


@dataclass(frozen=True, slots=True)
class StartInput:
    """The host starts a flow."""

    flow: str
    key: str
    input: Any = MISSING
    hop: int = 0


What: TypeAlias = MessageInput | WakeInput | EventInput | StartInput


_TEXTS: Final[Mapping[type, tuple[str, ...]]] = {
    MessageInput: ("message",),
    WakeInput: ("wake",),
    EventInput: ("event", "key"),
    StartInput: ("flow", "key"),
}


def check_what(what: What) -> None:
    """InputError when a part has the wrong type: what is stored once must be readable for ever."""
    texts = _TEXTS.get(type(what))
    if texts is None:
        raise InputError("input", f"is {shown(what)}", "Pass a MessageInput, WakeInput, EventInput or StartInput")
    for name in texts:
        if not isinstance(getattr(what, name), str):
            raise InputError(name, f"is {shown(getattr(what, name))}", f"Give `{name}` as text")
    if isinstance(what, MessageInput):
        if what.id is not None and not isinstance(what.id, str):
            raise InputError("id", f"is {shown(what.id)}", "Give `id` as text, or leave it out")
        if what.at is not None and instant(what.at) is None:
            raise InputError("at", f"is {shown(what.at)}", "Give `at` as an ISO 8601 time, or leave it out")
    hop = getattr(what, "hop", 0)
    if isinstance(hop, bool) or not isinstance(hop, int) or hop < 0:
        raise InputError("hop", f"is {shown(hop)}", "Pass the hop of the run that caused this, a whole number from 0")


@dataclass(frozen=True, slots=True)
class Silenced:
    """The assistant may not speak; with `understand` a message is still judged."""

    reason: str
    understand: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """The host's key for what a flow is about (a lead, a deal), and when its customer last wrote anywhere."""

    key: str
    last_inbound_at: str | None = None


@dataclass(frozen=True, slots=True)
class CrossClaims:
    """Claims and live runs (`flowId:anchor`) of the customer's other sessions."""

    held: Mapping[str, str] = field(default_factory=dict)
    active: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TurnInput:
    """Everything one turn works from; `now` replaces the agent's clock for this turn."""

    session_id: str
    what: What
    session: Session | None = None
    context: Any = MISSING
    history: Sequence[HistoryItem] | None = None
    silenced: Silenced | None = None
    anchors: Mapping[str, Anchor] = field(default_factory=dict)
    claims: CrossClaims = field(default_factory=CrossClaims)
    now: datetime | None = None
