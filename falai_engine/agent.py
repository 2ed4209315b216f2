"""The agent: immutable configuration, built once, serving every session from any thread (engine.md 1 and 2)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from falai_engine.compiled.compile import Parts, compile_field, compile_flow, compile_instruction
from falai_engine.compiled.parts import CompiledField, CompiledFlow, CompiledIdle, CompiledTrigger
from falai_engine.drive import StreamItem, adrive, adrive_stream, drive, drive_stream
from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import Field, Flow, Idle, Instruction, Variable
from falai_engine.model import Provider
from falai_engine.needs import Steps
from falai_engine.phases.compaction import Compaction
from falai_engine.phases.silence import pending_wakes
from falai_engine.prompts import identity_text, knowledge_text
from falai_engine.records.decode import turn_input_from_json
from falai_engine.records.inputs import Anchor, CrossClaims, TurnInput, WakeInput
from falai_engine.records.results import ScheduledWake, TurnResult
from falai_engine.records.session import Session
from falai_engine.registry import Action, BusinessHours, ConditionDefinition, Event, Tool
from falai_engine.spec import flow_from_spec
from falai_engine.templates import Scope, compile_template
from falai_engine.times import moment
from falai_engine.turn import new_turn, turn_steps
from falai_engine.update_state import StateUpdates, UpdateStateAction, UpdateStateTool, bind_updates
from falai_engine.validation import Problem, validate_agent
from falai_engine.values import MISSING

__all__ = ["Agent"]

_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NO_TRIGGER: Final = CompiledTrigger("silence", "once", 0, None)
DEFAULT_TOOL_LOOPS: Final = 5


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Agent:
    """Everything that does not change from turn to turn. Building one validates and compiles it.

    Flows are `Flow` values or specs (flow-spec.md). Raises FlowConfigurationError on the first problem; use
    `falai_engine.validation` to see all of them. `warnings`: those of `validate_agent`, when it was asked already.
    Attributes are read-only by convention: many threads share them.
    """

    def __init__(  # noqa: PLR0913 - the parts of an agent, all by name
        self,
        *,
        provider: Provider,
        name: str = "",
        goal: str | None = None,
        persona: str | None = None,
        knowledge_base: Any = None,
        locale: str | None = None,
        timezone: str | None = None,
        fields: Mapping[str, Field] | None = None,
        variables: Mapping[str, Variable] | None = None,
        flows: Sequence[Flow | Mapping[str, Any]] = (),
        actions: Mapping[str, Action | UpdateStateAction] | None = None,
        events: Mapping[str, Event] | None = None,
        conditions: Mapping[str, ConditionDefinition] | None = None,
        tools: Sequence[Tool | UpdateStateTool] = (),
        instructions: Sequence[Instruction] = (),
        idle: Idle | Literal["silent"] | None = None,
        max_tool_loops: int = DEFAULT_TOOL_LOOPS,
        compaction: Compaction | None = None,
        business_hours: BusinessHours | None = None,
        clock: Callable[[], datetime] = _utc_now,
        warnings: Sequence[Problem] | None = None,
    ) -> None:
        document = {
            "name": name,
            "goal": goal,
            "persona": persona,
            "timezone": timezone,
            "locale": locale,
            "fields": fields,
            "variables": variables,
            "flows": list(flows),
            "events": events,
            "actions": actions,
            "conditions": conditions,
            "tools": list(tools),
            "instructions": list(instructions),
            "idle": idle,
            "maxToolLoops": max_tool_loops,
            "compaction": compaction,
        }
        self.warnings = tuple(validate_agent(document) if warnings is None else warnings)
        self.provider = provider
        self.provider_name = provider.name
        self.name = name
        self.locale = locale
        self.business_hours = business_hours
        self.clock = clock
        self.max_tool_loops = max_tool_loops
        self.compaction = compaction
        self.events = dict(events or {})
        self._zone = _zone(timezone)
        self._zone_name = timezone or "UTC"
        self._compile_words(name, goal, persona, knowledge_base)
        self._compile_registries(fields or {}, variables or {}, actions or {}, conditions or {}, tools)
        self._compile_flows([each if isinstance(each, Flow) else flow_from_spec(each) for each in flows])
        self.instructions = tuple(compile_instruction(each, self._parts.conditions) for each in instructions)
        self.idle = self._compile_idle(Idle() if idle is None else idle)

    # -- building

    def _compile_words(self, name: str, goal: str | None, persona: str | None, knowledge: Any) -> None:
        """The system message is fixed; a templated persona or goal goes to the head of each prompt instead."""
        self._persona = compile_template(persona or "")
        self._goal = compile_template(goal or "")
        self._identity_varies = self._persona.parts is not None or self._goal.parts is not None
        fixed = "" if self._identity_varies else identity_text(name, self._persona.text, self._goal.text)
        self.system = "\n\n".join(filter(None, [fixed, knowledge_text(knowledge)])) or None

    def _compile_registries(
        self,
        fields: Mapping[str, Field],
        variables: Mapping[str, Variable],
        actions: Mapping[str, Action | UpdateStateAction],
        conditions: Mapping[str, ConditionDefinition],
        tools: Sequence[Tool | UpdateStateTool],
    ) -> None:
        self.fields: Mapping[str, CompiledField] = {slug: compile_field(slug, each) for slug, each in fields.items()}
        self.variables = dict(variables)
        self.initials = {slug: each.initial for slug, each in variables.items() if each.initial is not None}
        self.shown: tuple[tuple[str, str | None], ...] = (
            *[(slug, each.label) for slug, each in fields.items()],
            *[(slug, None) for slug, each in variables.items() if each.shown],
        )
        declared: dict[str, Field | Variable] = {**variables, **fields}
        self._parts = Parts(
            self.fields,
            {name: _bound(each, name, declared) for name, each in actions.items()},
            dict(conditions),
            {each.id: _bound(each, each.id, declared) for each in tools},
        )

    def _compile_flows(self, flows: Sequence[Flow]) -> None:
        self.flows: Mapping[str, CompiledFlow] = {flow.id: compile_flow(flow, self._parts) for flow in flows}
        every = list(self.flows.values())
        self.routed_flows = tuple(flow for flow in every if flow.routing is not None)
        self.catch_all_flows = tuple(flow for flow in every if flow.catch_all is not None)
        self.mention_flows = tuple(flow for flow in every if flow.mention is not None)
        self.silence_flows = tuple(flow for flow in every if flow.silence is not None)
        self.untriggered_silence = _NO_TRIGGER
        self.event_flows: dict[str, list[tuple[CompiledFlow, tuple[CompiledTrigger, ...]]]] = {}
        for flow in every:
            for event in dict.fromkeys(each.event for each in flow.triggers if each.event is not None):
                triggers = tuple(each for each in flow.triggers if each.event == event)
                self.event_flows.setdefault(event, []).append((flow, triggers))

    def _compile_idle(self, idle: Idle | Literal["silent"]) -> CompiledIdle | None:
        if not isinstance(idle, Idle):
            return None
        tools = tuple(self._parts.tools.values()) if idle.tools is None else self._parts.pick_tools(idle.tools)
        instructions = tuple(compile_instruction(each, self._parts.conditions) for each in idle.instructions or ())
        return CompiledIdle(compile_template(idle.prompt), tools, instructions)

    # -- what prompts need

    def identity(self, scope: Scope) -> str:
        """Who speaks, when it does not stand in the system message."""
        if not self._identity_varies:
            return ""
        return identity_text(self.name, self._persona.render(scope), self._goal.render(scope))

    def today(self, now: int) -> str:
        """Date and time in the agent's time zone."""
        time = moment(now).astimezone(self._zone)
        return f"{_WEEKDAYS[time.weekday()]}, {time.isoformat(' ', 'minutes')[:16]} ({self._zone_name})"

    # -- turns

    def steps(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> Steps[TurnResult]:
        """The turn itself, as a generator of needs (`falai_engine.needs`), for a host that brings everything itself."""
        return turn_steps(self, _typed(given), deadline)

    def turn(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> TurnResult:
        """Take one turn (section 2). `given`: a TurnInput or its JSON; `deadline`: monotonic seconds.

        Raises ProviderError when the understand call fails, DeadlineError when an action or tool is due too late,
        FlowConfigurationError for an async handler or an unknown condition.
        """
        return drive(self.steps(given, deadline), self.provider)

    async def aturn(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> TurnResult:
        """The same, asynchronously; handlers may be async functions."""
        return await adrive(self.steps(given, deadline), self.provider)

    def stream(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> Iterator[StreamItem]:
        """Text of the message while it is phrased, `RESET` where what came is void, and last what `turn` returns."""
        return drive_stream(self.steps(given, deadline), self.provider)

    def astream(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> AsyncIterator[StreamItem]:
        """The same, asynchronously."""
        return adrive_stream(self.steps(given, deadline), self.provider)

    def pending_wakes(
        self,
        session: Session,
        context: Any = MISSING,
        anchors: Mapping[str, Anchor] | None = None,
        claims: CrossClaims | None = None,
    ) -> list[ScheduledWake]:
        """Every wake the session waits for (section 9): of parked runs, then of silence. Changes nothing, no call."""
        given = TurnInput(
            session.id, WakeInput(""), session, context, anchors=anchors or {}, claims=claims or CrossClaims()
        )
        return drive(pending_wakes(new_turn(self, given, None)), self.provider)


T = TypeVar("T", Action, Tool)


def _bound(
    kind: T | UpdateStateAction | UpdateStateTool, name: str, declared: Mapping[str, Field | Variable]
) -> T | StateUpdates:
    return bind_updates(kind, name, declared) if isinstance(kind, UpdateStateAction | UpdateStateTool) else kind


def _typed(given: TurnInput | Mapping[str, Any]) -> TurnInput:
    return given if isinstance(given, TurnInput) else turn_input_from_json(given)


def _zone(name: str | None) -> ZoneInfo | Any:
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise FlowConfigurationError(
            "agent", f"{name!r} is no time zone", 'Use an IANA name, as "America/Sao_Paulo"'
        ) from error
