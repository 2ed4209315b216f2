"""What one row says in a document: its columns and its body together (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from django.db import models

from falai_django.documents.columns import AGENT_COLUMNS, FIELD_COLUMNS, FLOW_COLUMNS, split, written
from falai_django.documents.storable import is_storable_text
from falai_django.documents.upgrades import upgrade_body
from falai_django.models import SCHEMA_VERSION, Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger

__all__ = ["flow_spec", "row_spec", "row_values", "sort_of"]

_UNFINISHED: Final[Mapping[str, Any]] = {
    Trigger.Kind.MESSAGE: [""],
    Trigger.Kind.MENTION: [""],
    Trigger.Kind.SILENCE: "",
    Trigger.Kind.EVENT: "",
}
"""What tells the kind of a trigger that says nothing yet: an error, where nothing at all would be a catch-all."""


def sort_of(row: models.Model | type[models.Model]) -> str:
    """`agent`, `field`, `flow`, `trigger`, `step`, `action`, `event`, `condition` or `tool`."""
    return str(row._meta.model_name)


def row_spec(row: models.Model) -> dict[str, Any]:
    """The row's own part of the document, as the newest version writes it, without what lies in rows below it.

    DocumentError when a newer program wrote the row.
    """
    stored: Any = row
    return upgrade_body(sort_of(row), _WRITERS[type(row)](stored), stored.schema_version)


def flow_spec(flow: Flow, triggers: Iterable[Trigger], steps: Iterable[Step]) -> dict[str, Any]:
    """A whole flow: `on` when it has triggers, `steps` always."""
    head = row_spec(flow)
    on = [row_spec(trigger) for trigger in triggers]
    return {"id": flow.slug, **head, **({"on": on} if on else {}), "steps": [row_spec(step) for step in steps]}


def _agent(agent: Agent) -> dict[str, Any]:
    return written(agent, AGENT_COLUMNS, agent.head_rest)


def _field(field: Field) -> dict[str, Any]:
    return written(field, FIELD_COLUMNS, field.rest)


def _flow(flow: Flow) -> dict[str, Any]:
    return written(flow, FLOW_COLUMNS, flow.head)


def _trigger(trigger: Trigger) -> dict[str, Any]:
    body: dict[str, Any] = trigger.body
    return body if trigger.kind in body else {trigger.kind: _UNFINISHED[trigger.kind], **body}


def _step(step: Step) -> dict[str, Any]:
    label = {"label": step.label} if step.label else {}
    return {"id": step.step_id, "kind": step.kind, **label, **step.body, **label}


def _definition(row: Action | Condition) -> dict[str, Any]:
    return {"kind": row.kind, **row.body}


def _event(event: Event) -> dict[str, Any]:
    body: dict[str, Any] = event.body
    return body


def _tool(tool: Tool) -> dict[str, Any]:
    return {"id": tool.slug, "kind": tool.kind, **tool.body}


_WRITERS: Final[Mapping[type[models.Model], Callable[[Any], dict[str, Any]]]] = {
    Agent: _agent,
    Field: _field,
    Flow: _flow,
    Trigger: _trigger,
    Step: _step,
    Action: _definition,
    Condition: _definition,
    Event: _event,
    Tool: _tool,
}


def row_values(model: type[models.Model], spec: Mapping[str, Any]) -> dict[str, Any]:
    """The way back from `row_spec`: the attributes that say what the spec says, but for slugs, ids and kinds.

    Nothing is checked and no null is dropped; see `documents.rows_of` for that.
    """
    return {**_READERS[model](dict(spec)), "schema_version": SCHEMA_VERSION}


def _agent_values(spec: dict[str, Any]) -> dict[str, Any]:
    values, rest = split(spec, AGENT_COLUMNS)
    return {**values, "head_rest": rest}


def _field_values(spec: dict[str, Any]) -> dict[str, Any]:
    values, rest = split(spec, FIELD_COLUMNS)
    return {**values, "rest": rest}


def _flow_values(spec: dict[str, Any]) -> dict[str, Any]:
    values, head = split(spec, FLOW_COLUMNS)
    return {**values, "head": head}


def _step_values(spec: dict[str, Any]) -> dict[str, Any]:
    label = spec.get("label")
    fits = label != "" and is_storable_text(label, Step._meta.get_field("label").max_length)
    out = {"id", "kind", "label"} if fits else {"id", "kind"}
    return {"label": label if fits else "", "body": {key: value for key, value in spec.items() if key not in out}}


def _body(*out: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda spec: {"body": {key: value for key, value in spec.items() if key not in out}}


_READERS: Final[Mapping[type[models.Model], Callable[[dict[str, Any]], dict[str, Any]]]] = {
    Agent: _agent_values,
    Field: _field_values,
    Flow: _flow_values,
    Trigger: _body(),
    Step: _step_values,
    Action: _body("kind"),
    Condition: _body("kind"),
    Event: _body(),
    Tool: _body("id", "kind"),
}
