"""How many live runs notice that another release serves (spec: host.md section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count
from django.utils.translation import ngettext

from falai_django.differences import Labels
from falai_django.models import Agent, SessionRun
from falai_django.rows import rows

__all__ = ["TouchedRuns", "touched_runs"]

_TEMPLATE_NAME: Final = re.compile(r"\{\{\s*data\.([^\s}]+)")
Counts = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class TouchedRuns:
    """`count` live runs, and in words what becomes of them. `place` as in `differences.Change`."""

    place: str
    count: int
    sentence: str


def touched_runs(agent: Agent, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[TouchedRuns]:
    """The live runs of an agent that stand where `after` has nothing, or use a field whose type it changes. One query.

    Both are documents of this version; `before` is what serves now, None when nothing does. A run counts once for its
    flow or its step, and once for each such field.
    """
    counted = rows(SessionRun).filter(session__agent=agent).values_list("flow", "step").annotate(count=Count("pk"))
    counts = {(flow, step): count for flow, step, count in counted}
    if not counts:
        return []
    old, new = _flows(before or {}), _flows(after)
    labels = Labels.of(before or after)
    return [
        *_gone_flows(counts, new, labels),
        *_gone_steps(counts, old, new, labels),
        *_retyped_fields(counts, before or {}, after, labels),
    ]


def _flows(document: Mapping[str, Any]) -> dict[str, Any]:
    return {flow["id"]: flow for flow in document.get("flows") or ()}


def _step_ids(flow: Mapping[str, Any]) -> set[str]:
    return {step["id"] for step in flow.get("steps") or ()}


def _gone_flows(counts: Counts, new: Mapping[str, Any], labels: Labels) -> Iterator[TouchedRuns]:
    for flow in sorted({flow for flow, _step in counts} - set(new)):
        count = _in_flow(counts, flow)
        sentence = ngettext(
            "%(count)d live run of flow “%(flow)s” ends with its next turn: the flow is not there any more.",
            "%(count)d live runs of flow “%(flow)s” end with their next turn: the flow is not there any more.",
            count,
        )
        yield TouchedRuns(f"flows.{flow}", count, sentence % {"count": count, "flow": labels.flow(flow)})


def _gone_steps(
    counts: Counts, old: Mapping[str, Any], new: Mapping[str, Any], labels: Labels
) -> Iterator[TouchedRuns]:
    for (flow, step), count in sorted(counts.items()):
        if flow not in new or not step or step in _step_ids(new[flow]):
            continue
        sentence = ngettext(
            "%(count)d live run of flow “%(flow)s” stands on step “%(step)s”, which is not there any more: it ends.",
            "%(count)d live runs of flow “%(flow)s” stand on step “%(step)s”, which is not there any more: they end.",
            count,
        )
        words = {"count": count, "flow": labels.flow(flow), "step": labels.within(old.get(flow)).step(step)}
        yield TouchedRuns(f"flows.{flow}.steps.{step}", count, sentence % words)


def _retyped_fields(
    counts: Counts, before: Mapping[str, Any], after: Mapping[str, Any], labels: Labels
) -> Iterator[TouchedRuns]:
    for slug in _retyped(before.get("fields") or {}, after.get("fields") or {}):
        users = [flow["id"] for flow in (*before["flows"], *after["flows"]) if slug in set(_names(flow))]
        count = sum(_in_flow(counts, flow) for flow in dict.fromkeys(users))
        if not count:
            continue
        sentence = ngettext(
            "%(count)d live run uses field “%(field)s”, whose type changes: a value that it has keeps the old one.",
            "%(count)d live runs use field “%(field)s”, whose type changes: values that they have keep the old one.",
            count,
        )
        yield TouchedRuns(f"fields.{slug}", count, sentence % {"count": count, "field": labels.field(slug)})


def _in_flow(counts: Counts, wanted: str) -> int:
    return sum(count for (flow, _step), count in counts.items() if flow == wanted)


def _retyped(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    return (slug for slug, spec in after.items() if slug in before and spec.get("type") != before[slug].get("type"))


def _names(value: Any) -> Iterator[str]:
    """Every text and key of a flow: what it collects, compares, asks, clears, or writes into a text."""
    if isinstance(value, str):
        yield value
        yield from _TEMPLATE_NAME.findall(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _names(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)
