"""New rows (spec: host.md sections 1 and 2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Model

from falai_django.authoring.editable import DRAFT, cleaned, set_values
from falai_django.authoring.editing import editing, editing_agent, editing_tenant, stamp
from falai_django.authoring.lists import PARENTS, insert, last_position
from falai_django.authoring.past_flows import first_step_number
from falai_django.authoring.slugs import new_slug, take_step_id
from falai_django.models import Agent, Condition, Field, Flow, Step, Tenant
from falai_django.roles import Actor, Capability
from falai_django.rows import rows

__all__ = ["create_agent", "create_part", "create_row", "slugs_taken", "step_ids", "store_new"]

_OWN_CONDITIONS = frozenset({"equals", "known", "silenced"})


def create_agent(
    actor: Actor, tenant: Tenant, *, slug: str = "", label: str = "", values: Mapping[str, Any] | None = None
) -> Agent:
    """A new agent. Without a slug, one is made of the label, else of its name."""
    with editing_tenant(actor, tenant, Capability.EDIT, version=None) as fresh:
        agent = Agent(tenant=fresh)
        set_values(agent, cleaned(agent, values or {}, DRAFT[Agent]))
        agent.slug = new_slug(agent, slug, label or agent.name, slugs_taken(agent))
        store_new(actor, agent)
        return agent


def create_row(
    actor: Actor,
    agent: Agent,
    model: type[Model],
    *,
    slug: str = "",
    label: str = "",
    values: Mapping[str, Any] | None = None,
    position: int | None = None,
) -> Any:
    """A new Field, Flow, Action, Event, Condition or Tool, at this place of its list, by default the last.

    Without a slug, one is made of the label, else of its own label or name.
    """
    _assert_belongs(model, Agent)
    with editing_agent(actor, agent) as fresh:
        row: Any = model(agent=fresh)
        set_values(row, cleaned(row, values or {}, DRAFT[model]))
        shown = label or getattr(row, "label", "") or getattr(row, "name", "")
        row.slug = new_slug(row, slug, shown, slugs_taken(row))
        if isinstance(row, Flow):
            row.next_step = first_step_number(fresh, row.slug)
        return _in_its_place(store_new(actor, row), position)


def create_part(
    actor: Actor,
    flow: Flow,
    model: type[Model],
    *,
    version: int | None,
    values: Mapping[str, Any],
    position: int | None = None,
) -> Any:
    """A new Trigger or Step of a flow; `version` is the flow's edit token, `row.flow.version` the new one."""
    _assert_belongs(model, Flow)
    with editing(actor, flow, version=version) as fresh:
        row: Any = model(flow=fresh)
        set_values(row, cleaned(row, values, DRAFT[model]))
        if isinstance(row, Step):
            row.step_id = take_step_id(fresh, step_ids(fresh))
            fresh.save(update_fields=["next_step"])
        row.position = last_position(row)
        row.save()
        stamp(actor, row)
        return _in_its_place(row, position)


def store_new(actor: Actor, row: Any) -> Any:
    """Store a new Agent, or a new row of one behind the others of its list."""
    row.changed_by = actor.name[: row._meta.get_field("changed_by").max_length]
    if not isinstance(row, Agent):
        row.position = last_position(row)
    row.save()
    return row


def slugs_taken(row: Any) -> Collection[str]:
    """The slugs that a row may not have: those of its like, and what would mean something else."""
    if isinstance(row, Agent):
        return set(rows(Agent).filter(tenant=row.tenant).values_list("slug", flat=True))
    taken = set(rows(type(row)).filter(agent=row.agent).exclude(pk=row.pk).values_list("slug", flat=True))
    if isinstance(row, Field):
        taken |= set(row.agent.variables)
    return taken | _OWN_CONDITIONS if isinstance(row, Condition) else taken


def step_ids(flow: Flow) -> Collection[str]:
    """The ids that are in use."""
    return set(rows(Step).filter(flow=flow).values_list("step_id", flat=True))


def _in_its_place(row: Any, position: int | None) -> Any:
    if position is not None:
        insert(row, position)
    return row


def _assert_belongs(model: type[Model], parent: type[Model]) -> None:
    if PARENTS.get(model) is not parent:
        raise TypeError(f"a {model.__name__} is made in another way")
