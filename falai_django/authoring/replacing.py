"""Stored rows made to say what a document says: who is the same stays the same row (spec: host.md section 2).

Rows are the same by slug, steps by their id, triggers by what they say, then by kind and order. So primary keys and
labels survive, and what is sensitive or used by a release; what the document does not have is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from falai_django.authoring.editable import is_same
from falai_django.authoring.editing import stamp
from falai_django.authoring.past_flows import first_step_number
from falai_django.authoring.slugs import next_step_number
from falai_django.documents import DocumentRows, FlowValues, RowValues
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["replace_agent", "replace_flow"]


def replace_agent(actor: Actor, agent: Agent, new: DocumentRows, kept: Sequence[Flow]) -> None:
    """Make a locked agent's draft what the document says. `kept`: flows that it says nothing of, put last."""
    changed = _set(agent, new.agent)
    lists: tuple[tuple[Any, Sequence[RowValues]], ...] = (
        (Field, new.fields),
        (Action, new.actions),
        (Event, new.events),
        (Condition, new.conditions),
        (Tool, new.tools),
    )
    for model, values in lists:
        _replace_named(actor, agent, model, values)
    flows = _replace_named(actor, agent, Flow, [*(each.flow for each in new.flows), *_last(kept, len(new.flows))])
    for each in new.flows:
        flow = flows[each.flow["slug"]]
        if _replace_parts(flow, each):
            stamp(actor, flow)
    stamp(actor, agent, *changed)


def replace_flow(actor: Actor, flow: Flow, new: FlowValues) -> None:
    """Make a locked flow say what a document says of one; its slug, its place and whether it is enabled stay."""
    own = {name: value for name, value in new.flow.items() if name not in ("slug", "position", "is_enabled")}
    changed = _set(flow, own)
    if _replace_parts(flow, new) or changed:
        stamp(actor, flow, *changed)


def _last(kept: Sequence[Flow], after: int) -> list[RowValues]:
    return [{"slug": flow.slug, "position": after + number} for number, flow in enumerate(kept)]


def _replace_named(actor: Actor, agent: Agent, model: Any, values: Sequence[RowValues]) -> Mapping[str, Any]:
    """The rows by slug."""
    stored = {row.slug: row for row in rows(model).filter(agent=agent).select_for_update()}
    wanted = {each["slug"]: each for each in values}
    _delete(model, [row for slug, row in stored.items() if slug not in wanted])
    found = {}
    for slug, each in wanted.items():
        row = stored.get(slug)
        if row is None:
            row = model(agent=agent, changed_by=actor.name[: model._meta.get_field("changed_by").max_length], **each)
            if isinstance(row, Flow):
                row.next_step = first_step_number(agent, slug)
            row.save()
        else:
            row.agent = agent
            changed = _set(row, each)
            if changed:
                stamp(actor, row, *changed)
        found[slug] = row
    return found


def _replace_parts(flow: Flow, new: FlowValues) -> bool:
    """Whether a trigger or step changed."""
    steps = {step.step_id: step for step in rows(Step).filter(flow=flow)}
    triggers = list(rows(Trigger).filter(flow=flow).order_by("position", "pk"))
    changed = [
        _replace_list(flow, Step, list(steps.values()), new.steps, lambda values: steps.get(values["step_id"])),
        _replace_list(flow, Trigger, triggers, new.triggers, _matched(triggers, new.triggers).get),
    ]
    number = next_step_number((*steps, *(each["step_id"] for each in new.steps)), flow.next_step)
    if number != flow.next_step:
        flow.next_step = number
        flow.save(update_fields=["next_step"])
    return any(changed)


def _replace_list(
    flow: Flow, model: Any, stored: Iterable[Any], values: Iterable[RowValues], same: Callable[[Any], Any]
) -> bool:
    pairs = [(same(each if model is Step else number), each) for number, each in enumerate(values)]
    staying = {row.pk for row, _each in pairs if row is not None}
    changed = _delete(model, [row for row in stored if row.pk not in staying])
    new = rows(model).bulk_create([model(flow=flow, **each) for row, each in pairs if row is None])
    for row, each in pairs:
        if row is not None and (names := _set(row, each)):
            row.save(update_fields=names)
            changed = True
    return changed or bool(new)


def _matched(stored: Sequence[Trigger], values: Sequence[RowValues]) -> dict[int, Trigger]:
    """By the number of a new trigger, the one that it was: what says the same first, then what is of the same kind."""
    left, found = list(stored), dict[int, Trigger]()
    for looks in (_says_the_same, _is_of_the_kind):
        for number, each in enumerate(values):
            same = None if number in found else next((row for row in left if looks(row, each)), None)
            if same is not None:
                found[number] = same
                left.remove(same)
    return found


def _says_the_same(row: Trigger, values: RowValues) -> bool:
    return bool(row.kind == values["kind"] and is_same(row.body, values["body"]))


def _is_of_the_kind(row: Trigger, values: RowValues) -> bool:
    return bool(row.kind == values["kind"])


def _set(row: Any, values: Mapping[str, Any]) -> list[str]:
    """Which attributes changed."""
    changed = [name for name, value in values.items() if not is_same(getattr(row, name), value)]
    for name in changed:
        setattr(row, name, values[name])
    return changed


def _delete(model: Any, gone: Sequence[Any]) -> bool:
    rows(model).filter(pk__in=[row.pk for row in gone]).delete()
    return bool(gone)
