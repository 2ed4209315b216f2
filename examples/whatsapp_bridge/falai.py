"""falai's REST API: a message becomes a turn."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

import httpx

from .configuration import Configuration
from .whatsapp import Inbound

__all__ = ["Falai", "number_of", "session_of"]

_CHANNEL = "whatsapp:"
_LOGGER = logging.getLogger("whatsapp_bridge")
_OFF = "agent-off"
_NEVER = frozenset({_OFF, "erased", "invalid-input", "invalid-json", "key-reused", "too-large"})
"""Codes after which the same message is refused again. A key or an agent that is wrong is mended by somebody."""


def session_of(number: str) -> str:
    """A customer's conversation."""
    return f"{_CHANNEL}{number}"


def number_of(session: str) -> str | None:
    """Whose conversation it is; None when it is none of this channel."""
    number = session.removeprefix(_CHANNEL)
    return number if number != session and number.isdigit() else None


class Falai:
    """One agent."""

    def __init__(self, told: Configuration, client: httpx.Client) -> None:
        self._url = f"{told.falai_url.rstrip('/')}/api/v1/agents/{quote(told.falai_agent, safe='')}/sessions"
        self._headers = {"Authorization": f"Bearer {told.falai_key}", "Prefer": "respond-async"}
        self._client = client

    def take(self, message: Inbound) -> str | None:
        """Hand a message over; what falai says comes by its webhook. The same id again is the same turn.

        A text to send instead, when the agent is off and has one. httpx.HTTPError for whatever may be tried again.
        """
        path = f"{self._url}/{quote(session_of(message.sender), safe='')}/turns"
        answer = self._client.post(path, json=_turn(message), headers=self._headers)
        error = _error(answer) if answer.is_error else {}
        if error.get("code") in _NEVER:
            _LOGGER.warning("falai refused a message: %s", error["code"])
            return error.get("message") or None if error["code"] == _OFF else None
        answer.raise_for_status()
        return None


def _turn(message: Inbound) -> dict[str, Any]:
    parts = {
        "id": message.id,
        "text": message.text,
        "at": message.at,
        "media": message.media,
        "reply": None if message.reply is None else {"id": message.reply},
    }
    return {
        "message": {name: part for name, part in parts.items() if part is not None},
        "anchors": {"whatsapp": message.sender},
        "deliver": "sender",
    }


def _error(answer: httpx.Response) -> dict[str, Any]:
    try:
        error = answer.json()["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}
