"""The wakes that a silence of the customer will bring (spec: engine.md section 9)."""

from __future__ import annotations

from falai_engine.needs import Steps
from falai_engine.phases.hours import opening_after
from falai_engine.phases.movement import repeat_allows
from falai_engine.phases.state import Turn
from falai_engine.records.results import ScheduledWake
from falai_engine.times import instant, iso

__all__ = ["pending_wakes", "silence_wakes"]


def silence_wakes(turn: Turn) -> Steps[list[tuple[str, str, int]]]:
    """`(flowId, key, instant)` for each flow whose first silence trigger passes; none when the customer wrote last."""
    spoke_at = instant(turn.session.last_assistant_at)
    wrote_at = instant(turn.session.last_user_at)
    if spoke_at is None or (wrote_at is not None and wrote_at > spoke_at):
        return []
    wakes = []
    for flow in turn.agent.silence_flows:
        trigger = flow.silence
        if trigger is None or not (yield from turn.holds(trigger.condition, None)):
            continue
        if not repeat_allows(turn, flow, trigger, str(spoke_at)):
            continue
        at = spoke_at + trigger.silence_ms
        if trigger.business_hours:
            at = yield from opening_after(turn, at)
        wakes.append((flow.id, f"silence:{flow.id}:{turn.session.id}:{spoke_at}", at))
    return wakes


def pending_wakes(turn: Turn) -> Steps[list[ScheduledWake]]:
    """Each parked run's wake, then the silence wakes; what a host that lost its wakes schedules anew."""
    parked = [ScheduledWake(run.waiting.key, run.waiting.until) for run in turn.session.runs if run.waiting is not None]
    silent = yield from silence_wakes(turn)
    return parked + [ScheduledWake(key, iso(at)) for _, key, at in silent]
