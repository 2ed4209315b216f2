"""The queue of each session's messages that are to leave (spec: host.md section 4).

Only the head of a session's queue is ever leased, so that its messages arrive in order. `due` says when a message may
leave: its pause after the later of its commit and the leaving of the one before it, or its next try. All times are the
database's: every comparison is made there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce, Greatest, Least

from falai_django.conf import settings
from falai_django.databases import Now
from falai_django.models import Message, TenantRows
from falai_django.outbox.answers import Answer, Declined, Failed, Sent, retry_delay
from falai_django.rows import rows

__all__ = ["FREE", "WAITING", "end_pauses", "expire", "finish", "lease", "leaving", "left", "ready", "withhold"]

WAITING: Final = (Message.State.QUEUED, Message.State.SENDING)
"""What is still to leave, and holds up what is behind it."""
FREE: Final = Q(lease_until__isnull=True) | Q(lease_until__lte=Now())
"""Nobody is sending it, or who was is gone."""
_IN_TIME: Final = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
_ERROR_CHARACTERS: Final = 200


def leaving(at: datetime, inbound_seq: int, *, after_ms: int = 0, behind_ms: int = 0) -> dict[str, Any]:
    """The fields of a message that is to leave, committed `at`.

    `inbound_seq` is the session's as its turn had read it; `behind_ms`: the pauses of those of its turn before it.
    """
    whole = timedelta(milliseconds=behind_ms + after_ms, seconds=settings().outbox_expiry_seconds)
    return {
        "state": Message.State.QUEUED,
        "after_ms": after_ms,
        "due": at + timedelta(milliseconds=after_ms),
        "inbound_seq": inbound_seq,
        "expires_at": at + whole,
    }


def ready() -> TenantRows:
    """Messages that may be leased now: due and not too late, at the head of their session's queue, held by nobody."""
    ahead = rows(Message).filter(session=OuterRef("session"), seq__lt=OuterRef("seq"), state__in=WAITING)
    return (
        rows(Message)
        .filter(FREE, _IN_TIME, ~Exists(ahead), state__in=WAITING, due__lte=Now())
        .filter(session__erasing_at__isnull=True)
    )


def lease(pk: int, owner: str) -> bool:
    """Take a message to send it; False when another was faster. One try is counted, whatever becomes of it."""
    taken = rows(Message).filter(FREE, _IN_TIME, pk=pk, state__in=WAITING, due__lte=Now()).update(**leased(owner))
    return bool(taken)


def leased(owner: str, seconds: float | None = None) -> dict[str, Any]:
    """What a lease writes; `seconds`: how long it holds."""
    held = settings().outbox_lease_seconds if seconds is None else seconds
    return {
        "state": Message.State.SENDING,
        "lease_owner": owner,
        "lease_until": Now() + timedelta(seconds=held),
        "attempts": F("attempts") + 1,
    }


def finish(message: Message, owner: str, answer: Answer) -> bool:
    """Write what became of a leased message; False, and nothing is written, when the lease was lost meanwhile."""
    written = _WRITTEN[type(answer)](message, answer)
    if isinstance(answer, Sent):
        left(message)
    mine = rows(Message).filter(pk=message.pk, state=Message.State.SENDING, lease_owner=owner)
    return bool(mine.update(lease_owner="", lease_until=None, **written))


def left(message: Message) -> None:
    """Let the pause of the next message count from now: this one has just left, and its row is written after."""
    behind = rows(Message).filter(session=message.session_id, seq__gt=message.seq, state=Message.State.QUEUED)
    following = behind.order_by("seq").values("pk", "after_ms", "attempts", "inbound_seq", "session__inbound_seq")
    for row in following[:1]:
        if row["after_ms"] and not row["attempts"] and not _answered(row):
            pause = timedelta(milliseconds=row["after_ms"])
            rows(Message).filter(pk=row["pk"]).update(due=Greatest(F("due"), Now() + pause))


def _answered(row: Mapping[str, Any]) -> bool:
    """Whether an inbound came after the message was written: nothing pauses any more."""
    return row["inbound_seq"] is not None and row["inbound_seq"] < row["session__inbound_seq"]


def end_pauses() -> int:
    """Make due at once what still pauses although an inbound came since: the customer does not wait for typing."""
    pausing = rows(Message).filter(state=Message.State.QUEUED, due__gt=Now(), attempts=0, after_ms__gt=0)
    return pausing.filter(inbound_seq__lt=F("session__inbound_seq")).update(due=Now())


def expire() -> int:
    """Give up what could not leave in time; what is behind it goes on."""
    late = rows(Message).filter(FREE, state__in=WAITING, due__lte=Now(), expires_at__lte=Now())
    return late.update(state=Message.State.EXPIRED, lease_until=None)


def withhold(session_pk: int) -> int:
    """Keep back what the assistant said and nobody has begun to send: a person has taken over.

    What is leaving just now is not tried again, should it fail.
    """
    said = rows(Message).filter(
        session=session_pk, author=Message.Author.ASSISTANT, direction=Message.Direction.OUT, state__in=WAITING
    )
    said.filter(state=Message.State.SENDING).update(expires_at=Now())
    return said.filter(state=Message.State.QUEUED).update(state=Message.State.WITHHELD)


def _sent(_message: Message, _answer: Any) -> dict[str, Any]:
    return {"state": Message.State.SENT, "sent_at": Now(), "error": ""}


def _declined(_message: Message, answer: Declined) -> dict[str, Any]:
    return {"state": Message.State.REFUSED, "error": answer.code[:_ERROR_CHARACTERS]}


def _failed(message: Message, answer: Failed) -> dict[str, Any]:
    delay = retry_delay(message.attempts, answer.retry_after)
    error = answer.code[:_ERROR_CHARACTERS]
    if delay is None:
        return {"state": Message.State.DEAD, "error": error}
    again = Now() + delay
    # Not later than its end: then it is found and given up.
    return {
        "state": Message.State.QUEUED,
        "error": error,
        "due": Least(again, Coalesce(F("expires_at"), again)),
    }


_WRITTEN: Final[Mapping[type, Any]] = {Sent: _sent, Declined: _declined, Failed: _failed}
