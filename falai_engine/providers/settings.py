"""What the provider of one vendor and model is configured with (spec: providers.md, options)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from falai_engine.errors import FlowConfigurationError
from falai_engine.model import ModelRequest

__all__ = ["JsonWithTools", "Settings", "Structured"]

_KEY: Final = re.compile(r"[!-~]+")
_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")


class Structured(StrEnum):
    """How a call asks for its JSON: pinned to the schema, pinned to any object, or told in the prompt alone."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"


class JsonWithTools(StrEnum):
    """What a call does that carries tools: keep the response format, or leave it off and ask in the prompt."""

    RESPONSE_FORMAT = "response_format"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of a vendor's provider; times are seconds. Raises FlowConfigurationError when one cannot work.

    `timeout` holds for a whole attempt; in a stream for the first byte and between bytes. `attempts` counts the first
    one too; a pause before another is random, up to `backoff` doubled each time. `extra_body` is laid over the body
    that is sent, for what only this vendor knows.
    """

    kind: str
    model: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    timeout: float = 60.0
    attempts: int = 2
    backoff: float = 0.5
    structured: Structured = Structured.JSON_SCHEMA
    json_with_tools: JsonWithTools = JsonWithTools.RESPONSE_FORMAT
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._insist(_MODEL.fullmatch(self.model) and ".." not in self.model, "the model is not a name", "Name a model")
        self._insist(
            self.api_key is None or _KEY.fullmatch(self.api_key),
            "the API key has blanks or characters that no header carries",
            "Copy the key again, without the line's end",
        )
        self._insist(_is_plain_url(self.base_url), "the base URL is not a plain http(s) one", "Write https://host/path")
        self._insist(_is_positive(self.timeout), "the timeout is not a number of seconds", "Give a number above 0")
        self._insist(_is_whole(self.attempts), "attempts is not a whole number above 0", "Give 1 or more; 2 is usual")
        self._insist(
            self.max_tokens is None or _is_whole(self.max_tokens),
            "max_tokens is not a whole number above 0",
            "Leave it out",
        )
        self._insist(self.backoff >= 0, "backoff is negative", "Give seconds, 0 for none")

    def _insist(self, holds: object, what: str, fix: str) -> None:
        if not holds:
            raise FlowConfigurationError(f'provider "{self.kind}"', what, fix)

    def form_of(self, request: ModelRequest) -> Structured | None:
        """How this call asks for its JSON, None when it wants plain text."""
        if not request.schema:
            return None
        if request.tools and self.json_with_tools is JsonWithTools.PROMPT:
            return Structured.PROMPT
        return self.structured


def _is_plain_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return False
    # Credentials in a URL would show in every log line that names it; a path is appended, so nothing may stand behind.
    is_bare = "@" not in parts.netloc and not parts.query and not parts.fragment
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and is_bare and port_is_fine


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
