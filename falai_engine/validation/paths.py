"""Which steps lead where: steps that nothing reaches, and circles that nothing leaves (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from falai_engine.flows import END
from falai_engine.spec.places import step_where
from falai_engine.spec.steps import step_kind
from falai_engine.validation.report import Spot

__all__ = ["check_paths"]

LEAVES: Final = -1
"""Stands for the end of the flow and for another flow."""

_RESTS: Final = frozenset({"prompt", "collect", "wait", "waitEvent"})
_ENDS_WITHOUT_ELSE: Final = frozenset({"if", "waitEvent"})


def check_paths(flow: Mapping[str, Any], spot: Spot) -> None:
    """Warn about the steps of a flow that has no error; `spot` is that of its steps."""
    steps: Sequence[Mapping[str, Any]] = flow["steps"]
    exits = _exits(steps)
    reached = _reached_from(_entries(flow, steps), exits)
    for index, step in enumerate(steps):
        if index not in reached:
            spot.item(index).named(step_where(spot.where, step["id"], index)).problem("step-unreachable")
    for index in _circles(steps, exits, reached):
        spot.item(index).named(step_where(spot.where, steps[index]["id"], index)).problem("endless-cycle")


def _entries(flow: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> list[int]:
    """A run enters at the first step; one that stays goes back to a talk step, the last one when it took none."""
    talks = [index for index, step in enumerate(steps) if step_kind(step) in ("prompt", "collect")]
    stays = talks[-1:] if flow.get("onEnd") == "stay" else []
    return [*range(min(1, len(steps))), *stays]


def _exits(steps: Sequence[Mapping[str, Any]]) -> list[frozenset[int]]:
    positions = {step["id"]: index for index, step in reversed(list(enumerate(steps)))}
    return [frozenset(_targets(step, index, positions, len(steps))) for index, step in enumerate(steps)]


def _targets(step: Mapping[str, Any], index: int, positions: Mapping[str, int], count: int) -> Iterator[int]:
    """Where a step may lead. What is absent: `then` is the next step; `else` is the end, or never taken on a timer."""
    yield _position(step["then"], positions) if step.get("then") is not None else _next(index, count)
    for key in ("else", "onFail"):
        if step.get(key) is not None:
            yield _position(step[key], positions)
    if step.get("else") is None and step_kind(step) in _ENDS_WITHOUT_ELSE:
        yield LEAVES
    for branch in step.get("branches") or ():
        yield _position(branch["then"], positions)


def _next(index: int, count: int) -> int:
    return index + 1 if index + 1 < count else LEAVES


def _position(target: Any, positions: Mapping[str, int]) -> int:
    step = target.get("step", END) if isinstance(target, Mapping) else target
    return positions.get(step, LEAVES)


def _reached_from(entries: Sequence[int], exits: Sequence[frozenset[int]]) -> set[int]:
    reached, waiting = set(entries), list(entries)
    while waiting:
        new = exits[waiting.pop()] - reached - {LEAVES}
        reached |= new
        waiting += new
    return reached


def _circles(steps: Sequence[Mapping[str, Any]], exits: Sequence[frozenset[int]], reached: set[int]) -> Iterator[int]:
    """The first step of each circle that a run enters and never leaves, rests in or talks in."""
    doomed = reached - _can_rest(steps, exits)
    told: set[int] = set()
    for index in sorted(doomed):
        beyond = _reached_from(list(exits[index]), exits)
        if index in beyond and index not in told:
            told |= beyond
            yield index


def _can_rest(steps: Sequence[Mapping[str, Any]], exits: Sequence[frozenset[int]]) -> set[int]:
    """The steps from which a run can come to talk, to wait, or to the end."""
    able = {index for index, step in enumerate(steps) if LEAVES in exits[index] or step_kind(step) in _RESTS}
    entered_from: dict[int, list[int]] = {}
    for index, targets in enumerate(exits):
        for target in targets:
            entered_from.setdefault(target, []).append(index)
    waiting = list(able)
    while waiting:
        new = set(entered_from.get(waiting.pop(), ())) - able
        able |= new
        waiting += new
    return able
