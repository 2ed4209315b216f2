"""What a program tells of a session beside its turns: context, and what it is about (spec: host.md section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_django.inbox.anchors import link_anchors
from falai_django.inbox.cleaning import cleaned
from falai_django.inbox.door import door, lock_session
from falai_django.inbox.inputs import checked_anchors, checked_context
from falai_django.merge_patch import merged
from falai_django.models import Agent, Session
from falai_django.rows import rows

__all__ = ["patch_session"]


def patch_session(
    agent: Agent,
    session_id: str,
    *,
    context: Mapping[str, Any] | None = None,
    anchors: Mapping[str, str | None] | None = None,
) -> Session:
    """Lay merge patches over the stored context and anchors, at once; the session is made when there is none.

    InputRefusedError for what cannot be stored, and while the session is being erased.
    """
    context_patch = checked_context(cleaned(dict(context or {}), "context"))
    anchor_patch = checked_anchors(cleaned(dict(anchors or {}), "anchors"))
    with door(agent):
        session: Session = lock_session(agent, session_id)
        changes: dict[str, Any] = {"context": merged(session.context, context_patch)}
        about = merged(session.anchors, anchor_patch)
        if about != session.anchors:
            link_anchors(session, about)
            changes["anchors"] = about
        rows(Session).filter(pk=session.pk).update(**changes)
    session.context, session.anchors = changes["context"], about
    return session
