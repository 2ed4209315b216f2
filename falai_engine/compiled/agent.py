"""The compiled agent: what the phases of a turn read of it (spec: engine.md sections 1 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, Literal, TypedDict, TypeVar
from zoneinfo import ZoneInfo

from falai_engine.compaction import Compaction
from falai_engine.compiled.compile import Parts, compile_field, compile_flow, compile_instruction
from falai_engine.compiled.parts import CompiledField, CompiledFlow, CompiledIdle, CompiledTrigger
from falai_engine.flows import (
    ActionFunction,
    Field,
    Flow,
    Idle,
    Instruction,
    Predicate,
    ToolFunction,
    Variable,
)
from falai_engine.prompts import identity_text, knowledge_text
from falai_engine.registry import (
    Action,
    BusinessHours,
    ConditionDefinition,
    Event,
    Tool,
    as_action,
    as_condition,
    as_tool,
)
from falai_engine.spec import flow_from_spec
from falai_engine.templates import Scope, compile_template
from falai_engine.times import moment
from falai_engine.update_state import StateUpdates, UpdateStateAction, UpdateStateTool, bind_updates

__all__ = ["AgentParts", "CompiledAgent"]

_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DEFAULT_TOOL_LOOPS: Final = 5


class AgentParts(TypedDict, total=False):
    """What an agent is configured with; every part may be left out.

    Flows are `Flow` values or specs (flow-spec.md). `locale` is for providers that are no language model, `timezone`
    (IANA, UTC by default) for the date that prompts tell. `idle` is who answers when no flow does. `max_tool_loops`:
    rounds of tool calls in one speaking.
    """

    name: str
    goal: str | None
    persona: str | None
    knowledge_base: str | None
    locale: str | None
    timezone: str | None
    fields: Mapping[str, Field]
    variables: Mapping[str, Variable]
    flows: Sequence[Flow | Mapping[str, Any]]
    actions: Mapping[str, Action | UpdateStateAction | ActionFunction]
    events: Mapping[str, Event]
    conditions: Mapping[str, ConditionDefinition | Predicate]
    tools: Sequence[Tool | UpdateStateTool | ToolFunction]
    instructions: Sequence[Instruction]
    idle: Idle | Literal["silent"]
    max_tool_loops: int
    compaction: Compaction | None
    business_hours: BusinessHours | None


class CompiledAgent:
    """An agent ready to take turns; the parts must be valid. Read-only: many threads share one."""

    def __init__(self, parts: AgentParts, provider_name: str, clock: Callable[[], datetime]) -> None:
        self.provider_name = provider_name
        self.clock = clock
        self.locale = parts.get("locale")
        self.business_hours = parts.get("business_hours")
        self.compaction = parts.get("compaction")
        self.max_tool_loops = parts.get("max_tool_loops", DEFAULT_TOOL_LOOPS)
        self.events = dict(parts.get("events", {}))
        self._compile_zone(parts.get("timezone"))
        self._compile_words(parts)
        self._compile_registries(parts)
        self._compile_flows(parts.get("flows", ()))
        conditions = self._parts.conditions
        self.instructions = tuple(compile_instruction(each, conditions) for each in parts.get("instructions", ()))
        self.idle = self._compile_idle(parts.get("idle", Idle()))

    def _compile_zone(self, name: str | None) -> None:
        self._zone: tzinfo = UTC if name is None else ZoneInfo(name)
        self._zone_name = name or "UTC"

    def _compile_words(self, parts: AgentParts) -> None:
        """The system message is fixed; a templated persona or goal goes to the head of each prompt instead."""
        self._name = parts.get("name", "")
        self._persona = compile_template(parts.get("persona") or "")
        self._goal = compile_template(parts.get("goal") or "")
        self._identity_varies = self._persona.parts is not None or self._goal.parts is not None
        fixed = "" if self._identity_varies else identity_text(self._name, self._persona.text, self._goal.text)
        self.system = "\n\n".join(filter(None, [fixed, knowledge_text(parts.get("knowledge_base") or "")])) or None

    def _compile_registries(self, parts: AgentParts) -> None:
        fields, variables = parts.get("fields", {}), parts.get("variables", {})
        self.fields: Mapping[str, CompiledField] = {slug: compile_field(slug, each) for slug, each in fields.items()}
        self.initials = {slug: each.initial for slug, each in variables.items() if each.initial is not None}
        self.shown: tuple[tuple[str, str | None], ...] = (
            *[(slug, each.label) for slug, each in fields.items()],
            *[(slug, None) for slug, each in variables.items() if each.shown],
        )
        declared: dict[str, Field | Variable] = {**variables, **fields}
        self._parts = Parts(
            self.fields,
            {name: _bound(as_action(each), name, declared) for name, each in parts.get("actions", {}).items()},
            {name: as_condition(each) for name, each in parts.get("conditions", {}).items()},
            {each.id: _bound(each, each.id, declared) for each in map(as_tool, parts.get("tools", ()))},
        )

    def _compile_flows(self, flows: Sequence[Flow | Mapping[str, Any]]) -> None:
        compiled = [
            compile_flow(each if isinstance(each, Flow) else flow_from_spec(each), self._parts) for each in flows
        ]
        self.flows: Mapping[str, CompiledFlow] = {flow.id: flow for flow in compiled}
        self.routed_flows = tuple(flow for flow in compiled if flow.routing is not None)
        self.catch_all_flows = tuple(flow for flow in compiled if flow.catch_all is not None)
        self.mention_flows = tuple(flow for flow in compiled if flow.mention is not None)
        self.silence_flows = tuple(flow for flow in compiled if flow.silence is not None)
        self.event_flows: dict[str, list[tuple[CompiledFlow, tuple[CompiledTrigger, ...]]]] = {}
        for flow in compiled:
            for event in dict.fromkeys(each.event for each in flow.triggers if each.event is not None):
                triggers = tuple(each for each in flow.triggers if each.event == event)
                self.event_flows.setdefault(event, []).append((flow, triggers))

    def _compile_idle(self, idle: Idle | Literal["silent"]) -> CompiledIdle | None:
        if not isinstance(idle, Idle):
            return None
        tools = tuple(self._parts.tools.values()) if idle.tools is None else self._parts.pick_tools(idle.tools)
        instructions = tuple(compile_instruction(each, self._parts.conditions) for each in idle.instructions or ())
        return CompiledIdle(compile_template(idle.prompt), tools, instructions)

    def identity(self, scope: Scope) -> str:
        """Who speaks, when it does not stand in the system message."""
        if not self._identity_varies:
            return ""
        return identity_text(self._name, self._persona.render(scope), self._goal.render(scope))

    def today(self, now: int) -> str:
        """Date and time in the agent's time zone."""
        time = moment(now).astimezone(self._zone)
        return f"{_WEEKDAYS[time.weekday()]}, {time.isoformat(' ', 'minutes')[:16]} ({self._zone_name})"


T = TypeVar("T", Action, Tool)


def _bound(
    kind: T | UpdateStateAction | UpdateStateTool, name: str, declared: Mapping[str, Field | Variable]
) -> T | StateUpdates:
    return bind_updates(kind, name, declared) if isinstance(kind, UpdateStateAction | UpdateStateTool) else kind
