"""The log of tries (spec: host.md section 4): what was posted and answered, cut, without secrets and sensitive values.

A row is written before the message is, so that whoever is killed between the two leaves a trace of what was sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from falai_django.hiding import Hidden, hidden_of_session
from falai_django.models import Delivery, Message, Sender
from falai_django.outbox.answers import Answer, Declined, Failed, Sent
from falai_django.outgoing import secret_values
from falai_django.rows import rows, write_alias

__all__ = ["BODY_CHARACTERS", "Tried", "log_delivery"]

BODY_CHARACTERS: Final = 4_000
_CODE_CHARACTERS: Final = 200
_OUTCOMES: Final[Mapping[type, str]] = {
    Sent: Delivery.Outcome.SENT,
    Declined: Delivery.Outcome.REFUSED,
    Failed: Delivery.Outcome.FAILED,
}


@dataclass(frozen=True, slots=True)
class Tried:
    """What one try came to. Of a webhook also what went over the wire; `secrets` are kept out of the log."""

    answer: Answer
    status: int | None = None
    request: bytes = b""
    response: bytes = b""
    secrets: tuple[str, ...] = ()


def log_delivery(message: Any, sender: Sender | None, tried: Tried, milliseconds: int) -> None:
    """Write the row; none when the message was deleted meanwhile. It comes with the database's time as its `now`."""
    hidden = hidden_of_session(message.session)
    row = Delivery(
        message=message,
        attempt=message.attempts,
        at=message.now,
        sender="" if sender is None else sender.name,
        outcome=_OUTCOMES[type(tried.answer)],
        code=_told(getattr(tried.answer, "code", ""), hidden, tried.secrets)[:_CODE_CHARACTERS],
        status=tried.status,
        milliseconds=milliseconds,
        request=_shown(tried.request, hidden, tried.secrets),
        response=_shown(tried.response, hidden, tried.secrets),
    )
    with transaction.atomic(using=write_alias()):
        # Held until the row is there: an erasure waits, or was faster.
        if rows(Message).filter(pk=message.pk).select_for_update(no_key=True).values_list("pk", flat=True):
            row.save(using=write_alias())


def _shown(body: bytes, hidden: Hidden, secrets: tuple[str, ...]) -> str:
    """A body as people may read it; what stands in JSON is hidden by its name, too."""
    text = body.decode(errors="replace")
    try:
        given: Any = json.loads(text)
    except (ValueError, RecursionError):
        given = text
    if isinstance(given, dict | list):
        text = json.dumps(hidden.without(given), ensure_ascii=False)
    text = _told(text, hidden, secrets)
    return text if len(text) <= BODY_CHARACTERS else f"{text[:BODY_CHARACTERS]}…"


def _told(text: str, hidden: Hidden, secrets: tuple[str, ...]) -> str:
    sound = text.replace("\x00", "\ufffd").encode(errors="replace").decode()
    told: str = hidden.without(secret_values.masked(sound, secrets))
    return told
