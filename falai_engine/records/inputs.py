"""What a turn is given (spec: engine.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from falai_engine.model import HistoryItem
from falai_engine.records.session import Session
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
