"""What the bridge is told by its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Configuration", "configuration_of"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """One number of WhatsApp and one agent of falai.

    `falai_url`: up to and without `/api/v1`. `falai_secrets`: those that falai signs with, two while one is replaced.
    `whatsapp_secret` is the app's, `verify_token` the word agreed on when the webhook is entered there.
    """

    falai_url: str
    falai_key: str
    falai_agent: str
    falai_secrets: tuple[str, ...]
    whatsapp_number_id: str
    whatsapp_token: str
    whatsapp_secret: str
    verify_token: str
    whatsapp_url: str = "https://graph.facebook.com/v23.0"
    database: str = "whatsapp_bridge.sqlite3"


_NAMES = {
    "falai_url": "FALAI_URL",
    "falai_key": "FALAI_API_KEY",
    "falai_agent": "FALAI_AGENT",
    "falai_secrets": "FALAI_WEBHOOK_SECRETS",
    "whatsapp_number_id": "WHATSAPP_PHONE_NUMBER_ID",
    "whatsapp_token": "WHATSAPP_TOKEN",
    "whatsapp_secret": "WHATSAPP_APP_SECRET",
    "verify_token": "WHATSAPP_VERIFY_TOKEN",
    "whatsapp_url": "WHATSAPP_URL",
    "database": "BRIDGE_DATABASE",
}
_OPTIONAL = {"whatsapp_url", "database"}


def configuration_of(environment: Mapping[str, str] = os.environ) -> Configuration:
    """Read it; SystemExit names every variable that is missing."""
    missing = [name for field, name in _NAMES.items() if field not in _OPTIONAL and not environment.get(name)]
    if missing:
        raise SystemExit(f"Set {', '.join(missing)}. README.md says what they are.")
    given = {field: environment[name] for field, name in _NAMES.items() if environment.get(name)}
    secrets = tuple(each.strip() for each in given.pop("falai_secrets").split(",") if each.strip())
    return Configuration(**given, falai_secrets=secrets)
