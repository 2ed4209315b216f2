"""The bridge, as a WSGI application: WhatsApp's webhook in, falai's webhook out.

It keeps nothing of what is said. A message counts as taken when the other side has it; until then the one who brought
it is told to bring it again, and ids make a repeat no second message.
"""

from __future__ import annotations

import hmac
import json
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

import httpx

from .answers import AGAIN, FORBIDDEN, NOWHERE, TAKEN, UNREADABLE, Answer
from .configuration import Configuration
from .falai import Falai, number_of
from .sent import Sent
from .signing import verify
from .whatsapp import LONGEST_TEXT, Inbound, Undeliverable, WhatsApp, inbound_messages, is_signed

__all__ = ["Bridge"]

Environ = dict[str, Any]
_LOGGER = logging.getLogger("whatsapp_bridge")
_MOST_BYTES = 1_000_000


class Bridge:
    """`Bridge(configuration)` is the application. `client` speaks to both sides, `now` is the time for signatures."""

    def __init__(
        self, told: Configuration, client: httpx.Client | None = None, now: Callable[[], float] = time.time
    ) -> None:
        for name in ("httpx", "httpcore"):
            # Their lines hold addresses, and with them customers' numbers.
            logging.getLogger(name).setLevel(logging.WARNING)
        client = client or httpx.Client(timeout=10, trust_env=False)
        self._told, self._now = told, now
        self._whatsapp, self._falai = WhatsApp(told, client), Falai(told, client)
        self._sent = Sent(told.database)
        self._doors: dict[tuple[str, str], Callable[[Environ], Answer]] = {
            ("GET", "/whatsapp"): self._shake_hands,
            ("POST", "/whatsapp"): self._from_whatsapp,
            ("POST", "/falai"): self._from_falai,
            ("GET", "/health"): lambda environ: TAKEN,
        }

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        door = self._doors.get((environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")))
        answer = NOWHERE if door is None else door(environ)
        length = str(len(answer.body))
        start_response(answer.status, [("Content-Type", answer.kind), ("Content-Length", length)])
        return [answer.body]

    # -- from WhatsApp

    def _shake_hands(self, environ: Environ) -> Answer:
        """When the webhook is entered there, WhatsApp asks whether it is wanted."""
        asked = {name: values[0] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        token = asked.get("hub.verify_token", "")
        if not hmac.compare_digest(token.encode(), self._told.verify_token.encode()):
            return FORBIDDEN
        return Answer("200 OK", asked.get("hub.challenge", "").encode(), "text/plain")

    def _from_whatsapp(self, environ: Environ) -> Answer:
        body = _body(environ)
        if body is None or not is_signed(environ.get("HTTP_X_HUB_SIGNATURE_256", ""), body, self._told.whatsapp_secret):
            return FORBIDDEN
        payload = _json(body)
        if payload is None:
            return UNREADABLE
        try:
            for message in inbound_messages(payload):
                self._take(message)
        except httpx.HTTPError as error:
            # In order: what comes behind the one that failed waits for it.
            _LOGGER.warning("falai does not take messages now: %s", type(error).__name__)
            return AGAIN
        return TAKEN

    def _take(self, message: Inbound) -> None:
        instead = self._falai.take(message)
        if instead is None:
            return
        try:
            self._send(message.sender, instead, f"off:{message.id}")
        except Undeliverable:
            _LOGGER.warning("an off text was refused by WhatsApp")

    # -- from falai

    def _from_falai(self, environ: Environ) -> Answer:
        body = _body(environ)
        header = environ.get("HTTP_FALAI_SIGNATURE", "")
        if body is None or not verify(header, body, self._told.falai_secrets, self._now()):
            return FORBIDDEN
        message = _json(body)
        if not isinstance(message, dict) or not isinstance(message.get("id"), str):
            return UNREADABLE
        number = _addressee(message)
        if number is None:
            return _refused("no-number")
        if not str(message.get("text") or "").strip():
            return _refused("no-text")
        try:
            self._send(number, str(message["text"]), message["id"])
        except Undeliverable as error:
            return _refused(str(error))
        except httpx.HTTPError as error:
            _LOGGER.warning("WhatsApp does not take messages now: %s", type(error).__name__)
            return AGAIN
        return TAKEN

    def _send(self, number: str, text: str, id_: str) -> None:
        """A long text goes in parts; a repeat goes on after the part that left last."""
        for start in range(0, len(text), LONGEST_TEXT):
            part = f"{id_}:{start}"
            if not self._sent.has(part):
                self._whatsapp.send(number, text[start : start + LONGEST_TEXT])
                self._sent.add(part, self._now())


def _addressee(message: dict[str, Any]) -> str | None:
    """A notice goes to somebody of the team, whom falai calls by their number; all else to the customer."""
    if message.get("direction") == "notice":
        recipient = str(message.get("recipient") or "").lstrip("+")
        return recipient if recipient.isdigit() else None
    return number_of(str(message.get("session") or ""))


def _refused(code: str) -> Answer:
    """It is listed there, and the next one comes."""
    return Answer("200 OK", json.dumps({"refused": code}).encode())


def _body(environ: Environ) -> bytes | None:
    """None when it is longer than either side would send, or of no told length."""
    length = environ.get("CONTENT_LENGTH") or ""
    if not length.isdigit() or int(length) > _MOST_BYTES:
        return None
    body: bytes = environ["wsgi.input"].read(int(length))
    return body


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
