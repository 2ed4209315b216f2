"""WhatsApp's Cloud API: how its webhooks are checked and read, and how a text is sent."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx

from .configuration import Configuration

__all__ = ["Inbound", "Undeliverable", "WhatsApp", "inbound_messages", "is_signed"]

LONGEST_TEXT = 4_096
_NEVER = {
    100: "invalid",
    131021: "own-number",
    131026: "unreachable",
    131030: "not-allowed",
    131047: "window-closed",
    131051: "unsupported",
}
"""Errors after which sending the same again is no use, and what falai is told of each."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message of a customer. `media` is None for a text; `reply` the id of the message that it answers."""

    id: str
    sender: str
    text: str
    at: str | None
    media: Mapping[str, Any] | None
    reply: str | None


class Undeliverable(Exception):  # noqa: N818 - what it is, not that something broke
    """WhatsApp will never take this message; its text is a code for falai."""


def is_signed(header: str, body: bytes, secret: str) -> bool:
    """Whether `X-Hub-Signature-256` was made of this body by who knows the app's secret."""
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), header.encode(errors="replace"))


def inbound_messages(payload: Any) -> Iterator[Inbound]:
    """What customers wrote, in order; receipts, reactions and whatever else comes along is left out."""
    for entry in _list(payload, "entry"):
        for change in _list(entry, "changes"):
            for message in _list(change.get("value"), "messages"):
                read = _read(message)
                if read is not None:
                    yield read


def _list(holder: Any, name: str) -> list[dict[str, Any]]:
    found = holder.get(name) if isinstance(holder, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _read(message: dict[str, Any]) -> Inbound | None:
    kind, id_, sender = message.get("type"), message.get("id"), message.get("from")
    if not (isinstance(id_, str) and isinstance(sender, str) and isinstance(kind, str)) or kind == "reaction":
        return None
    part = message.get(kind)
    part = part if isinstance(part, dict) else {}
    text = _text(kind, part)
    media = None if kind in _TEXT_OF else {"type": kind, **{name: part[name] for name in _KEPT if name in part}}
    context = message.get("context")
    reply = context.get("id") if isinstance(context, dict) else None
    return Inbound(id_, sender, text, _at(message.get("timestamp")), media, reply)


_KEPT = ("id", "mime_type", "filename", "latitude", "longitude", "name")
_TEXT_OF = {"text": ("body",), "button": ("text",), "interactive": ("button_reply", "list_reply")}


def _text(kind: str, part: dict[str, Any]) -> str:
    """The words of a message: a text, a button's title, the caption of a picture."""
    for name in _TEXT_OF.get(kind, ("caption",)):
        found = part.get(name)
        found = found.get("title") if isinstance(found, dict) else found
        if isinstance(found, str):
            return found
    return ""


def _at(seconds: Any) -> str | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return None


class WhatsApp:
    """One number to send from."""

    def __init__(self, told: Configuration, client: httpx.Client) -> None:
        self._url = f"{told.whatsapp_url}/{told.whatsapp_number_id}/messages"
        self._headers = {"Authorization": f"Bearer {told.whatsapp_token}"}
        self._client = client

    def send(self, to: str, text: str) -> None:
        """Send a text. Undeliverable when it never will be; httpx.HTTPError for whatever may be tried again."""
        body = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": to,
            "type": "text",
            "text": {"preview_url": True, "body": text},
        }
        answer = self._client.post(self._url, json=body, headers=self._headers)
        if answer.is_error:
            code = _NEVER.get(_error_code(answer))
            if code is not None:
                raise Undeliverable(code)
            answer.raise_for_status()


def _error_code(answer: httpx.Response) -> int:
    try:
        return int(answer.json()["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return 0
