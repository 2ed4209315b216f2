"""Not waiting for what comes by itself: the next wake of a conversation happens now (spec: ux.md, "next wake")."""

from __future__ import annotations

from falai_django import audit
from falai_django.databases import own_transaction
from falai_django.hints import hint
from falai_django.inbox.door import lock_session
from falai_django.models import Session, Wake
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias

__all__ = ["bring_forward"]


def bring_forward(actor: Actor, session: Session) -> str | None:
    """Make the next pending wake due, and give its key; None when none is pending. The row comes with its agent.

    The loop runs it as any other that is due. No clock moves: what the flow waits for after it is counted from now.
    NotAllowedError when the actor may not; InputRefusedError when the session is being erased.
    """
    tenant = session.agent.tenant
    require(actor, tenant, Capability.OPERATE)
    with own_transaction(write_alias()):
        locked = lock_session(session.agent, session.session_id, is_made=False)
        wake = rows(Wake).filter(session=locked).order_by("due", "pk").first()
        if wake is None:
            return None
        rows(Wake).filter(pk=wake.pk).update(due=locked.now, held_due=None)
        audit.record(actor, tenant, "wake.brought_forward", f"session {session.pk}", wake=wake.pk)
        hint("wakes")
    return str(wake.key)
