"""One event to many sessions: those of a contact, or a list (spec: host.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from falai_django.errors import InputRefusedError
from falai_django.inbox.door import Accepted, take
from falai_django.inbox.inputs import Input
from falai_django.models import Agent, AnchorSession, Deliver
from falai_django.rows import rows

__all__ = ["sessions_of_anchor", "take_for_each"]


def sessions_of_anchor(agent: Agent, name: str, key: str) -> list[str]:
    """The ids of an agent's sessions that are about an anchor."""
    links = rows(AnchorSession).filter(anchor__agent=agent, anchor__name=name, anchor__key=key)
    return list(links.order_by("session_id").values_list("session__session_id", flat=True))


def take_for_each(
    agent: Agent, session_ids: Iterable[str], given: Input
) -> Iterator[tuple[str, Accepted | InputRefusedError]]:
    """The same input, with its one key, for each session, in a transaction of its own; what it says leaves by sender.

    A refusal of one is no refusal of the others. Repeated, it reaches those that a crash left out, and no other twice.
    """
    for session_id in session_ids:
        try:
            yield session_id, take(agent, session_id, given, deliver=Deliver.SENDER)
        except InputRefusedError as error:
            yield session_id, error
