"""Copies of rows (spec: host.md section 2). A copy begins as a draft: no release uses it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from falai_django.authoring.editing import editing, editing_agent, stamp
from falai_django.authoring.lists import insert, last_position, neighbours
from falai_django.authoring.making import slugs_taken, step_ids, store_new
from falai_django.authoring.names import Name, Sort, with_names
from falai_django.authoring.past_flows import first_step_number
from falai_django.authoring.references import whole_draft
from falai_django.authoring.renumbering import renumber
from falai_django.authoring.slugs import checked_slug, free_slug, take_step_id
from falai_django.authoring.storing import store_agent, store_flow
from falai_django.documents import FlowRows, row_spec, row_values
from falai_django.models import Agent, Flow, Step, Trigger
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["duplicate", "duplicate_agent", "duplicate_flow"]

_OF_THE_ORIGINAL = frozenset(
    {"id", "version", "changed_at", "changed_by", "created_at", "is_released", "active_release", "activated_at"}
    | {"paused_until", "trouble", "trouble_detail", "trouble_at"}
)
_NAMES = ("label", "name")


def duplicate(actor: Actor, row: Any, *, version: int | None = None, slug: str = "") -> Any:
    """A copy right behind the original; `version`: the flow's token for a trigger or step, which it raises.

    A Field, Action, Event, Condition or Tool gets a slug of its own, a step an id; a step that leads to itself is
    copied as one that does.
    """
    if isinstance(row, Agent | Flow):
        raise TypeError(f"use `duplicate_{row._meta.model_name}`")
    with editing(actor, row, version=version) as fresh:
        copy = copy_of(fresh)
        if isinstance(copy, Trigger | Step):
            _store_part(copy)
            stamp(actor, copy)
        else:
            copy.slug = _slug_for(copy, slug)
            store_new(actor, copy)
        _put_behind(copy, fresh)
        return copy


def duplicate_flow(actor: Actor, flow: Flow, *, slug: str = "") -> Flow:
    """A copy with its triggers and steps, switched off: two flows that start by the same words are rarely meant."""
    with editing(actor, flow, version=None) as fresh:
        copy: Flow = copy_of(fresh)
        copy.is_enabled = False
        copied = FlowRows(copy, _copies(rows(Trigger), fresh), _copies(rows(Step), fresh))
        chosen = _slug_for(copy, slug)
        renumber(copied, chosen, first=first_step_number(fresh.agent, chosen))
        store_flow(actor, copied)
        _put_behind(copy, fresh)
        return copy


def duplicate_agent(actor: Actor, agent: Agent, *, slug: str = "") -> Agent:
    """A copy of the whole draft with its settings; it has no release yet. Its flows keep their slugs."""
    with editing_agent(actor, agent) as fresh:
        draft = whole_draft(fresh)
        copy: Agent = copy_of(fresh)
        copy.slug = _slug_for(copy, slug)
        flows = [FlowRows(copy_of(each.flow, named=False), *_both(each)) for each in draft.flows]
        for each in flows:
            renumber(each, each.flow.slug)
        named = [*(row for named in draft.named.values() for row in named.values()), *draft.tools]
        store_agent(actor, copy, [copy_of(row, named=False) for row in named], flows)
        return copy


def copy_of(row: Any, *, named: bool = True) -> Any:
    """A row that says the same, not stored; `named`: its label or name says that it is a copy."""
    columns = [each for each in row._meta.concrete_fields if each.name not in _OF_THE_ORIGINAL]
    copy: Any = type(row)(**{each.attname: getattr(row, each.attname) for each in columns})
    for name in _NAMES:
        label = getattr(copy, name, "")
        if named and label:
            setattr(copy, name, (_("%(name)s (copy)") % {"name": label})[: copy._meta.get_field(name).max_length])
    return copy


def _both(each: FlowRows) -> tuple[tuple[Trigger, ...], tuple[Step, ...]]:
    triggers = tuple(copy_of(row, named=False) for row in each.triggers)
    return triggers, tuple(copy_of(row, named=False) for row in each.steps)


def _copies(queryset: Any, flow: Flow) -> Any:
    return tuple(copy_of(row, named=False) for row in queryset.filter(flow=flow).order_by("position", "pk"))


def _slug_for(copy: Any, slug: str) -> str:
    """The chosen slug, else one made of the original's, which `copy` still has."""
    if slug:
        return checked_slug(copy, slug, slugs_taken(copy))
    return free_slug(copy.slug, {copy.slug, *slugs_taken(copy)}, copy._meta.get_field("slug").max_length)


def _store_part(copy: Any) -> None:
    flow = copy.flow
    if isinstance(copy, Step):
        old, copy.step_id = copy.step_id, take_step_id(flow, step_ids(flow))
        flow.save(update_fields=["next_step"])
        _lead_to_itself(copy, old)
    copy.position = last_position(copy)
    copy.save()


def _lead_to_itself(step: Step, old: str) -> None:
    def rename(name: Name) -> str:
        return step.step_id if (name.sort, name.name) == (Sort.STEP, old) else name.name

    for name, value in row_values(Step, with_names(Step, row_spec(step), rename)).items():
        setattr(step, name, value)


def _put_behind(copy: Any, original: Any) -> None:
    others: Iterable[Any] = neighbours(copy)
    keys = [row.pk for row in others if row.pk != copy.pk]
    insert(copy, keys.index(original.pk) + 1)
