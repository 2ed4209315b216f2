"""All that is wrong with a draft, and what will surprise, each with its row (spec: host.md section 2, flow-spec.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from falai_django.authoring.row_problems import RowProblem
from falai_django.authoring.wording import problem_text
from falai_django.built_in_actions import with_built_in_actions
from falai_django.definition_checks import definition_checks
from falai_django.documents import Draft, draft_document
from falai_django.models import Agent, Flow, ModelProvider
from falai_django.rows import rows
from falai_engine.validation import Severity, validate_agent_all

__all__ = ["problems", "problems_of_draft"]


def problems(agent: Agent, *, flow: Flow | None = None) -> list[RowProblem]:
    """The errors and warnings of an agent's draft as it would be published, in the order of the document.

    `flow`: one that counts as if it were enabled, for its own page. Publishing refuses a draft with an error. One query
    a table, and one for the providers. DocumentError when a newer program wrote one of the rows.
    """
    return problems_of_draft(draft_document(agent, also=[] if flow is None else [flow.pk]))


def problems_of_draft(draft: Draft) -> list[RowProblem]:
    """The same of a draft that was read already, or is not stored at all."""
    document = with_built_in_actions(draft.document)
    found = validate_agent_all(document, checks=definition_checks(draft.agent.tenant.slug, document))
    return [*(_of_engine(draft, problem) for problem in found), *_of_host(draft)]


def _of_engine(draft: Draft, problem: Any) -> RowProblem:
    place = draft.place(problem.path)
    return RowProblem(
        place.row, place.path, problem.severity, problem_text(problem), problem.code, document_path=problem.path
    )


def _of_host(draft: Draft) -> Iterator[RowProblem]:
    """What is live and missing: no reason to refuse a release, but it could not serve."""
    agent = draft.agent
    if not rows(ModelProvider).filter(tenant=agent.tenant, is_enabled=True).exists():
        yield RowProblem(
            agent,
            "",
            Severity.WARNING,
            _("This tenant has no model provider, so no agent of it can answer. Ask an owner to add one."),
            "no-provider",
        )
    if agent.sender_id is None and _wakes(draft.document):
        yield RowProblem(
            agent,
            "sender",
            Severity.WARNING,
            _("A flow writes on its own later, and the agent has no sender for that. Choose one in its settings."),
            "no-sender",
        )


def _wakes(document: Mapping[str, Any]) -> bool:
    """Whether any flow may speak when nobody asked."""
    return any(
        any("silence" in trigger or "after" in trigger for trigger in flow.get("on", ()))
        or any(step["kind"] in ("wait", "waitEvent") for step in flow["steps"])
        for flow in document["flows"]
    )
