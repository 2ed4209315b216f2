"""The six kinds over HTTP with the fake that plays each."""

from __future__ import annotations

from falai_engine.providers import make_provider
from tests.providers.fakes import anthropic_fake, chat_fake, gemini_fake, openai_fake

FAKES = {
    "anthropic": anthropic_fake,
    "deepseek": chat_fake,
    "gemini": gemini_fake,
    "openai": openai_fake,
    "openai-compatible": chat_fake,
    "openrouter": chat_fake,
}
KINDS = sorted(FAKES)
# One kind for each format on the wire, where the others would only tell the same again.
FORMATS = ["anthropic", "gemini", "openai", "openrouter"]
PATHS = {
    "anthropic": "",
    "gemini": "",
    "openai": "/v1",
    "openrouter": "/api/v1",
    "deepseek": "",
    "openai-compatible": "/v1",
}


def provider_of(kind, server, **options):
    """A provider of the kind against the local server: quick pauses, and a timeout that no test waits for."""
    fake = FAKES[kind]
    given = {
        "model": fake.MODEL,
        "api_key": fake.KEY,
        "base_url": server.url + PATHS[kind],
        "timeout": 5.0,
        "backoff": 0,
    }
    return make_provider(kind, **given | options)
