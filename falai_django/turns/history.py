"""The transcript as the model reads it (spec: host.md section 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from django.db.models import BigIntegerField

from falai_django.conf import settings
from falai_django.models import Message, Session
from falai_django.prepared import Slot, select
from falai_django.rows import rows

__all__ = ["history_of", "told_text"]

State = Message.State
_UNSAID: Final = (State.WITHHELD, State.REFUSED, State.EXPIRED, State.DEAD)
_ROLES: Final = {
    Message.Author.CUSTOMER: "user",
    Message.Author.ASSISTANT: "assistant",
    Message.Author.HUMAN: "assistant",
}


def told_text(text: str, media: Any) -> str:
    """What the model reads of a message: its text, or a word for what was sent without one."""
    if text or media is None:
        return text
    sort = media.get("type") if isinstance(media, Mapping) else None
    return f"[{sort}]" if isinstance(sort, str) and sort else "[media]"


def history_of(session: Session, without: list[int]) -> list[dict[str, Any]]:
    """The last messages of the session's epoch, oldest first, `without` those of these turns.

    What was withheld, refused, given up or too old was never said; what waits to leave counts.
    """
    most = settings().history_messages
    if session.next_seq <= max(session.epoch, 1) or not most:
        return []
    newest = select(_newest(most), session=session.pk, epoch=session.epoch)
    return [
        {"role": _ROLES[row.author], "content": told_text(row.text, row.media)}
        for row in reversed(newest)
        if row.turn_id not in without
    ]


@lru_cache(maxsize=16)
def _newest(most: int) -> Callable[[], Any]:
    def make() -> Any:
        of_epoch = {"session": Slot("session", BigIntegerField()), "seq__gte": Slot("epoch", BigIntegerField())}
        said = rows(Message).filter(**of_epoch).exclude(direction=Message.Direction.NOTICE)
        return said.exclude(state__in=_UNSAID).order_by("-seq").only("author", "text", "media", "turn")[:most]

    return make
