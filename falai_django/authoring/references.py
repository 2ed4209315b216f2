"""Who names whom in an agent's draft, flows that are switched off included (spec: host.md section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model

from falai_django.authoring.editing import stamp, token_row
from falai_django.authoring.names import Name, Sort, names_in, with_names
from falai_django.documents import Draft, Row, draft_document, row_spec, row_values
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["Reference", "references_to", "rename_everywhere", "sort_named_by", "whole_draft"]

_SORTS: Final[Mapping[type[Model], Sort]] = {
    Field: Sort.FIELD,
    Flow: Sort.FLOW,
    Step: Sort.STEP,
    Action: Sort.ACTION,
    Event: Sort.EVENT,
    Condition: Sort.CONDITION,
    Tool: Sort.TOOL,
}


@dataclass(frozen=True, slots=True)
class Reference:
    """`row` names something at `path` inside what it says."""

    row: Row
    path: str
    name: str
    sort: Sort


def sort_named_by(model: type[Model]) -> Sort | None:
    """What the slugs or ids of a model name; None for what nothing can name."""
    return _SORTS.get(model)


def whole_draft(agent: Agent) -> Draft:
    """The draft with every flow, the disabled ones too."""
    return draft_document(agent, also=list(rows(Flow).filter(agent=agent).values_list("pk", flat=True)))


def references_to(row: Row) -> tuple[Reference, ...]:
    """All that names a row of a draft, but for the row itself and, if it is a flow, what lies in it."""
    sort = sort_named_by(type(row))
    if sort is None:
        return ()
    named = _Named(sort, row)
    draft = whole_draft(row.flow.agent if isinstance(row, Trigger | Step) else _agent_of(row))
    return tuple(
        Reference(each, name.path, name.name, name.sort)
        for each in _rows_of(draft)
        if named.may_be_told_by(each)
        for name in names_in(type(each), row_spec(each))
        if (name.sort, name.name) == (sort, named.name)
    )


@dataclass(frozen=True, slots=True)
class _Named:
    sort: Sort
    row: Any

    @property
    def name(self) -> str:
        name: str = self.row.step_id if self.sort is Sort.STEP else self.row.slug
        return name

    def may_be_told_by(self, row: Any) -> bool:
        if (type(row), row.pk) == (type(self.row), self.row.pk):
            return False
        flow = token_row(row) if isinstance(row, Trigger | Step) else None
        if self.sort is Sort.STEP:
            return flow is not None and flow.pk == self.row.flow_id
        return self.sort is not Sort.FLOW or flow is None or flow.pk != self.row.pk


def rename_everywhere(actor: Actor, agent: Agent, sort: Sort, old: str, new: str) -> list[Row]:
    """Write the new name wherever the draft says the old one, and stamp what changed; the rows that did.

    `agent` is locked by the caller. Steps are named inside one flow and never renamed.
    """

    def rename(name: Name) -> str:
        return new if (name.sort, name.name) == (sort, old) else name.name

    changed = [row for row in _rows_of(whole_draft(agent)) if _rewritten(row, rename)]
    holders: dict[tuple[type[Model], int], Any] = {}
    for row in changed:
        holder = token_row(row)
        holders.setdefault((type(holder), holder.pk), holder)
    for holder in holders.values():
        stamp(actor, holder)
    return changed


def _rewritten(row: Any, rename: Callable[[Name], str]) -> bool:
    spec = row_spec(row)
    changed = with_names(type(row), spec, rename)
    if changed == spec:
        return False
    values = row_values(type(row), changed)
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    return True


def _rows_of(draft: Draft) -> Iterator[Row]:
    """Every row, in the order of the document; parts hold the very flow that they lie in."""
    yield draft.agent
    for named in draft.named.values():
        yield from named.values()
    yield from draft.tools
    for each in draft.flows:
        yield each.flow
        parts: tuple[Trigger | Step, ...] = (*each.triggers, *each.steps)
        for part in parts:
            part.flow = each.flow
            yield part


def _agent_of(row: Any) -> Agent:
    agent: Agent = row if isinstance(row, Agent) else row.agent
    return agent
