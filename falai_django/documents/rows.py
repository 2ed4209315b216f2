"""The way in: the values of the rows that a document becomes (spec: host.md section 2, flow-spec.md).

Nothing is stored here. Values are the attributes of the models; the relations, and what only rows know, are the
caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext as _

from falai_django.documents.host_part import Host, read_host
from falai_django.documents.readings import Reading
from falai_django.documents.specs import row_values
from falai_django.documents.storable import without_empty_keys, without_unset
from falai_django.documents.upgrades import upgrade_document
from falai_django.errors import DocumentError
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_engine.spec import MAX_DEPTH
from falai_engine.spec.nulls import too_deep
from falai_engine.spec.steps import step_kind
from falai_engine.values import copied

__all__ = ["DocumentRows", "FlowValues", "RowValues", "flow_rows_of", "rows_of"]

RowValues: TypeAlias = dict[str, Any]
"""Attributes of a model by name."""

HOST: Final = "host"
_ELSEWHERE: Final = frozenset(
    {"specVersion", "locale", "timezone", "fields", "flows", "actions", "events", "conditions", "tools"}
)
_STEP_ID: Final = 128


@dataclass(frozen=True, slots=True)
class FlowValues:
    """A flow, its triggers and its steps."""

    flow: RowValues
    triggers: tuple[RowValues, ...]
    steps: tuple[RowValues, ...]


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """A whole document. `locale` and `timezone` are what it says of them: rows take the tenant's.

    `host` is what an export adds; what belongs to rows is in them already.
    """

    agent: RowValues
    fields: tuple[RowValues, ...]
    flows: tuple[FlowValues, ...]
    actions: tuple[RowValues, ...]
    events: tuple[RowValues, ...]
    conditions: tuple[RowValues, ...]
    tools: tuple[RowValues, ...]
    locale: Any = None
    timezone: Any = None
    host: Host = field(default_factory=Host)


def rows_of(document: Any) -> DocumentRows:
    """The rows of an agent document of any version, unfinished ones too: only what no row could hold is refused.

    DocumentError with all reasons at once.
    """
    given = upgrade_document(_plain(document))
    reading, seen = Reading(), set[str]()
    host = read_host(given.pop(HOST, None), reading.at(HOST))
    off = tuple(_flows(host.disabled_flows, seen, reading.at(HOST, "disabledFlows"), enabled=False))
    rows = DocumentRows(
        agent=_agent(given),
        fields=_named(given, "fields", Field, reading, _field),
        flows=(*_flows(given.get("flows"), seen, reading.at("flows"), enabled=True), *off),
        actions=_named(given, "actions", Action, reading, _action),
        events=_named(given, "events", Event, reading, _event),
        conditions=_named(given, "conditions", Condition, reading, _condition),
        tools=tuple(_tools(given.get("tools"), reading.at("tools"))),
        locale=given.get("locale"),
        timezone=given.get("timezone"),
        host=host,
    )
    reading.raise_all()
    return _with_host(rows, host)


def _with_host(rows: DocumentRows, host: Host) -> DocumentRows:
    """What rows hold beyond the document, where the document was exported with it."""
    marked = host.sensitive
    fields = [each if marked is None else {**each, "is_sensitive": each["slug"] in marked} for each in rows.fields]
    places = {slug: place for place, slug in enumerate(host.flow_order)}
    flows = sorted(rows.flows, key=lambda each: places.get(each.flow["slug"], len(places)))
    return replace(
        rows,
        fields=tuple(fields),
        flows=tuple(_labelled(each, position, host) for position, each in enumerate(flows)),
    )


def _labelled(rows: FlowValues, position: int, host: Host) -> FlowValues:
    labels = host.trigger_labels.get(rows.flow["slug"])
    triggers = rows.triggers
    if labels is not None:
        triggers = tuple({**each, "label": label} for each, label in zip(triggers, _padded(labels), strict=False))
    return FlowValues({**rows.flow, "position": position}, triggers, rows.steps)


def _padded(labels: Iterable[str]) -> Iterator[str]:
    return chain(labels, repeat(""))


def flow_rows_of(flow: Any) -> FlowValues:
    """The rows of one flow, a spec by itself or an export of one. As `rows_of`."""
    given, reading = upgrade_document(_plain(flow)), Reading()
    del given["specVersion"]
    host = read_host(given.pop(HOST, None), reading.at(HOST))
    rows = _flow(given, 0, set(), reading, enabled=True)
    reading.raise_all()
    assert rows is not None
    return _labelled(rows, 0, host)


def _plain(document: Any) -> dict[str, Any]:
    """A copy of the JSON object. DocumentError for anything else."""
    reading = Reading()
    if too_deep(document):
        reading.refuse(_("It is nested deeper than %(most)d levels. Make it flatter.") % {"most": MAX_DEPTH})
        reading.raise_all()
    try:
        plain = copied(document)
    except TypeError as error:
        raise DocumentError(_("This is no JSON: %(reason)s.") % {"reason": error}) from error
    given = reading.an_object(plain)
    reading.raise_all()
    assert given is not None
    return given


def _agent(document: Mapping[str, Any]) -> RowValues:
    head = {key: value for key, value in document.items() if key not in _ELSEWHERE}
    variables = head.get("variables")
    values = row_values(Agent, without_unset(head))
    if isinstance(variables, Mapping):
        values["variables"] = {name: _declared(value) for name, value in variables.items()}
    return values


def _declared(value: Any) -> Any:
    return without_unset(value) if isinstance(value, Mapping) else value


def _named(document: Mapping[str, Any], key: str, model: Any, reading: Reading, read: Any) -> tuple[RowValues, ...]:
    rows, most = [], model._meta.get_field("slug").max_length
    for position, (name, value, at) in enumerate(reading.at(key).members(document.get(key))):
        spec, slug = at.an_object(value), at.a_slug(name, most)
        values = None if spec is None or slug is None else read(spec, at)
        if values is not None:
            rows.append({"slug": slug, "position": position, **values})
    return tuple(rows)


def _field(spec: dict[str, Any], _at: Reading) -> RowValues:
    return row_values(Field, without_unset(spec))


def _event(spec: dict[str, Any], _at: Reading) -> RowValues:
    return row_values(Event, without_unset(spec))


def _action(spec: dict[str, Any], at: Reading) -> RowValues | None:
    return _definition(spec, at, Action, "parameters", "updates")


def _condition(spec: dict[str, Any], at: Reading) -> RowValues | None:
    return _definition(spec, at, Condition, "argument")


def _tool(spec: dict[str, Any], at: Reading) -> RowValues | None:
    return _definition(spec, at, Tool, "updates")


def _definition(spec: dict[str, Any], at: Reading, model: Any, *inner: str) -> RowValues | None:
    """A definition without a kind is one that code registers under its own name."""
    body = without_empty_keys(spec, *inner)
    kind = at.at("kind").a_kind(body.pop("kind", "python"), model.Kind.values)
    return None if kind is None else {"kind": kind, **row_values(model, body)}


def _tools(tools: Any, reading: Reading) -> Iterator[RowValues]:
    seen: set[str] = set()
    most = Tool._meta.get_field("slug").max_length or 0
    for position, (value, at) in enumerate(reading.items(tools)):
        spec = at.an_object(value)
        slug = None if spec is None else at.at("id").a_slug(spec.pop("id", None), most)
        if spec is None or slug is None or not at.at("id").taken_once(slug, seen):
            continue
        values = _tool(spec, at)
        if values is not None:
            yield {"slug": slug, "position": position, **values}


def _flows(flows: Any, seen: set[str], reading: Reading, *, enabled: bool) -> Iterator[FlowValues]:
    for position, (value, at) in enumerate(reading.items(flows)):
        rows = _flow(value, position, seen, at, enabled=enabled)
        if rows is not None:
            yield rows


def _flow(value: Any, position: int, seen: set[str], at: Reading, *, enabled: bool) -> FlowValues | None:
    spec = at.an_object(value)
    if spec is None:
        return None
    slug = at.at("id").a_slug(spec.pop("id", None), Flow._meta.get_field("slug").max_length or 0)
    fresh = slug is not None and at.at("id").taken_once(slug, seen)
    triggers = tuple(_triggers(spec.pop("on", None), at.at("on")))
    steps = tuple(_steps(spec.pop("steps", None), at.at("steps")))
    values = row_values(Flow, without_unset(spec))
    row = {"slug": slug, "position": position, "is_enabled": enabled, **values}
    return FlowValues(row, triggers, steps) if fresh else None


def _triggers(triggers: Any, reading: Reading) -> Iterator[RowValues]:
    for position, (value, at) in enumerate(reading.items(triggers)):
        spec = at.an_object(value)
        body = without_unset(spec or {})
        kind = next((key for key in Trigger.Kind.values if key in body), None)
        if spec is not None and kind is None:
            at.refuse(_("This says no kind of start. Add one of: %(kinds)s.") % {"kinds": ", ".join(Trigger.Kind)})
        if kind is not None:
            yield {"kind": kind, "position": position, **row_values(Trigger, body)}


def _steps(steps: Any, reading: Reading) -> Iterator[RowValues]:
    seen: set[str] = set()
    for position, (value, at) in enumerate(reading.items(steps)):
        spec = at.an_object(value)
        values = None if spec is None else _step(without_unset(spec), seen, at)
        if values is not None:
            yield {**values, "position": position}


def _step(body: dict[str, Any], seen: set[str], at: Reading) -> RowValues | None:
    step_id = at.at("id").a_step_id(body.pop("id", None), _STEP_ID)
    fresh = step_id is not None and at.at("id").taken_once(step_id, seen)
    kind = at.at("kind").a_kind(body.pop("kind", None) or step_kind(body), Step.Kind.values)
    return {"step_id": step_id, "kind": kind, **row_values(Step, body)} if fresh and kind is not None else None
