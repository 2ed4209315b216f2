"""The four ways to import: what each makes of a document, and how it is stored (spec: host.md section 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from django.db.models import Model
from django.utils.translation import gettext as _

from falai_django.authoring.duplicating import copy_of
from falai_django.authoring.import_notes import notes_of_copy, notes_of_replacing
from falai_django.authoring.incoming import flow_rows, incoming
from falai_django.authoring.making import slugs_taken
from falai_django.authoring.names import Name, Sort, with_names
from falai_django.authoring.past_flows import first_step_number
from falai_django.authoring.references import whole_draft
from falai_django.authoring.renumbering import renumber
from falai_django.authoring.replacing import replace_agent, replace_flow
from falai_django.authoring.slugs import checked_slug, free_slug, slug_of
from falai_django.authoring.storing import store_agent, store_flow
from falai_django.authoring.tokens import draft_token
from falai_django.documents import Draft, FlowValues, draft_of_rows, flow_rows_of, rows_of
from falai_django.errors import DocumentError
from falai_django.models import Agent, Flow, Sender, Step, Tenant
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["MODES", "ImportMode", "Mode", "Ready"]


class ImportMode(StrEnum):
    """How a document is imported.

    REPLACE: an agent's document takes the place of an agent's draft. COPY: it becomes a new agent of a tenant.
    ADD_FLOW: a flow by itself becomes a new flow of an agent. REPLACE_FLOW: it takes the place of what a flow says.
    """

    REPLACE = "replace"
    COPY = "copy"
    ADD_FLOW = "add_flow"
    REPLACE_FLOW = "replace_flow"


@dataclass(frozen=True, slots=True)
class Ready:
    """An import that only has to be stored. `before` and `after` are documents with every flow; `draft` what serves."""

    mode: ImportMode
    before: dict[str, Any] | None
    after: dict[str, Any]
    draft: Draft
    notes: tuple[str, ...]
    slug: str
    token: str
    store: Callable[[Actor], Any]


@dataclass(frozen=True, slots=True)
class Mode:
    """What is imported into, and how: `(locked target, document, slug) -> Ready`."""

    target: type[Model]
    prepare: Callable[[Any, Any, str], Ready]


def _replace(agent: Agent, document: Any, _slug: str) -> Ready:
    new = rows_of(_agent_document(document))
    before = whole_draft(agent)
    slugs = {each.flow["slug"] for each in new.flows}
    kept = [] if new.host.is_given else [each for each in before.flows if not each.flow.is_enabled]
    kept = [each for each in kept if each.flow.slug not in slugs]
    made = incoming(copy_of(agent, named=False), new)
    made = replace(made, flows=(*made.flows, *kept))

    def store(actor: Actor) -> Agent:
        replace_agent(actor, agent, new, [each.flow for each in kept])
        return agent

    return Ready(
        mode=ImportMode.REPLACE,
        before=before.document,
        after=made.draft(enabled_only=False).document,
        draft=made.draft(enabled_only=True),
        notes=notes_of_replacing(before, new, kept),
        slug=agent.slug,
        token=draft_token(before),
        store=store,
    )


def _copy(tenant: Tenant, document: Any, slug: str) -> Ready:
    new = rows_of(_agent_document(document))
    agent = Agent(tenant=tenant, **new.host.settings)
    agent.sender = rows(Sender).filter(tenant=tenant, name=new.host.sender).first() if new.host.sender else None
    made = incoming(agent, new)
    agent.slug = _slug_of_new(agent, slug, _wanted(new.host.slug) or slug_of(agent.name) or "agent")
    for each in made.flows:
        renumber(each, each.flow.slug)

    def store(actor: Actor) -> Agent:
        store_agent(actor, agent, made.named_rows(), made.flows)
        return agent

    return Ready(
        mode=ImportMode.COPY,
        before=None,
        after=made.draft(enabled_only=False).document,
        draft=made.draft(enabled_only=True),
        notes=notes_of_copy(agent, new),
        slug=agent.slug,
        token="",
        store=store,
    )


def _add_flow(agent: Agent, document: Any, slug: str) -> Ready:
    new = flow_rows(flow_rows_of(_flow_document(document)), agent)
    own = new.flow.slug
    free = _slug_of_new(new.flow, slug, own)
    # Two flows that start by the same words are rarely meant: a second one of its kind waits to be switched on.
    new.flow.is_enabled = free == own
    renumber(new, free, first=first_step_number(agent, free))
    before = whole_draft(agent)
    draft = _with_flows(before, (*before.flows, new))

    def store(actor: Actor) -> Flow:
        store_flow(actor, new)
        return new.flow

    notes = () if new.flow.is_enabled else (_renamed(own, free),)
    return Ready(
        mode=ImportMode.ADD_FLOW,
        before=before.document,
        after=draft.document,
        draft=_with_flows(draft, [each for each in draft.flows if each.flow.is_enabled or each is new]),
        notes=notes,
        slug=free,
        token=draft_token(before),
        store=store,
    )


def _renamed(own: str, free: str) -> str:
    return _("There is a flow “%(own)s” already: this one is called “%(free)s” and is switched off at first.") % {
        "own": own,
        "free": free,
    }


def _replace_flow(flow: Flow, document: Any, _slug: str) -> Ready:
    values = _named_as(flow, flow_rows_of(_flow_document(document)))
    new = flow_rows(values, flow.agent)
    before = whole_draft(flow.agent)
    flows = [new if each.flow.pk == flow.pk else each for each in before.flows]
    draft = _with_flows(before, flows)

    def store(actor: Actor) -> Flow:
        replace_flow(actor, flow, values)
        return flow

    return Ready(
        mode=ImportMode.REPLACE_FLOW,
        before=before.document,
        after=draft.document,
        draft=_with_flows(draft, [each for each in flows if each.flow.is_enabled or each is new]),
        notes=(),
        slug=flow.slug,
        token=draft_token(before),
        store=store,
    )


def _named_as(flow: Flow, values: FlowValues) -> FlowValues:
    """A flow that chains to itself goes on doing so under the slug that it has here."""
    old = values.flow["slug"]

    def rename(name: Name) -> str:
        return flow.slug if (name.sort, name.name) == (Sort.FLOW, old) else name.name

    steps = tuple({**each, "body": with_names(Step, each["body"], rename)} for each in values.steps)
    return FlowValues({**values.flow, "slug": flow.slug, "is_enabled": flow.is_enabled}, values.triggers, steps)


def _with_flows(draft: Draft, flows: Any) -> Draft:
    found: Mapping[str, Any] = {**{key: named.values() for key, named in draft.named.items()}, "tools": draft.tools}
    return draft_of_rows(draft.agent, flows, found)


def _slug_of_new(row: Any, slug: str, wanted: str) -> str:
    taken = slugs_taken(row)
    if slug:
        return checked_slug(row, slug, taken)
    return free_slug(wanted, taken, row._meta.get_field("slug").max_length)


def _wanted(slug: str) -> str:
    """The slug that a file names, as it is where it can be one."""
    return slug if re.fullmatch(r"[a-z0-9_-]+", slug) else slug_of(slug)


def _agent_document(document: Any) -> Any:
    if isinstance(document, Mapping) and "steps" in document and "flows" not in document:
        raise DocumentError(_("This is one flow, not an agent. Import it into an agent, as a flow."))
    return document


def _flow_document(document: Any) -> Any:
    if isinstance(document, Mapping) and "flows" in document:
        raise DocumentError(_("This is a whole agent, not one flow. Import it as an agent."))
    return document


MODES: Final[Mapping[ImportMode, Mode]] = {
    ImportMode.REPLACE: Mode(Agent, _replace),
    ImportMode.COPY: Mode(Tenant, _copy),
    ImportMode.ADD_FLOW: Mode(Agent, _add_flow),
    ImportMode.REPLACE_FLOW: Mode(Flow, _replace_flow),
}
