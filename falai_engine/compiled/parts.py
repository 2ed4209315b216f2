"""What an agent is made of once it is built: nothing here changes or is worked out again in a turn.

Texts are templates, durations milliseconds, names resolved, `then` always a target (style.md, "compile once").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from falai_engine.compiled.conditions import Condition
from falai_engine.flows import OnEnd
from falai_engine.registry import Action, Tool
from falai_engine.templates import Scope, Template
from falai_engine.update_state import StateUpdates
from falai_engine.values import MISSING, Coerced

__all__ = [
    "ActionStep",
    "CompiledBranch",
    "CompiledField",
    "CompiledFlow",
    "CompiledIdle",
    "CompiledInstruction",
    "CompiledStep",
    "CompiledTrigger",
    "EventStep",
    "ForkStep",
    "SayStep",
    "TalkStep",
    "Target",
    "TimerStep",
]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a run goes. Neither `step` nor `chain`: the flow finishes. `text` is what an outcome line says of it."""

    text: str | None = None
    step: str | None = None
    clear: tuple[str, ...] = ()
    chain: Template | None = None
    chain_input: Any = MISSING


@dataclass(frozen=True, slots=True)
class CompiledField:
    """A field with its coercion and its property on the wire; a variable has `anywhere` False and `variable` True."""

    slug: str
    type: str
    enum: tuple[Any, ...] | None
    label: str | None
    description: str | None
    ask: Template | None
    anywhere: bool
    legal: bool
    leaf: Mapping[str, Any]
    coerce: Callable[[Any], Coerced]


@dataclass(frozen=True, slots=True)
class CompiledInstruction:
    """`[kind] [Always] prompt (apply only when: a OR b)`, with the prompt still a template."""

    head: str
    prompt: Template
    tail: str
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class CompiledBranch:
    """A way out of a step; `when` or `condition`."""

    index: int
    when: Template | None
    condition: Condition | None
    target: Target


@dataclass(frozen=True, slots=True)
class CompiledTrigger:
    """A trigger; `cooldown_ms` counts only when `repeat` is `cooldown`."""

    kind: str
    repeat: str
    cooldown_ms: int
    condition: Condition | None
    phrases: tuple[Template, ...] = ()
    excludes: tuple[Template, ...] = ()
    extract: Mapping[str, Mapping[str, Any]] | None = None
    silence_ms: int = 0
    event: str | None = None
    after_ms: int | None = None
    business_hours: bool = False


@dataclass(frozen=True, slots=True)
class TalkStep:
    """A `prompt` or `collect` step."""

    id: str
    kind: str
    then: Target
    prompt: Template | None
    question: Template | None
    collect: tuple[CompiledField, ...]
    asks: Mapping[str, Template]
    max_asks: int
    branches: tuple[CompiledBranch, ...]
    tools: tuple[Tool | StateUpdates, ...]
    instructions: tuple[CompiledInstruction, ...]


@dataclass(frozen=True, slots=True)
class SayStep:
    """A fixed text."""

    id: str
    kind: str
    then: Target
    say: Template
    media: Mapping[str, Any] | None
    once: bool


@dataclass(frozen=True, slots=True)
class ActionStep:
    """A `do`; `action` is None when nothing of that name is registered."""

    id: str
    kind: str
    then: Target
    name: str
    action: Action | StateUpdates | None
    params: Callable[[Scope], Any]
    on_fail: Target


@dataclass(frozen=True, slots=True)
class TimerStep:
    """A wait for a time; `inline` when it is short and a message follows."""

    id: str
    kind: str
    then: Target
    wait_ms: int
    business_hours: bool
    otherwise: Target | None
    branches: tuple[CompiledBranch, ...]
    inline: bool


@dataclass(frozen=True, slots=True)
class EventStep:
    """A wait for an event."""

    id: str
    kind: str
    then: Target
    event: str
    up_to_ms: int
    otherwise: Target


@dataclass(frozen=True, slots=True)
class ForkStep:
    """An `if`."""

    id: str
    kind: str
    then: Target
    condition: Condition
    otherwise: Target


@dataclass(frozen=True, slots=True)
class CompiledIdle:
    """The idle speaker, ready."""

    prompt: Template
    tools: tuple[Tool | StateUpdates, ...]
    instructions: tuple[CompiledInstruction, ...]


CompiledStep: TypeAlias = TalkStep | SayStep | ActionStep | TimerStep | EventStep | ForkStep


@dataclass(slots=True)
class CompiledFlow:
    """A flow ready to run. Trigger slots hold the one trigger that is judged; `fields` is what it collects."""

    id: str
    title: str
    legal: bool
    description: Template
    anchor: str | None
    steps: tuple[CompiledStep, ...]
    by_id: Mapping[str, CompiledStep]
    on_end: OnEnd
    clear_on_start: tuple[str, ...]
    while_: Condition | None
    instructions: tuple[CompiledInstruction, ...]
    triggers: tuple[CompiledTrigger, ...]
    fields: tuple[CompiledField, ...]
    first_step_fields: frozenset[str]
    last_talk: str | None
    routing: CompiledTrigger | None = None
    catch_all: CompiledTrigger | None = None
    message: CompiledTrigger | None = None
    mention: CompiledTrigger | None = None
    silence: CompiledTrigger | None = None
    extract: Mapping[str, Mapping[str, Any]] | None = None
    premises: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)
