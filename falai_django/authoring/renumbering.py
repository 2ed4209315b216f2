"""A flow under another slug and with step ids of its own, its references with it (spec: host.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_django.authoring.names import Name, Sort, with_names
from falai_django.documents import FlowRows, row_spec, row_values

__all__ = ["renumber"]


def renumber(rows: FlowRows, slug: str, flows: Mapping[str, str] | None = None, *, first: int = 1) -> None:
    """Change rows that are not stored yet: the flow is called `slug`, its steps `s1`, `s2` ... in order.

    `first`: the number of the first step, where releases had a flow of this slug (`past_flows`).

    Targets inside it follow, and chains to a flow of `flows` (by old slug), itself among them. A target that leads
    nowhere is left as it is, but for one that would now lead to another step by accident.
    """
    steps = {step.step_id: f"s{number}" for number, step in enumerate(rows.steps, first)}
    chains = {rows.flow.slug: slug, **(flows or {})}

    def rename(name: Name) -> str:
        if name.sort is Sort.STEP:
            return steps.get(name.name) or _still_nowhere(name.name, steps)
        return chains.get(name.name, name.name) if name.sort is Sort.FLOW else name.name

    for row in (rows.flow, *rows.triggers, *rows.steps):
        _say(row, with_names(type(row), row_spec(row), rename))
    for step in rows.steps:
        step.step_id = steps[step.step_id]
    rows.flow.slug, rows.flow.next_step = slug, first + len(rows.steps)


def _still_nowhere(name: str, steps: Mapping[str, str]) -> str:
    while name in steps.values():
        name = f"{name}_gone"
    return name


def _say(row: Any, spec: Mapping[str, Any]) -> None:
    for name, value in row_values(type(row), spec).items():
        setattr(row, name, value)
