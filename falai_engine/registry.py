"""What a host registers with an agent: actions, conditions, tools, events (spec: engine.md 7, 8, 11).

Handlers are plain functions, or async functions when every turn is driven by `aturn` or `astream`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from falai_engine.model import HistoryItem

__all__ = [
    "Action",
    "ActionCall",
    "ActionResult",
    "BusinessHours",
    "ConditionDefinition",
    "ConditionScope",
    "Defer",
    "Event",
    "Failed",
    "Invalid",
    "Ok",
    "RunView",
    "Skipped",
    "Tool",
    "ToolRequest",
    "ToolResult",
    "as_action",
    "as_condition",
    "as_tool",
    "handler_name",
]


@dataclass(frozen=True, slots=True)
class RunView:
    """What a handler may know of the run it works for."""

    id: str
    flow_id: str
    anchor: str
    step_id: str | None
    started_at: str
    hop: int


@dataclass(frozen=True, slots=True)
class Ok:
    """The action did it. `spoke`: it wrote to the customer itself, which counts as speaking."""

    detail: str | None = None
    spoke: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """There was nothing to do; the flow goes on."""

    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """It did not work; the flow takes `onFail`, else `then`."""

    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Defer:
    """Try the same step again after a duration (`"24h"`)."""

    after: str
    detail: str | None = None


ActionResult: TypeAlias = Ok | Skipped | Failed | Defer


@dataclass(frozen=True, slots=True)
class ActionCall:
    """What an action is told beside its parameters. `set({field: value})` writes data at once; None unsets.

    `key` is the same on a replay of the turn and differs from visit to visit; `now` is the turn's time, UTC.
    """

    context: Any
    data: Mapping[str, Any]
    input: Any
    run: RunView
    key: str
    dedupe_key: str
    silenced: str | None
    now: datetime
    set: Callable[[Mapping[str, Any]], None]
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """`handler(params, call)` returns an ActionResult (or its JSON: `{"ok": true}`), None for Ok; raising is a failure.

    `parameters` as in flow-spec.md `params`; None: undeclared, so that a step may give any.
    """

    handler: Callable[[Mapping[str, Any], ActionCall], Any]
    parameters: Mapping[str, Mapping[str, Any]] | None = field(default_factory=dict)
    description: str | None = None
    idempotent: bool = False
    name: str | None = None


def handler_name(handler: object) -> str:
    """What a callable is called in lines and errors."""
    name = getattr(handler, "__name__", None)
    return name if isinstance(name, str) else type(handler).__name__


def as_action(value: Any) -> Any:
    """A function as the Action it stands for, its parameters undeclared; anything else as it is."""
    if isinstance(value, type) or not callable(value):
        return value
    return Action(value, None, name=handler_name(value))


@dataclass(frozen=True, slots=True)
class ConditionScope:
    """What a condition judges; `data` is read-only, `run` and `input` are None when there is none."""

    context: Any
    data: Mapping[str, Any]
    input: Any
    run: RunView | None
    silenced: str | None
    now: datetime


@dataclass(frozen=True, slots=True)
class ConditionDefinition:
    """`handler(argument, scope)` returns whether it holds; `argument` describes the type (flow-spec.md)."""

    handler: Callable[[Any, ConditionScope], Any]
    argument: Mapping[str, Any] | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A registered event; `direction` inbound counts as the customer writing, outbound as the assistant."""

    direction: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What a tool is told beside its arguments; `run` is None for the idle speaker."""

    context: Any
    data: Mapping[str, Any]
    history: Sequence[HistoryItem]
    run: RunView | None
    now: datetime
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads (`value`, None reads `{"ok":true}`) and fields to write (`data`, as given)."""

    value: Any = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Invalid:
    """A tool's validation refuses the arguments; the model reads why and, when given, better ones."""

    error: str
    corrected_input: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that the model may call.

    `handler(arguments, request)` returns a ToolResult, or a plain value. `validate(arguments, request)` returns None or
    Invalid; `permit(arguments, request)` returns True, or False / a reason. `concurrency_safe` None: as `read_only`.
    """

    id: str
    handler: Callable[[Mapping[str, Any], ToolRequest], Any]
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    read_only: bool = False
    destructive: bool = False
    concurrency_safe: bool | None = None
    idempotent: bool = False
    max_result_size_chars: int | None = None
    validate: Callable[[Mapping[str, Any], ToolRequest], Any] | None = None
    permit: Callable[[Mapping[str, Any], ToolRequest], Any] | None = None


def as_condition(value: Any) -> Any:
    """A function as the condition it stands for; anything else as it is."""
    return ConditionDefinition(value) if callable(value) else value


def as_tool(value: Any) -> Any:
    """A function as the Tool it stands for, named like it; anything else as it is."""
    if isinstance(value, type) or not callable(value):
        return value
    return Tool(id=handler_name(value), handler=value, description=(value.__doc__ or "").strip())


BusinessHours: TypeAlias = Callable[[datetime, Mapping[str, Any]], Any]
"""`f(time, {"context": ...}) -> time`: the same when open, else the next opening. Aware UTC datetimes."""
