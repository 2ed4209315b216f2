"""What only shows when all flows of an agent are seen together (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from falai_engine.phrases import split_phrases
from falai_engine.spec.places import flow_where, trigger_where
from falai_engine.validation.report import Spot, listed

__all__ = ["check_between_flows"]

_TARGETS = ("then", "else", "onFail")


def check_between_flows(flows: Sequence[Any], sound: Sequence[bool], spot: Spot) -> None:
    """An id used twice; and, of the flows without an error (`sound`), starts that are missing or that collide."""
    _check_ids(flows, spot)
    _check_starts(flows, sound, spot)
    _check_phrases([flow if good else {} for flow, good in zip(flows, sound, strict=True)], spot)


def _check_ids(flows: Sequence[Any], spot: Spot) -> None:
    seen: set[str] = set()
    for index, flow in enumerate(flows):
        flow_id = flow.get("id") if isinstance(flow, Mapping) else None
        if not isinstance(flow_id, str):
            continue
        if flow_id in seen:
            spot.item(index).named(flow_where(flow_id)).at("id").problem("flow-id-twice")
        seen.add(flow_id)


def _check_starts(flows: Sequence[Any], sound: Sequence[bool], spot: Spot) -> None:
    chained = [(flow.get("id"), target) for flow in flows if isinstance(flow, Mapping) for target in _chains(flow)]
    if any("{{" in target for _, target in chained):
        return  # a template can name any flow
    for index, flow in enumerate(flows):
        if not sound[index] or flow.get("on"):
            continue
        if not any(target == flow["id"] and source != target for source, target in chained):
            spot.item(index).named(flow_where(flow["id"])).problem("only-by-hand")


def _chains(flow: Mapping[str, Any]) -> Iterator[str]:
    """The flows that a flow chains to, as written; it may be any JSON object."""
    for step in _objects(flow.get("steps")):
        holders = [
            *(step.get(key) for key in _TARGETS),
            *(branch.get("then") for branch in _objects(step.get("branches"))),
        ]
        for target in holders:
            chained = target.get("flow") if isinstance(target, Mapping) else None
            if isinstance(chained, str):
                yield chained


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, (list, tuple)) else ()
    return (item for item in items if isinstance(item, Mapping))


def _check_phrases(flows: Sequence[Mapping[str, Any]], spot: Spot) -> None:
    """A mention and a message trigger of two flows that share a phrase."""
    routes: dict[str, str] = {}
    for flow in flows:
        for trigger in flow.get("on") or ():
            routes.update({phrase: flow["id"] for phrase in _phrases(trigger.get("message")) if phrase not in routes})
    for index, flow in enumerate(flows):
        for place, trigger in enumerate(flow.get("on") or ()):
            shared = [
                phrase for phrase in _phrases(trigger.get("mention")) if routes.get(phrase, flow["id"]) != flow["id"]
            ]
            if shared:
                at = spot.item(index).at("on").item(place).named(trigger_where(flow_where(flow["id"]), place))
                at.at("mention").problem("phrases-shared", names=listed(shared), flow=f'"{routes[shared[0]]}"')


def _phrases(phrases: Any) -> Iterator[str]:
    counts, _ = split_phrases(phrases or ())
    return (phrase.casefold() for phrase in counts)
