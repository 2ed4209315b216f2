"""Looking at a session's queue, and picking the turn that is due (spec: host.md section 3).

Two reads: the session with its agent, tenant and active release, then the queue. The session comes first: what joins
the queue between the two has raised `queue_seq`, so the commit notices.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import BigIntegerField, F
from django.db.models.functions import Coalesce

from falai_django.databases import Now, own_transaction
from falai_django.inbox.off import is_switched_off
from falai_django.models import Agent, Session, Turn
from falai_django.prepared import Slot, select, update
from falai_django.rows import rows, write_alias
from falai_django.turns.lease import Held
from falai_django.turns.queue import due_of, group_of, in_order
from falai_django.turns.unread import UNREAD_OF_AGENTS

__all__ = ["MOST_ATTEMPTS", "Look", "Picked", "look_at", "pick", "picked_at_the_door", "repicked", "waits_until"]

MOST_ATTEMPTS: Final = 3
OFF_LOOKS: Final = timedelta(seconds=30)
"""How often the queue of an agent that is off is looked at."""
State = Turn.State
_UNREAD: Final = (
    "created_at",
    "agent__version",
    "agent__changed_at",
    "agent__changed_by",
    "agent__is_released",
    "agent__max_tool_loops",
    "agent__schema_version",
    "agent__close_after_days",
    "agent__human_silence",
    "agent__off_text",
    "agent__activated_at",
    "agent__trouble_at",
    "agent__created_at",
    *UNREAD_OF_AGENTS,
    "agent__active_release__document",
    "agent__active_release__note",
    "agent__active_release__spec_version",
    "agent__active_release__created_by",
    "agent__active_release__created_by_name",
    "agent__active_release__created_at",
    "agent__tenant__created_at",
)
"""Columns that no turn reads: the agent is compiled."""


_PICKED: Final = {"attempts": F("attempts") + 1, "picked_at": Coalesce("picked_at", Now())}


@dataclass(frozen=True, slots=True)
class Look:
    """A session's row (with the database's time as its `now`) and its queue in order."""

    session: Any
    queue: Sequence[Turn]
    at: float
    """When that was, monotonic."""

    @property
    def due(self) -> datetime | None:
        return due_of(self.queue, self.session.agent.gather_ms)


@dataclass(frozen=True, slots=True)
class Picked:
    """The turn that runs. `group`: the messages that it answers, itself the last; `behind`: what is left then."""

    session: Any
    turn: Turn
    group: Sequence[Turn]
    behind: Sequence[Turn]
    owner: str
    deadline: float
    began: float
    looked: float

    @property
    def due_behind(self) -> datetime | None:
        """When the queue is due once this turn has ended."""
        return due_of(self.behind, self.session.agent.gather_ms)


def _session() -> Any:
    found = rows(Session).select_related("agent__tenant", "agent__active_release").defer(*_UNREAD)
    return found.annotate(now=Now()).filter(pk=Slot("pk", BigIntegerField()))


def _waiting() -> Any:
    found = rows(Turn).filter(session=Slot("session", BigIntegerField()), state=State.RECEIVED)
    return found.defer("response", "outcomes", "error_detail").order_by()


def look_at(session_pk: int) -> Look | None:
    """The session and its queue as they are now; None when it is gone."""
    at = time.monotonic()
    session = next(iter(select(_session, pk=session_pk)), None)
    if session is None:
        return None
    waiting = select(_waiting, session=session_pk)
    for turn in waiting:
        turn.session = session
    return Look(session, in_order(waiting), at)


def waits_until(look: Look) -> datetime | None:
    """When to look again, if the head cannot run now; None when it can."""
    session, head = look.session, look.queue[0]
    if _is_off_for(session.agent, head):
        return session.now + OFF_LOOKS  # type: ignore[no-any-return]
    later = max(filter(None, (look.due, session.agent.paused_until)))
    return later if later > session.now else None


def _is_off_for(agent: Agent, turn: Turn) -> bool:
    """A turn that names its release needs no active one."""
    return is_switched_off(agent) or (agent.active_release_id is None and not turn.wanted_release)


def pick(look: Look, owner: str, deadline: float) -> Picked | None:
    """Write down that the head is being run, and with which messages; None when somebody ended it meanwhile."""
    group = group_of(look.queue, look.session.agent.gather_ms)
    turn = group[-1]
    if len(group) > 1:
        with own_transaction(write_alias()):
            is_picked = _marked(turn)
            if is_picked:
                _merge(group)
    else:
        is_picked = _marked(turn)
        group = [*_merged_before(turn), turn]
    if not is_picked:
        return None
    return Picked(look.session, turn, group, _without(look.queue, group), owner, deadline, time.monotonic(), look.at)


def picked_at_the_door(turn: Turn, held: Held, deadline: float) -> Picked:
    """The pick that the door wrote down, of a Turn that is alone in its queue; `turn` is the row that it made."""
    return Picked(turn.session, turn, [turn], [], held.owner, deadline, time.monotonic(), held.looked)


def repicked(picked: Picked, look: Look) -> Picked | None:
    """The same pick with everything as it is now; None when somebody ended its turn."""
    turn = next((row for row in look.queue if row.pk == picked.turn.pk), None)
    if turn is None:
        return None
    turn.attempts = picked.turn.attempts  # this pick counts once
    group = [*picked.group[:-1], turn]
    for each in group:
        each.session = look.session
    behind = _without(look.queue, group)
    return replace(picked, session=look.session, turn=turn, group=group, behind=behind, looked=look.at)


def _without(queue: Sequence[Turn], group: Sequence[Turn]) -> list[Turn]:
    gone = {each.pk for each in group}
    return [row for row in queue if row.pk not in gone]


def _marked(turn: Turn) -> bool:
    """One attempt more; it is given back when the turn ends otherwise than by an exception or a kill."""
    return update(Turn, {"pk": turn.pk, "state": State.RECEIVED}, _PICKED) == 1


def _merge(group: Sequence[Turn]) -> None:
    """Fix the group: the earlier ones have the last one's fate from now on."""
    for earlier in group[:-1]:
        earlier.state, earlier.merged_into = State.MERGED, group[-1]
    rows(Turn).bulk_update(group[:-1], ["state", "merged_into"])


def _merged_before(turn: Turn) -> list[Turn]:
    """The messages that an earlier attempt of this turn was fixed with."""
    if turn.kind != Turn.Kind.MESSAGE or turn.picked_at is None:
        return []
    found = list(rows(Turn).filter(merged_into=turn).order_by("pk"))
    for each in found:
        each.session = turn.session
    return found
