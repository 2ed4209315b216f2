"""A model of one vendor as a provider, and which vendors there are (spec: providers.md)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from falai_engine.errors import FlowConfigurationError
from falai_engine.model import Capabilities, ModelReply, ModelRequest
from falai_engine.providers.anthropic_messages import ANTHROPIC_MESSAGES
from falai_engine.providers.attempts import Exchange, Item, exchange
from falai_engine.providers.chat_completions import CHAT_COMPLETIONS
from falai_engine.providers.closing import Closing
from falai_engine.providers.gemini_content import GEMINI_CONTENT
from falai_engine.providers.log_guard import guard
from falai_engine.providers.openai_responses import OPENAI_RESPONSES
from falai_engine.providers.settings import JsonWithTools, Settings, Structured
from falai_engine.providers.transport import Connections
from falai_engine.providers.wire import Wire

__all__ = ["VENDORS", "Vendor", "VendorProvider", "vendor_provider"]


@dataclass(frozen=True, slots=True)
class Vendor:
    """A wire and what holds for it unless it is said otherwise. `refuses`: sampling that the API has no word for."""

    wire: Wire
    base_url: str | None
    key_variable: str
    structured: Structured = Structured.JSON_SCHEMA
    json_with_tools: JsonWithTools = JsonWithTools.RESPONSE_FORMAT
    needs_key: bool = True
    refuses: tuple[str, ...] = ()


VENDORS: Final[Mapping[str, Vendor]] = {
    "anthropic": Vendor(
        ANTHROPIC_MESSAGES,
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        refuses=("temperature", "top_p"),  # anthropic 2.14.0 has neither; older models take them by extra_body
    ),
    # DeepSeek pins to any object only, and then answers empty rather than call a tool.
    "deepseek": Vendor(
        CHAT_COMPLETIONS,
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
        structured=Structured.JSON_OBJECT,
        json_with_tools=JsonWithTools.PROMPT,
    ),
    # Models before the third generation refuse tools together with a response type.
    "gemini": Vendor(
        GEMINI_CONTENT,
        "https://generativelanguage.googleapis.com",
        "GEMINI_API_KEY",
        json_with_tools=JsonWithTools.PROMPT,
    ),
    "openai": Vendor(OPENAI_RESPONSES, "https://api.openai.com/v1", "OPENAI_API_KEY", refuses=("stop",)),
    "openai-compatible": Vendor(CHAT_COMPLETIONS, None, "OPENAI_COMPATIBLE_API_KEY", needs_key=False),
    "openrouter": Vendor(CHAT_COMPLETIONS, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
}

_OPTIONS: Final = frozenset(each.name for each in fields(Settings)) - {"kind"}


class VendorProvider(Closing):
    """A Provider over a vendor's HTTP API: safe for many threads and one event loop, connected from the first call on.

    Every call returns a ModelReply or raises ProviderError, its attempts within the request's deadline. `transport`: an
    httpx transport (or a synchronous and an asynchronous one) through which all requests go.
    """

    def __init__(self, wire: Wire, settings: Settings, *, transport: Any = None) -> None:
        self._wire = wire
        self._settings = settings
        self._connections = Connections(settings.kind, transport)
        guard(self, settings.api_key)

    def __repr__(self) -> str:
        return f"<VendorProvider {self._settings.kind} {self._settings.model}>"

    @property
    def name(self) -> str:
        return self._settings.kind

    @property
    def model(self) -> str:
        return self._settings.model

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(json_with_tools=self._settings.json_with_tools is JsonWithTools.RESPONSE_FORMAT)

    def generate(self, request: ModelRequest) -> ModelReply:
        return self._answered(list(self._connections.run(self._exchange(request))))

    async def agenerate(self, request: ModelRequest) -> ModelReply:
        return self._answered([item async for item in self._connections.arun(self._exchange(request))])

    def stream(self, request: ModelRequest) -> Iterator[Item]:
        return self._connections.run(self._exchange(request, streaming=True))

    def astream(self, request: ModelRequest) -> AsyncIterator[Item]:
        return self._connections.arun(self._exchange(request, streaming=True))

    def generate_with(self, json_with_tools: JsonWithTools, request: ModelRequest) -> ModelReply:
        """As `generate`, with that way of asking for JSON beside tools, over the same connections."""
        settings = replace(self._settings, json_with_tools=json_with_tools)
        return self._answered(list(self._connections.run(exchange(self._wire, settings, request, streaming=False))))

    def _exchange(self, request: ModelRequest, *, streaming: bool = False) -> Exchange:
        return exchange(self._wire, self._settings, request, streaming=streaming)

    @staticmethod
    def _answered(items: list[Item]) -> ModelReply:
        reply = items[-1]
        assert isinstance(reply, ModelReply)
        return reply

    def close(self) -> None:
        """Closes the threads' connections; a later call opens new ones."""
        self._connections.close()

    async def aclose(self) -> None:
        """Closes all connections, on the loop that they belong to."""
        await self._connections.aclose()


def vendor_provider(kind: str, *, transport: Any = None, **options: Any) -> VendorProvider:
    """A provider of a kind of VENDORS with the options of Settings; raises FlowConfigurationError when one is wrong."""
    vendor, where = VENDORS[kind], f'provider "{kind}"'
    given = {name: value for name, value in options.items() if value is not None}
    unknown = sorted(set(given) - _OPTIONS)
    if unknown:
        raise FlowConfigurationError(
            where, f"unknown option {unknown[0]!r}", f"Options are {', '.join(sorted(_OPTIONS))}"
        )
    refused = [name for name in vendor.refuses if given.get(name)]
    if refused:
        raise FlowConfigurationError(
            where, f"its API has no {refused[0]!r}", "Leave it out, or use extra_body if the model knows it"
        )
    given.setdefault("base_url", vendor.base_url)
    for name, what in (("model", "a model"), ("base_url", "a base URL"), ("api_key", "an API key")):
        if not given.get(name) and (name != "api_key" or vendor.needs_key):
            raise FlowConfigurationError(where, f"it has not been told {what}", f"Give {name}")
    return VendorProvider(vendor.wire, _settings(kind, vendor, given), transport=transport)


def _settings(kind: str, vendor: Vendor, given: Mapping[str, Any]) -> Settings:
    try:
        return Settings(
            kind=kind,
            **{
                **given,
                "stop": (given["stop"],) if isinstance(given.get("stop"), str) else tuple(given.get("stop", ())),
                "structured": Structured(given.get("structured", vendor.structured)),
                "json_with_tools": JsonWithTools(given.get("json_with_tools", vendor.json_with_tools)),
            },
        )
    except (ValueError, TypeError) as error:
        if isinstance(error, FlowConfigurationError):
            raise
        raise FlowConfigurationError(f'provider "{kind}"', str(error), "See the options of Settings") from None
