"""The draft around a row, as the row's page needs it: names for the pickers, and what is wrong (spec: ux.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.http import HttpRequest

from falai_django.authoring import RowProblem, problems_of_draft
from falai_django.built_in_actions import with_built_in_actions
from falai_django.definition_checks import python_names
from falai_django.differences import Labels
from falai_django.documents import Draft, draft_document
from falai_django.errors import DocumentError
from falai_django.forms import Names
from falai_django.models import Agent, Flow, Secret
from falai_django.registry import Kind
from falai_django.rows import rows

__all__ = ["DraftView", "draft_view"]

_VIEWS: Final = "_falai_drafts"
_PYTHON: Final = {"action": Kind.ACTION, "condition": Kind.CONDITION, "tool": Kind.TOOL}


@dataclass
class DraftView:
    """An agent's draft with one of its flows, which counts as if it were enabled.

    `trouble` is why the draft cannot be read (a newer program wrote a row of it): then there are no names and no
    problems, and the page still opens.
    """

    agent: Agent
    flow: Flow | None = None
    trouble: DocumentError | None = None

    @cached_property
    def draft(self) -> Draft | None:
        """Read once, by one query a table."""
        try:
            return draft_document(self.agent, also=[] if self.flow is None else [self.flow.pk])
        except DocumentError as error:
            self.trouble = error
            return None

    @cached_property
    def document(self) -> dict[str, Any]:
        """With what every agent may name: built-in actions, and the flows that are switched off, by name."""
        if self.draft is None:
            return {}
        document = with_built_in_actions(self.draft.document)
        specs = {each.flow.pk: spec for each, spec in zip(self.draft.flows, document["flows"], strict=True)}
        flows = rows(Flow).filter(agent=self.agent).order_by("position", "pk").values("pk", "slug", "name")
        return {**document, "flows": [specs.get(each["pk"], _named(each)) for each in flows]}

    @cached_property
    def flow_spec(self) -> Mapping[str, Any]:
        """The flow in the document, `{}` without one."""
        flows = self.document.get("flows", ())
        return next((each for each in flows if self.flow is not None and each["id"] == self.flow.slug), {})

    @cached_property
    def names(self) -> Names:
        """What the pickers of the page offer."""
        tenant = self.agent.tenant.slug
        python = {sort: python_names(kind, tenant) for sort, kind in _PYTHON.items()}
        secrets = rows(Secret).filter(tenant=self.agent.tenant_id).order_by("name").values_list("name", flat=True)
        flow = None if self.flow is None else self.flow.slug
        return Names.of(self.document, flow, python=python, secrets=tuple(secrets))

    @cached_property
    def labels(self) -> Labels:
        """How people call what the flow names."""
        return Labels.of(self.document).within(self.flow_spec)

    @cached_property
    def problems(self) -> Sequence[RowProblem]:
        """All of the draft, in the order of the document."""
        return [] if self.draft is None else problems_of_draft(self.draft)

    def problems_of(self, row: Any) -> list[RowProblem]:
        """Those of one row."""
        return [each for each in self.problems if _key(each.row) == _key(row)]

    def problem_counts(self) -> Mapping[tuple[type[Any], int], int]:
        """How many each row has, by its model and key."""
        return Counter(_key(each.row) for each in self.problems)


def draft_view(request: HttpRequest, agent: Agent, flow: Flow | None = None) -> DraftView:
    """The view of a draft, the same for all of a request that asks for it."""
    views: dict[tuple[int, int | None], DraftView] = request.__dict__.setdefault(_VIEWS, {})
    key = (agent.pk, None if flow is None else flow.pk)
    if key not in views:
        views[key] = DraftView(agent, flow)
    return views[key]


def _named(flow: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": flow["slug"], "name": flow["name"]}


def _key(row: Any) -> tuple[type[Any], int]:
    return type(row), row.pk
