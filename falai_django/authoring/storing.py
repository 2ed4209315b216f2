"""Storing whole flows and agents that were made in memory (copies and imports)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from falai_django.authoring.making import store_new
from falai_django.documents import FlowRows
from falai_django.models import Agent, Step, Trigger
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["store_agent", "store_flow"]


def store_flow(actor: Actor, new: FlowRows) -> None:
    """Store a new flow behind the others of its agent, with its parts in their order."""
    store_new(actor, new.flow)
    _store_parts(new)


def store_agent(actor: Actor, agent: Agent, named: Iterable[Any], flows: Sequence[FlowRows]) -> None:
    """Store a new agent with all that lies in it; `named`: its fields and registries, positions as they have them."""
    store_new(actor, agent)
    for row in (*named, *(each.flow for each in flows)):
        row.agent = agent
        row.changed_by = agent.changed_by
        row.save()
    for each in flows:
        _store_parts(each)


def _store_parts(new: FlowRows) -> None:
    """The triggers and steps of a stored flow."""
    lists: tuple[tuple[Any, Any], ...] = ((Trigger, new.triggers), (Step, new.steps))
    for model, parts in lists:
        for position, part in enumerate(parts):
            part.flow, part.position = new.flow, position
        rows(model).bulk_create(parts)
