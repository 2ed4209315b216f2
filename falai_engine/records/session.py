"""The session: everything that is kept of one conversation (spec: engine.md sections 2 and 4).

Records are plain and mutable; a turn works on `Session.copy()` and never touches the one it was given, nor do the
handlers it calls: lists and objects in `data` and `input` are copied along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from falai_engine.records.claims import Claims
from falai_engine.records.outcomes import Outcome
from falai_engine.values import MISSING, unshared

__all__ = ["SESSION_VERSION", "Run", "RunStatus", "RunTrigger", "Session", "Waiting"]

SESSION_VERSION: Final = 4
LINES_KEPT: Final = 50


class RunStatus(StrEnum):
    """`asking` holds the floor; at most one run of a session does."""

    RUNNING = "running"
    ASKING = "asking"
    WAITING = "waiting"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True)
class RunTrigger:
    """What started a run; `payload` is MISSING when it carried none."""

    kind: str
    key: str
    payload: Any = MISSING


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a parked run waits for; times are ISO 8601."""

    kind: str
    key: str
    until: str
    set_at: str
    event: str | None = None


@dataclass(slots=True)
class Run:
    """One live execution of a flow. `asked` counts the asks of each field, `visits` the entries of each step."""

    id: str
    flow_id: str
    anchor: str
    dedupe_key: str
    trigger: RunTrigger
    hop: int
    started_at: str
    step_id: str | None = None
    status: str = RunStatus.RUNNING
    input: Any = MISSING
    asked: dict[str, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    suspended_at: str | None = None
    waiting: Waiting | None = None
    staying: bool = False

    def log(self, line: Outcome) -> None:
        """Write a line; the last 50 are kept."""
        self.outcomes.append(line)
        if len(self.outcomes) > LINES_KEPT:
            del self.outcomes[:-LINES_KEPT]

    def copy(self) -> Run:
        """A run that may be changed without touching this one."""
        return Run(
            self.id,
            self.flow_id,
            self.anchor,
            self.dedupe_key,
            self.trigger,
            self.hop,
            self.started_at,
            self.step_id,
            self.status,
            unshared(self.input),
            self.asked.copy(),
            self.visits.copy(),
            self.outcomes.copy(),
            self.suspended_at,
            self.waiting,
            self.staying,
        )


@dataclass(slots=True)
class Session:
    """One conversation. `history` and `metadata` are the host's; the engine hands them on unchanged."""

    id: str
    version: int = 0
    data: dict[str, Any] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    claims: Claims = field(default_factory=Claims)
    inputs: list[str] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    history: list[Mapping[str, Any]] | None = None
    last_user_at: str | None = None
    last_assistant_at: str | None = None

    def copy(self) -> Session:
        """A session that may be changed without touching this one."""
        return Session(
            self.id,
            self.version,
            {slug: unshared(value) for slug, value in self.data.items()},
            [run.copy() for run in self.runs],
            self.claims.copy(),
            self.inputs.copy(),
            self.metadata,
            self.history,
            self.last_user_at,
            self.last_assistant_at,
        )
