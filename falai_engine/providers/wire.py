"""What every vendor's wire module offers, and what it brings back from a reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from falai_engine.model import ModelReply, ModelRequest, ToolCall, Usage
from falai_engine.providers.json_text import first_object, text_of
from falai_engine.providers.server_sent_events import ServerSentEvent
from falai_engine.providers.settings import Settings

__all__ = ["Heard", "HttpCall", "Listener", "Wire", "reply_of"]


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A POST to make. The headers hold the key, so they show in no repr."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @classmethod
    def of(cls, settings: Settings, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> HttpCall:
        laid_over = {**body, **settings.extra_body}
        text = json.dumps(laid_over, ensure_ascii=False, separators=(",", ":"), default=str)
        # Half a surrogate pair in a customer's text must not keep the call from going out.
        encoded = text.encode("utf-8", "replace")
        # Compression would only hold back a stream's first bytes.
        fixed = {"content-type": "application/json", "accept-encoding": "identity", "user-agent": "falai"}
        return cls(settings.base_url.rstrip("/") + path, fixed | dict(headers), encoded)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a vendor's reply says, in our words; `calls` are (name, arguments)."""

    text: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    reasoning: Any = None
    usage: Usage | None = None
    model: str | None = None
    finish: str | None = None


class Listener(Protocol):
    """Puts a stream together. `is_over`: the vendor said that nothing follows; `is_whole`: what came is a reply."""

    is_over: bool
    is_whole: bool

    def feed(self, event: ServerSentEvent) -> str:
        """The answer's text that this event adds. Raises ProviderError when it reports a failure."""

    def body(self) -> Mapping[str, Any]:
        """The reply that came, as the vendor would have sent it in one piece."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One vendor's format, pure: `build(request, settings, streaming)`, `read(body, settings)`, `listen(settings)`.

    `read` takes whatever JSON came, and raises ProviderError when it is a refusal, a failure or no reply at all.
    """

    build: Callable[[ModelRequest, Settings, bool], HttpCall]
    read: Callable[[Mapping[str, Any], Settings], Heard]
    listen: Callable[[Settings], Listener]


def reply_of(heard: Heard, request: ModelRequest) -> ModelReply:
    """The reply to a request: with a schema, the first object in the text is the structured output."""
    structured = first_object(heard.text) if request.schema else None
    message = heard.text
    if structured is not None and "message" in (request.schema.get("properties") or {}):
        message = text_of(structured.get("message"))
    return ModelReply(
        message=message,
        structured=structured,
        tool_calls=tuple(ToolCall(name, arguments) for name, arguments in heard.calls),
        reasoning=heard.reasoning,
        usage=heard.usage,
        model=heard.model,
        finish=heard.finish,
    )
