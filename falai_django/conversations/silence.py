"""A person takes over, and gives back (spec: host.md section 3, Silence).

While a session is silenced its turns run, but say nothing. Silence counts in the commit: a turn that was being phrased
is lost and replayed silenced, and what had not left yet is withheld.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from falai_django import audit
from falai_django.built_in_actions import HAND_OFF_FOR
from falai_django.databases import own_transaction
from falai_django.inbox.door import lock_session
from falai_django.models import Session
from falai_django.outbox.queue import withhold
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias
from falai_django.silenced import silence_columns
from falai_engine import FlowConfigurationError
from falai_engine.times import duration_ms

__all__ = ["HUMAN", "give_back", "lasting", "silence", "take_over"]

HUMAN: Final = "human"
"""Why a session is silenced that a person took over."""


def take_over(actor: Actor, session: Session, reason: str = HUMAN, lasts: str | None = None) -> None:
    """Silence the agent for a duration (`"2h"`), by default as long as the agent says. The row comes with its agent.

    NotAllowedError when the actor may not; InputRefusedError when the session is being erased.
    """
    tenant = session.agent.tenant
    require(actor, tenant, Capability.OPERATE)
    with own_transaction(write_alias()):
        locked = lock_session(session.agent, session.session_id, is_made=False)
        silence(locked, reason, locked.now + lasting(lasts or locked.agent.human_silence))
        audit.record(actor, tenant, "session.taken_over", f"session {session.pk}", lasts=lasts or "")


def give_back(actor: Actor, session: Session) -> None:
    """Let the agent speak again, from the next input on."""
    tenant = session.agent.tenant
    require(actor, tenant, Capability.OPERATE)
    with own_transaction(write_alias()):
        locked = lock_session(session.agent, session.session_id, is_made=False)
        _write(locked, silenced=None, silenced_until=None)
        audit.record(actor, tenant, "session.given_back", f"session {session.pk}")


def lasting(duration: str) -> timedelta:
    """How long a duration is; as long as a hand-off when it is none."""
    try:
        return timedelta(milliseconds=duration_ms(duration))
    except FlowConfigurationError:
        return timedelta(milliseconds=duration_ms(HAND_OFF_FOR))


def silence(locked: Any, reason: str, until: datetime) -> None:
    """Silence a locked session until then, or as long as it is silenced already; what had not left is withheld."""
    _write(locked, **silence_columns(locked, reason, until, locked.now))
    withhold(locked.pk)


def _write(locked: Any, **columns: Any) -> None:
    """The number tells a turn that runs that it was phrased under another rule."""
    locked.silence_seq += 1
    rows(Session).filter(pk=locked.pk).update(silence_seq=locked.silence_seq, **columns)
