"""What a turn gives back (spec: engine.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from falai_engine.model import Usage
from falai_engine.records.outcomes import CODE_MESSAGES, Outcome
from falai_engine.records.session import Run, Session

__all__ = ["EndedRun", "OutgoingMessage", "ScheduledWake", "SkippedStart", "StartedRun", "TurnResult"]


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message to send. `kind`: `ai` or `verbatim`; `after_ms`: how long to wait after the message before it."""

    text: str
    kind: str
    after_ms: int
    key: str
    run_id: str | None = None
    step_id: str | None = None
    media: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ScheduledWake:
    """Send `{wake: key}` at `at` (ISO 8601); `replaces` names the wake that this one makes void."""

    key: str
    at: str
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that started this turn."""

    run_id: str
    flow_id: str
    anchor: str
    dedupe_key: str


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run as it stood when it ended, and why: end, reset, flow, replaced, skipped or failed."""

    run: Run
    reason: str


@dataclass(frozen=True, slots=True)
class SkippedStart:
    """A flow that did not start."""

    flow_id: str
    anchor: str
    trigger_key: str
    code: str

    @property
    def message(self) -> str | None:
        """The sentence for the code."""
        return CODE_MESSAGES.get(self.code)


@dataclass(slots=True)
class TurnResult:
    """Send `messages`, schedule `schedule`, and when `changed` save `session` with its version check."""

    session: Session
    changed: bool = False
    messages: list[OutgoingMessage] = field(default_factory=list)
    schedule: list[ScheduledWake] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    started: list[StartedRun] = field(default_factory=list)
    ended: list[EndedRun] = field(default_factory=list)
    skipped: list[SkippedStart] = field(default_factory=list)
    llm_calls: int = 0
    usage: Usage | None = None
