"""A draft as a document, and the token that an import of it is given back with (spec: host.md sections 2 and 5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from falai_django.authoring.editing import editing_agent
from falai_django.authoring.references import whole_draft
from falai_django.authoring.tokens import draft_token
from falai_django.documents import export_document
from falai_django.models import Agent
from falai_django.roles import Actor, Capability

__all__ = ["ExportedDraft", "export_draft"]


class ExportedDraft(NamedTuple):
    """`token`: given to `run_import`, it refuses when the draft changed since."""

    document: dict[str, Any]
    token: str


def export_draft(actor: Actor, agent: Agent) -> ExportedDraft:
    """The draft as it is at one moment. NotAllowedError when the actor may not see it."""
    with editing_agent(actor, agent, capability=Capability.VIEW) as fresh:
        return ExportedDraft(export_document(fresh), draft_token(whole_draft(fresh)))
