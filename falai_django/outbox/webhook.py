"""The sender `webhook`: a signed POST to the tenant's URL (spec: host.md section 4; `falai_django.signing`).

2xx: sent, unless the answer is the JSON `{"refused": "<code>"}`. Anything else, and no answer, is tried again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from falai_django.conf import settings
from falai_django.encryption import decrypt
from falai_django.errors import EncryptionError, OutgoingError
from falai_django.models import Sender
from falai_django.outbox.answers import Answer, Declined, Failed, Sent
from falai_django.outbox.connection import post
from falai_django.outbox.deliveries import Tried
from falai_django.outbox.payload import Outgoing, payload
from falai_django.outgoing.connection import Answered
from falai_django.signing import SIGNATURE_HEADER, signature

__all__ = ["send_by_webhook"]

_OK: Final = range(200, 300)
_FAILURES: Final[Mapping[str, str]] = {
    "refused": "not-allowed",
    "unreachable": "network",
    "broken": "network",
    "timeout": "timeout",
    "too-large": "answer-too-large",
}
"""By the code of an OutgoingError."""


def send_by_webhook(message: Outgoing, sender: Sender) -> Tried:
    """Post the message and read what the receiver says."""
    body = json.dumps(payload(message), ensure_ascii=True, separators=(",", ":")).encode()
    try:
        secrets = _secrets(sender)
    except EncryptionError:
        return Tried(Failed("unreadable-secret"))
    try:
        answer = post(sender.url, body, _headers(message, body, secrets), settings().webhook_seconds)
    except OutgoingError as error:
        return Tried(Failed(_FAILURES[error.code]), request=body, secrets=secrets)
    return Tried(_read(answer), answer.status, body, answer.body, secrets)


def _secrets(sender: Sender) -> tuple[str, ...]:
    """Both, while one is being replaced by the other."""
    return tuple(decrypt(each.ciphertext) for each in (sender.secret, sender.next_secret) if each is not None)


def _headers(message: Outgoing, body: bytes, secrets: tuple[str, ...]) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "falai",
        "Idempotency-Key": message.id,
        "Falai-Attempt": str(message.attempt),
    }
    return headers | ({SIGNATURE_HEADER: signature(body, secrets, message.tried_at.timestamp())} if secrets else {})


def _read(answer: Answered) -> Answer:
    if answer.status not in _OK:
        return Failed(f"http-{answer.status}", _retry_after(answer.headers.get("retry-after", "")))
    code = _refusal(answer.body)
    return Sent() if code is None else Declined(code)


def _refusal(body: bytes) -> str | None:
    """The code of `{"refused": code}`; an answer that is anything else took the message."""
    try:
        said: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    code = said.get("refused") if isinstance(said, dict) else None
    return code if isinstance(code, str) and code else None


def _retry_after(text: str) -> float | None:
    """Whole seconds; the other form of the header, a date, is not worth a clock that may be wrong."""
    return float(text) if text.isascii() and text.isdigit() else None
