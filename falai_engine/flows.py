"""Flows as Python values (spec: flow-spec.md). Frozen; `falai_engine.spec` reads and writes them as JSON.

A condition is a JSON mapping or a predicate `f(scope) -> bool`; an action or tool is named by text or given as a value.
Durations are text (`"24h"`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from falai_engine.registry import Action, ActionCall, ConditionScope, Tool, ToolRequest

__all__ = [
    "END",
    "Branch",
    "Chain",
    "Collect",
    "Cooldown",
    "Do",
    "EventTrigger",
    "Field",
    "Flow",
    "GoTo",
    "Idle",
    "If",
    "Instruction",
    "MentionTrigger",
    "MessageTrigger",
    "OnEnd",
    "Prompt",
    "Repeat",
    "Say",
    "SilenceTrigger",
    "Step",
    "Trigger",
    "Variable",
    "Wait",
    "WaitEvent",
]

END = "end"
"""The reserved target: the flow finishes."""

Predicate: TypeAlias = Callable[[ConditionScope], Any]
Condition: TypeAlias = Mapping[str, Any] | Predicate
ActionFunction: TypeAlias = Callable[[Mapping[str, Any], ActionCall], Any]
ToolFunction: TypeAlias = Callable[[Mapping[str, Any], ToolRequest], Any]
ToolChoice: TypeAlias = str | Tool | ToolFunction
Params: TypeAlias = Mapping[str, Mapping[str, Any]]


class OnEnd(StrEnum):
    """What a flow does when it has no step left."""

    END = "end"
    STAY = "stay"
    RESET = "reset"


class Repeat(StrEnum):
    """Whether a trigger may start its flow again for the same anchor."""

    ONCE = "once"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Cooldown:
    """A trigger may start its flow again when `after` (a duration) has passed since the last start."""

    after: str


@dataclass(frozen=True, slots=True)
class Field:
    """One datum to collect. `extract` None means: `asked` for a boolean, else `anywhere`."""

    type: str
    enum: Sequence[Any] | None = None
    label: str | None = None
    description: str | None = None
    ask: str | None = None
    extract: str | None = None

    @property
    def only_when_asked(self) -> bool:
        """Its value is read from the answer to its own question alone, not from whatever the customer writes."""
        return (self.extract or ("asked" if self.type == "boolean" else "anywhere")) == "asked"


@dataclass(frozen=True, slots=True)
class Variable:
    """State that code and tools keep (spec: update-state.md); `shown` puts it among what the model knows."""

    type: str
    initial: Any = None
    shown: bool = False


@dataclass(frozen=True, slots=True)
class GoTo:
    """Jump to a step after deleting the fields in `clear`."""

    step: str
    clear: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, eq=True)
class Chain:
    """End this run and start another flow. `flow` is a template id; `input` None means not given (the run's own)."""

    flow: str
    input: Any = None


Next: TypeAlias = str | GoTo | Chain


@dataclass(frozen=True, slots=True)
class Branch:
    """A way out of a step: `when` is judged by the model, `if_` by code. Exactly one of the two."""

    then: Next
    when: str | None = None
    if_: Condition | None = None


@dataclass(frozen=True, slots=True)
class Instruction:
    """A rule for what the model phrases. `kind`: must, never or should (the default)."""

    prompt: str
    id: str | None = None
    kind: str | None = None
    when: str | Sequence[str] | None = None
    if_: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTrigger:
    """The customer's message is about one of the phrases; no phrases: a catch-all."""

    phrases: Sequence[str] = ()
    repeat: Repeat | Cooldown | None = None
    if_: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionTrigger:
    """The customer mentions something beside the conversation; no phrases: a detector in code, on every message."""

    phrases: Sequence[str] = ()
    extract: Params | None = None
    repeat: Repeat | Cooldown | None = None
    if_: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceTrigger:
    """The customer has not answered for `after`."""

    after: str
    business_hours: bool | None = None
    repeat: Repeat | Cooldown | None = None
    if_: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTrigger:
    """A registered event arrived, optionally `after` some time."""

    event: str
    after: str | None = None
    business_hours: bool | None = None
    repeat: Repeat | Cooldown | None = None
    if_: Condition | None = None


Trigger: TypeAlias = MessageTrigger | MentionTrigger | SilenceTrigger | EventTrigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A talk step that collects nothing: the model speaks by the guideline."""

    id: str
    prompt: str
    ask: Mapping[str, str] | None = None
    max_asks: int | None = None
    branches: Sequence[Branch] | None = None
    tools: Sequence[ToolChoice] | None = None
    instructions: Sequence[Instruction] | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """A talk step that asks until its fields are known or were asked `max_asks` times (3)."""

    id: str
    collect: Sequence[str]
    prompt: str | None = None
    question: str | None = None
    ask: Mapping[str, str] | None = None
    max_asks: int | None = None
    branches: Sequence[Branch] | None = None
    tools: Sequence[ToolChoice] | None = None
    instructions: Sequence[Instruction] | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Send a fixed text, word for word; `once` a session when set."""

    id: str
    say: str
    media: Mapping[str, Any] | None = None
    once: bool | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Do:
    """Run a host action with rendered parameters."""

    id: str
    do: str | Action | ActionFunction
    with_: Mapping[str, Any] | None = None
    on_fail: Next | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Wait for a time; with `else_`, a reply of the customer ends the wait there."""

    id: str
    wait: str
    business_hours: bool | None = None
    else_: Next | None = None
    branches: Sequence[Branch] | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitEvent:
    """Wait for an event, at most `up_to` (30d), then `else_`."""

    id: str
    event: str
    up_to: str | None = None
    else_: Next | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class If:
    """Fork by code."""

    id: str
    if_: Condition
    else_: Next | None = None
    label: str | None = None
    then: Next | None = None
    ui: Any = None


Step: TypeAlias = Prompt | Collect | Say | Do | Wait | WaitEvent | If


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Triggers, ordered steps, and what happens at the end."""

    id: str
    steps: Sequence[Step]
    name: str | None = None
    description: str | None = None
    on: Sequence[Trigger] | None = None
    anchor: str | None = None
    while_: Condition | None = None
    collect: Sequence[str] | None = None
    clear_on_start: Sequence[str] | None = None
    on_end: OnEnd | None = None
    instructions: Sequence[Instruction] | None = None
    tools: Sequence[ToolChoice] | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """Who answers when no flow does."""

    prompt: str = ""
    tools: Sequence[ToolChoice] | None = None
    instructions: Sequence[Instruction] | None = None
