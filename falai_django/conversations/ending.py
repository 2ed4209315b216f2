"""Ending what goes on in a conversation, a run or all of it, by a turn of the host's own (spec: host.md section 3)."""

from __future__ import annotations

from typing import Final

from falai_django import audit
from falai_django.inbox.door import Accepted, take
from falai_django.inbox.inputs import close as closing
from falai_django.inbox.inputs import end as ending
from falai_django.models import Session
from falai_django.roles import Actor, Capability, require

__all__ = ["STOPPED", "close", "end_run"]

STOPPED: Final = "stopped"
"""The code of a run that a person ended."""


def end_run(actor: Actor, session: Session, run_id: str, code: str = STOPPED) -> Accepted:
    """Put the end of a live run into the queue; one that is gone by then changes nothing. The row comes with its agent.

    NotAllowedError when the actor may not.
    """
    require(actor, session.agent.tenant, Capability.OPERATE)
    accepted = take(session.agent, session.session_id, ending(run_id, code))
    audit.record(actor, session.agent.tenant, "run.ended", f"session {session.pk}", turn=accepted.turn.pk)
    return accepted


def close(actor: Actor, session: Session, *, clear: bool = False, key: str | None = None) -> Accepted:
    """Put the close of the conversation into the queue: its runs end, a new history begins; `clear`: its data goes."""
    require(actor, session.agent.tenant, Capability.OPERATE)
    accepted = take(session.agent, session.session_id, closing(clear=clear, key=key))
    audit.record(actor, session.agent.tenant, "session.closed", f"session {session.pk}", turn=accepted.turn.pk)
    return accepted
