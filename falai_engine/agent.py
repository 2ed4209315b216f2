"""The agent: immutable configuration, built once, serving every session from any thread (engine.md 1 and 2)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Unpack

from falai_engine.compiled.agent import AgentParts, CompiledAgent
from falai_engine.drive import StreamItem, adrive, adrive_stream, drive, drive_stream
from falai_engine.model import Provider
from falai_engine.needs import Steps
from falai_engine.phases.silence import pending_wakes
from falai_engine.records.decode import turn_input_from_json
from falai_engine.records.inputs import Anchor, CrossClaims, TurnInput, WakeInput
from falai_engine.records.results import ScheduledWake, TurnResult
from falai_engine.records.session import Session
from falai_engine.registry import as_action, as_condition, as_tool
from falai_engine.turn import new_turn, turn_steps
from falai_engine.validation import Problem, validate_agent
from falai_engine.values import MISSING

__all__ = ["Agent"]

_SPEC_NAMES = {"knowledge_base": "knowledgeBase", "max_tool_loops": "maxToolLoops"}
_NOT_IN_SPECS = {"business_hours"}


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Agent:
    """Everything that does not change from turn to turn. Building one validates and compiles it.

    `provider` is the model, `clock` tells the time (UTC now by default); the parts are those of `AgentParts`.
    `warnings`: those of `validate_agent`, when it was asked already. Raises FlowConfigurationError on the first
    problem; `falai_engine.validation` shows all of them.
    """

    def __init__(
        self,
        *,
        provider: Provider,
        clock: Callable[[], datetime] = _utc_now,
        warnings: Sequence[Problem] | None = None,
        **parts: Unpack[AgentParts],
    ) -> None:
        parts = _with_functions(parts)
        self.warnings = tuple(validate_agent(_document(parts)) if warnings is None else warnings)
        self.provider = provider
        self.compiled = CompiledAgent(parts, provider.name, clock)

    def steps(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> Steps[TurnResult]:
        """The turn itself, as a generator of needs (`falai_engine.needs`), for a host that brings everything itself."""
        return turn_steps(self.compiled, _typed(given), deadline)

    def turn(self, given: TurnInput | Mapping[str, Any], deadline: float | None = None) -> TurnResult:
        """Take one turn (section 2). `given`: a TurnInput or its JSON; `deadline`: monotonic seconds.

        Raises ProviderError when the understand call fails, DeadlineError when an action or tool is due too late,
        FlowConfigurationError for an async handler or an unknown condition, InputError or InvalidSessionError for JSON
        that is no turn's input.
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
        return drive(pending_wakes(new_turn(self.compiled, given, None)), self.provider)


def _with_functions(parts: AgentParts) -> AgentParts:
    """Functions given for actions, conditions and tools, as what they stand for."""
    out = parts.copy()
    out["actions"] = {name: as_action(each) for name, each in parts.get("actions", {}).items()}
    out["conditions"] = {name: as_condition(each) for name, each in parts.get("conditions", {}).items()}
    out["tools"] = [as_tool(each) for each in parts.get("tools", ())]
    return out


def _document(parts: AgentParts) -> dict[str, Any]:
    """The parts under the names of flow-spec.md, as validation reads them."""
    return {_SPEC_NAMES.get(name, name): part for name, part in parts.items() if name not in _NOT_IN_SPECS}


def _typed(given: TurnInput | Mapping[str, Any]) -> TurnInput:
    return given if isinstance(given, TurnInput) else turn_input_from_json(given)
