"""Whether an agent answers nobody now (spec: host.md section 2)."""

from __future__ import annotations

from falai_django.models import Agent

__all__ = ["is_off", "is_switched_off"]


def is_switched_off(agent: Agent) -> bool:
    """Whether it, or its tenant, is switched off."""
    return not (agent.is_active and agent.tenant.is_active)


def is_off(agent: Agent) -> bool:
    """Whether it is switched off, or nothing is published."""
    return is_switched_off(agent) or agent.active_release_id is None
