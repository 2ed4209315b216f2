"""Business hours: moving a time to when the host is open (spec: engine.md section 11)."""

from __future__ import annotations

from datetime import datetime

from falai_engine.compiled.conditions import is_async
from falai_engine.errors import FlowConfigurationError
from falai_engine.needs import Await, Raised, Steps
from falai_engine.phases.state import Turn
from falai_engine.times import moment, ms_of
from falai_engine.values import MISSING

__all__ = ["opening_after"]


def opening_after(turn: Turn, at: int) -> Steps[int]:
    """The instant itself when open, else the next opening; without business hours on the agent, the instant."""
    hours = turn.agent.business_hours
    if hours is None:
        return at
    context = None if turn.input.context is MISSING else turn.input.context
    time = hours(moment(at), {"context": context})
    if is_async(time):
        time = yield Await(time, "business hours")
    if isinstance(time, Raised):
        raise time.error
    if not isinstance(time, datetime):
        raise FlowConfigurationError("business hours", f"returned {type(time).__name__}", "Return a datetime")
    return ms_of(time)
