"""Whether this process could take a turn now: database, migrations, releases that compile (spec: host.md section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import Error as DatabaseError
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from falai_django.models import Agent
from falai_django.releases import unavailable_releases
from falai_django.rows import rows, write_alias

__all__ = ["Readiness", "forget_readiness", "readiness"]


@dataclass(frozen=True, slots=True)
class Readiness:
    """`unavailable`: agents whose release cannot be compiled now, each with why; of `agents` that serve at all."""

    has_database: bool
    is_migrated: bool = False
    agents: int = 0
    unavailable: Sequence[tuple[Agent, str]] = ()

    @property
    def is_ready(self) -> bool:
        """One agent that is set up badly is no reason to take a site with others out of service; all of them are."""
        return self.is_migrated and not (self.agents and len(self.unavailable) == self.agents)


class _Known:
    """What need not be looked at again: migrations do not vanish, nor does what compiled once as it is configured."""

    is_migrated = False
    compiled: frozenset[tuple[int, int]] = frozenset()


def forget_readiness() -> None:
    """Look at everything again."""
    _Known.is_migrated, _Known.compiled = False, frozenset()


def readiness() -> Readiness:
    """Look. A database that does not answer is told, not raised."""
    try:
        return _looked()
    except DatabaseError:
        return Readiness(has_database=False)


def _looked() -> Readiness:
    if not _migrated():
        return Readiness(has_database=True)
    agents = _serving()
    new = [agent for agent in agents if _version(agent) not in _Known.compiled]
    unavailable = tuple(unavailable_releases(new))
    failed = {agent.pk for agent, _why in unavailable}
    _Known.compiled = frozenset(_version(agent) for agent in agents if agent.pk not in failed)
    return Readiness(has_database=True, is_migrated=True, agents=len(agents), unavailable=unavailable)


def _migrated() -> bool:
    if not _Known.is_migrated:
        executor = MigrationExecutor(connections[write_alias()])
        _Known.is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _Known.is_migrated


_LONG: Final = ("persona", "knowledge_base", "instructions", "active_release__document", "active_release__note")


def _serving() -> list[Any]:
    on = rows(Agent).filter(is_active=True, tenant__is_active=True, active_release__isnull=False)
    return list(on.select_related("tenant", "active_release").defer(*_LONG).order_by("pk"))


def _version(agent: Agent) -> tuple[int, int]:
    assert agent.active_release_id is not None
    return agent.active_release_id, agent.tenant.config_version
