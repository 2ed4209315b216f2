"""How long a session is silenced (spec: host.md section 3, Silence). Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from falai_django.inbox.cleaning import cleaned_text
from falai_django.models import Session

__all__ = ["is_silenced", "silence_columns"]

_REASON_CHARACTERS: Final = 200


def is_silenced(session: Session, now: datetime) -> bool:
    """Whether a person, or a flow that handed over, has silenced it for now."""
    return session.silenced is not None and (session.silenced_until is None or session.silenced_until > now)


def silence_columns(session: Session, reason: str, until: datetime, now: datetime) -> dict[str, Any]:
    """The columns of a session that is to be silent until then, or as long as it is silenced already."""
    if not is_silenced(session, now):
        return {"silenced": cleaned_text(reason)[:_REASON_CHARACTERS], "silenced_until": until}
    ends = session.silenced_until
    return {"silenced": session.silenced, "silenced_until": None if ends is None else max(ends, until)}
