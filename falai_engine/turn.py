"""The order of a turn, once: compaction, begin, understand, decide, advance, speak, settle, finish (engine.md 2)."""

from __future__ import annotations

from falai_engine.compiled.agent import CompiledAgent
from falai_engine.error_words import shown
from falai_engine.errors import InputError
from falai_engine.needs import Steps
from falai_engine.phases.advance import advance
from falai_engine.phases.begin import begin
from falai_engine.phases.compact import compact
from falai_engine.phases.decide import decide
from falai_engine.phases.finish import finish_turn
from falai_engine.phases.settle import settle
from falai_engine.phases.speak import speak
from falai_engine.phases.state import Turn
from falai_engine.phases.understand import understand
from falai_engine.records.inputs import EventInput, MessageInput, StartInput, TurnInput, check_what
from falai_engine.records.results import TurnResult
from falai_engine.records.session import Session
from falai_engine.times import iso, ms_of

__all__ = ["new_turn", "turn_steps"]


def turn_steps(agent: CompiledAgent, given: TurnInput, deadline: float | None) -> Steps[TurnResult]:
    """One turn as a generator of needs; see `falai_engine.needs`."""
    turn = new_turn(agent, given, deadline)
    yield from compact(turn)
    yield from begin(turn)
    if turn.ignored:
        return turn.result
    if turn.customer is not None:
        yield from understand(turn)
        yield from decide(turn)
    yield from advance(turn)
    yield from speak(turn)
    yield from settle(turn)
    finish_turn(turn)
    return turn.result


def new_turn(agent: CompiledAgent, given: TurnInput, deadline: float | None) -> Turn:
    """The working state, born from a copy of the session."""
    check_what(given.what)
    session = Session(given.session_id) if given.session is None else given.session.copy()
    if session.id != given.session_id:
        raise InputError("session", f"is that of {shown(session.id)}", "Pass the session that sessionId names")
    now = ms_of(agent.clock() if given.now is None else given.now)
    now_iso = iso(now)
    history = given.history if given.history is not None else session.history
    return Turn(
        agent=agent,
        input=given,
        session=session,
        result=TurnResult(session),
        now=now,
        now_iso=now_iso,
        history=() if history is None else history,
        deadline=deadline,
        customer=given.what if isinstance(given.what, MessageInput) else None,
        trigger_key=_trigger_key(given, now_iso),
    )


def _trigger_key(given: TurnInput, now_iso: str) -> str:
    what = given.what
    if isinstance(what, MessageInput):
        return what.id or what.at or now_iso
    return what.key if isinstance(what, EventInput | StartInput) else what.wake
