"""What of a conversation stays hidden from pages and logs: what its sensitive fields hold, wherever JSON repeats it.

Spec: host.md section 6. On the pages, what people wrote is shown as they wrote it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from falai_django.masking import masked, sensitive_values
from falai_django.models import Agent, Field, Release, Session, Turn
from falai_django.rows import rows

__all__ = ["Hidden", "hidden_of_session", "hidden_of_turn"]

_KEPT: Final = "_falai_hidden"


@dataclass(frozen=True, slots=True)
class Hidden:
    """The slugs of the sensitive fields, and the values that they are known to hold."""

    slugs: frozenset[str]
    values: frozenset[str] = frozenset()

    def without(self, value: Any) -> Any:
        """A copy of some JSON without any of it."""
        if isinstance(value, int | float) and str(value) in self.values:
            value = str(value)
        return masked(value, self.slugs, self.values)


def hidden_of_session(session: Session) -> Hidden:
    """Kept beside the row: a page asks several times."""
    if _KEPT not in session.__dict__:
        session.__dict__[_KEPT] = _hidden(session, (), session.blob)
    found: Hidden = session.__dict__[_KEPT]
    return found


def hidden_of_turn(turn: Turn) -> Hidden:
    """Also what was sensitive in the release that the turn ran on, and what the turn brought."""
    if _KEPT not in turn.__dict__:
        releases = [turn.release_id] if turn.release_id is not None else []
        turn.__dict__[_KEPT] = _hidden(turn.session, releases, turn.session.blob, turn.input, turn.response)
    found: Hidden = turn.__dict__[_KEPT]
    return found


def _hidden(session: Session, releases: Collection[int], *holders: Any) -> Hidden:
    slugs = _sensitive(session.agent_id, releases)
    data = (holder.get("data") for holder in holders if isinstance(holder, Mapping))
    values = [sensitive_values(each, slugs) for each in data if isinstance(each, Mapping)]
    return Hidden(slugs, frozenset().union(*values))


def _sensitive(agent: int, releases: Collection[int]) -> frozenset[str]:
    """The slugs that are sensitive now, in the active release, or in one of these."""
    now = rows(Field).filter(agent=agent, is_sensitive=True).values_list("slug", flat=True)
    active = rows(Agent).filter(pk=agent, active_release__isnull=False).values_list("active_release", flat=True)
    then = rows(Release).filter(pk__in=[*active, *releases]).values_list("sensitive", flat=True)
    return frozenset([*now, *(slug for slugs in then for slug in slugs)])
