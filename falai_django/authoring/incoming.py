"""The rows of a document as objects that are not stored yet (spec: host.md section 2, import)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from falai_django.documents import DocumentRows, Draft, FlowRows, FlowValues, draft_of_rows
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger

__all__ = ["Incoming", "flow_rows", "incoming"]


@dataclass(frozen=True, slots=True)
class Incoming:
    """A whole agent; `named`: its fields and registries by the key of the document."""

    agent: Agent
    named: Mapping[str, tuple[Any, ...]]
    flows: tuple[FlowRows, ...]

    def named_rows(self) -> Iterator[Any]:
        for found in self.named.values():
            yield from found

    def draft(self, *, enabled_only: bool) -> Draft:
        """The draft that these rows would be."""
        return draft_of_rows(self.agent, _taking_part(self.flows, enabled_only=enabled_only), self.named)


def incoming(agent: Agent, rows: DocumentRows) -> Incoming:
    """The rows of a document in `agent`, which gets what the document says of its head; nothing is stored."""
    for name, value in rows.agent.items():
        setattr(agent, name, value)
    named = {
        "fields": _made(Field, rows.fields, agent),
        "actions": _made(Action, rows.actions, agent),
        "events": _made(Event, rows.events, agent),
        "conditions": _made(Condition, rows.conditions, agent),
        "tools": _made(Tool, rows.tools, agent),
    }
    return Incoming(agent, named, tuple(flow_rows(each, agent) for each in rows.flows))


def flow_rows(values: FlowValues, agent: Agent) -> FlowRows:
    """One flow in an agent."""
    flow = Flow(agent=agent, **values.flow)
    triggers = tuple(Trigger(flow=flow, **each) for each in values.triggers)
    return FlowRows(flow, triggers, tuple(Step(flow=flow, **each) for each in values.steps))


def _made(model: Any, values: Iterable[Mapping[str, Any]], agent: Agent) -> tuple[Any, ...]:
    return tuple(model(agent=agent, **each) for each in values)


def _taking_part(flows: Iterable[FlowRows], *, enabled_only: bool) -> list[FlowRows]:
    return [each for each in flows if each.flow.is_enabled or not enabled_only]
