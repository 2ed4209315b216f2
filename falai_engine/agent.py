"""The agent: immutable configuration, built once, serving every session from any thread (engine.md 1 and 2)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Unpack

from falai_engine.compiled.agent import AgentParts, CompiledAgent
from falai_engine.drive import StreamItem, adrive, adrive_stream, drive, drive_stream
from falai_engine.errors import FlowConfigurationError
from falai_engine.given_parts import spec_document, typed_parts, with_functions
from falai_engine.model import Provider
from falai_engine.needs import Steps
from falai_engine.phases.silence import pending_wakes
from falai_engine.records.decode import turn_input_from_json
from falai_engine.records.inputs import Anchor, CrossClaims, TurnInput, WakeInput
from falai_engine.records.results import ScheduledWake, TurnResult
from falai_engine.records.session import Session
from falai_engine.turn import new_turn, turn_steps
from falai_engine.validation import Problem, validate_agent
from falai_engine.values import MISSING

__all__ = ["Agent"]


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
        given = with_functions(parts)
        self.warnings = tuple(validate_agent(spec_document(given)) if warnings is None else warnings)
        if not any(hasattr(provider, call) for call in ("generate", "agenerate", "stream", "astream")):
            raise FlowConfigurationError(
                "agent", "its provider is no Provider", 'Pass one, as make_provider("offline")'
            )
        self.provider = provider
        self.compiled = CompiledAgent(typed_parts(given), provider.name, clock)

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
        return drive(self._pending(session, context, anchors, claims), self.provider)

    async def apending_wakes(
        self,
        session: Session,
        context: Any = MISSING,
        anchors: Mapping[str, Anchor] | None = None,
        claims: CrossClaims | None = None,
    ) -> list[ScheduledWake]:
        """The same, with conditions and business hours that may be async."""
        return await adrive(self._pending(session, context, anchors, claims), self.provider)

    def _pending(
        self, session: Session, context: Any, anchors: Mapping[str, Anchor] | None, claims: CrossClaims | None
    ) -> Steps[list[ScheduledWake]]:
        given = TurnInput(
            session.id, WakeInput(""), session, context, anchors=anchors or {}, claims=claims or CrossClaims()
        )
        return pending_wakes(new_turn(self.compiled, given, None))


def _typed(given: TurnInput | Mapping[str, Any]) -> TurnInput:
    return given if isinstance(given, TurnInput) else turn_input_from_json(given)
