"""The draft of an agent as a document, and the way from a place in it back to the row (spec: host.md section 2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

from django.db.models import Q

from falai_django.documents.paths import Part, path_parts, path_tail
from falai_django.documents.specs import flow_spec, row_spec
from falai_django.models import SCHEMA_VERSION, Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_django.rows import rows

__all__ = ["Draft", "FlowRows", "Place", "Row", "document_locale", "draft_document", "draft_of_rows"]

Row: TypeAlias = Agent | Field | Flow | Trigger | Step | Action | Event | Condition | Tool
T = TypeVar("T", Trigger, Step)

_KEYS: Final = (
    *("specVersion", "name", "goal", "persona", "knowledgeBase", "locale", "timezone", "fields", "variables"),
    *("flows", "actions", "events", "conditions", "tools", "instructions", "idle", "maxToolLoops", "compaction"),
)
"""The order in which a document is written; what it knows nothing of comes last."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem belongs: the row, and the machine path inside what the row says (empty: the row as a whole)."""

    row: Row
    path: str


@dataclass(frozen=True, slots=True)
class FlowRows:
    """A flow with its triggers and steps, in order."""

    flow: Flow
    triggers: tuple[Trigger, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """`document`: the agent of flow-spec.md, just as publishing compiles it. The rows it was made of, in its order."""

    document: dict[str, Any]
    agent: Agent
    flows: tuple[FlowRows, ...]
    named: Mapping[str, Mapping[str, Row]] = field(repr=False)
    tools: tuple[Tool, ...] = ()

    def place(self, problem_path: str) -> Place:
        """The row that a path into the document belongs to; the agent when it belongs to none below it."""
        parts = path_parts(problem_path)
        row, depth = self._row_at(parts)
        return Place(row, path_tail(problem_path, depth))

    def _row_at(self, parts: list[Part]) -> tuple[Row, int]:
        match parts:
            case [str(key), str(name), *_] if name in self.named.get(key, {}):
                return self.named[key][name], 2
            case ["tools", int(index), *_] if index < len(self.tools):
                return self.tools[index], 2
            case ["flows", int(index), *rest] if index < len(self.flows):
                return _row_of_flow(self.flows[index], rest)
        return self.agent, 0


def _row_of_flow(rows: FlowRows, parts: list[Part]) -> tuple[Row, int]:
    match parts:
        case ["on", int(index), *_] if index < len(rows.triggers):
            return rows.triggers[index], 4
        case ["steps", int(index), *_] if index < len(rows.steps):
            return rows.steps[index], 4
    return rows.flow, 2


def draft_document(agent: Agent, *, also: Collection[int] = ()) -> Draft:
    """The draft of an agent: its enabled flows, and those whose keys are in `also`, in order.

    The head is that of `agent` as it was read; all else is read here, by one query a table, however much there is.
    DocumentError when a newer program wrote one of the rows.
    """
    found = {
        "fields": _ordered(Field, agent),
        "actions": _ordered(Action, agent),
        "events": _ordered(Event, agent),
        "conditions": _ordered(Condition, agent),
        "tools": _ordered(Tool, agent),
    }
    return draft_of_rows(agent, _flows(agent, Q(is_enabled=True) | Q(pk__in=list(also))), found)


def draft_of_rows(agent: Agent, flows: Iterable[FlowRows], found: Mapping[str, Iterable[Any]]) -> Draft:
    """The draft that these rows are, stored or not; `found`: those of the fields and of each registry, in order."""
    named = {key: {row.slug: row for row in found[key]} for key in ("fields", "actions", "events", "conditions")}
    in_order, tools = tuple(flows), tuple(found["tools"])
    return Draft(_document(agent, in_order, named, tools), agent, in_order, named, tools)


def document_locale(locale: str) -> str:
    """A tenant's locale as documents write it: `pt-BR` for `pt-br`."""
    language, dash, region = locale.partition("-")
    return f"{language}{dash}{region.upper()}"


def _document(
    agent: Agent, flows: Iterable[FlowRows], named: Mapping[str, Mapping[str, Row]], tools: Iterable[Tool]
) -> dict[str, Any]:
    parts = {
        **row_spec(agent),
        "specVersion": SCHEMA_VERSION,
        "locale": document_locale(agent.tenant.locale),
        "timezone": agent.tenant.time_zone,
        "flows": [flow_spec(each.flow, each.triggers, each.steps) for each in flows],
        "tools": [row_spec(tool) for tool in tools],
        **{key: {slug: row_spec(row) for slug, row in rows.items()} for key, rows in named.items()},
    }
    keys = dict.fromkeys((*(key for key in _KEYS if key in parts), *parts))
    return {key: parts[key] for key in keys}


def _flows(agent: Agent, which: Q) -> tuple[FlowRows, ...]:
    flows = list(rows(Flow).filter(which, agent=agent).order_by("position", "pk"))
    keys = [flow.pk for flow in flows]
    triggers, steps = _by_flow(Trigger, keys), _by_flow(Step, keys)
    return tuple(FlowRows(flow, tuple(triggers[flow.pk]), tuple(steps[flow.pk])) for flow in flows)


def _by_flow(model: type[T], flows: list[int]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = defaultdict(list)
    for row in rows(model).filter(flow__in=flows).order_by("position", "pk"):
        found[row.flow_id].append(row)
    return found


def _ordered(model: type[Any], agent: Agent) -> Iterable[Any]:
    return rows(model).filter(agent=agent).order_by("position", "pk")
