"""What a turn asks its driver for (spec: style.md, "the engine asks, the host brings").

A turn is a generator: it yields one of these and is sent the answer. `AskModel` is answered with a ModelReply,
`RunAction` with what the handler returned, `RunTools` with a list of what the handlers returned, in order, `Await` with
what the awaitable gave; a failure is answered with `Raised`, for one run of `RunTools` too. None of them holds a rule.
"""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from falai_engine.model import ModelRequest
from falai_engine.registry import Action, ActionCall, Tool, ToolRequest

__all__ = ["AskModel", "Await", "Need", "Raised", "RunAction", "RunTools", "Steps", "ToolRun"]


@dataclass(frozen=True, slots=True)
class AskModel:
    """One model call. `round` counts the calls of this turn's speaking from 0; None for the other calls."""

    request: ModelRequest
    round: int | None = None


@dataclass(frozen=True, slots=True)
class RunAction:
    """Run a host action; `call.key` is the same on a replay."""

    name: str
    action: Action
    params: Mapping[str, Any]
    call: ActionCall


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One tool call that passed its gates."""

    tool: Tool
    arguments: Mapping[str, Any]
    request: ToolRequest


@dataclass(frozen=True, slots=True)
class RunTools:
    """Tool calls that may run together (one alone when it is not safe)."""

    runs: tuple[ToolRun, ...]


@dataclass(frozen=True, slots=True)
class Await:
    """A condition, gate or business hours function was async; `what` names it."""

    awaitable: Awaitable[Any]
    what: str


@dataclass(frozen=True, slots=True)
class Raised:
    """The answer to a need that failed."""

    error: Exception


Need: TypeAlias = AskModel | RunAction | RunTools | Await
T = TypeVar("T")
Steps: TypeAlias = Generator[Need, Any, T]
"""A part of a turn: yields needs, is sent answers, returns a T."""
