"""The transcript as the model reads it (spec: host.md section 3)."""

from __future__ import annotations

from typing import Any, Final

from falai_django.conf import settings
from falai_django.models import Message, Session
from falai_django.rows import rows

__all__ = ["history_of"]

State = Message.State
_UNSAID: Final = (State.WITHHELD, State.REFUSED, State.EXPIRED, State.DEAD)
_ROLES: Final = {
    Message.Author.CUSTOMER: "user",
    Message.Author.ASSISTANT: "assistant",
    Message.Author.HUMAN: "assistant",
}


def history_of(session: Session, without: list[int]) -> list[dict[str, Any]]:
    """The last messages of the session's epoch, oldest first, `without` those of these turns.

    What was withheld, refused, given up or too old was never said; what waits to leave counts.
    """
    most = settings().history_messages
    if session.next_seq <= max(session.epoch, 1) or not most:
        return []
    said = rows(Message).filter(session=session, seq__gte=session.epoch).exclude(direction=Message.Direction.NOTICE)
    newest = said.exclude(state__in=_UNSAID).order_by("-seq").values_list("author", "text", "turn_id")[:most]
    kept = [(author, text) for author, text, turn in newest if turn not in without]
    return [{"role": _ROLES[author], "content": text} for author, text in reversed(kept)]
