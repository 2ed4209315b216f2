"""The agent that a turn is run by (spec: host.md section 2): of the active release, of another one, or of the draft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from falai_django.errors import AgentUnavailableError
from falai_django.inbox.admission import DRAFT
from falai_django.models import Field, Release, Session
from falai_django.releases import compile_draft, compile_release
from falai_django.rows import rows
from falai_engine import Agent

__all__ = ["RunningAgent", "agent_of", "sensitive_of"]


@dataclass(frozen=True, slots=True)
class RunningAgent:
    """What runs a turn. `release` is None for a draft; `sensitive`: slugs of fields that are masked."""

    agent: Agent
    release: Any
    sensitive: frozenset[str]

    def anchor_name(self, flow: str) -> str | None:
        """The name of the anchor that a flow is about; None for the session itself, or a flow that is gone."""
        found = self.agent.compiled.flows.get(flow)
        return None if found is None else found.anchor


def agent_of(session: Session, wanted: str) -> RunningAgent:
    """By the rows of `picking.look_at`, without a query but for what is not compiled yet.

    AgentUnavailableError when it cannot be built.
    """
    if wanted == DRAFT:
        return RunningAgent(compile_draft(session.agent), None, sensitive_of(session, wanted))
    release = _release(session, wanted)
    release.agent = session.agent  # the row that is here already, with its tenant
    return RunningAgent(compile_release(release), release, frozenset(release.sensitive))


def sensitive_of(session: Session, wanted: str) -> frozenset[str]:
    """The slugs of fields that are masked, also of an agent that cannot be built."""
    if wanted == DRAFT:
        return frozenset(rows(Field).filter(agent=session.agent, is_sensitive=True).values_list("slug", flat=True))
    found = _found_release(session, wanted)
    return frozenset() if found is None else frozenset(found.sensitive)


def _found_release(session: Session, wanted: str) -> Any:
    if not wanted:
        return session.agent.active_release
    return rows(Release).filter(agent=session.agent, number=int(wanted)).defer("document", "note").first()


def _release(session: Session, wanted: str) -> Any:
    found = _found_release(session, wanted)
    if found is None:
        raise AgentUnavailableError(_("The release that was asked for is gone. Ask for another one."))
    return found
