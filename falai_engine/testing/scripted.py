"""A provider that plays a script and remembers what it was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import Capabilities, ModelReply, ModelRequest, Reset, ToolCall, Usage

__all__ = ["ScriptedProvider"]

Script = Iterable[Mapping[str, Any]]


class ScriptedProvider:
    """Replies in order by the call's schema name; the formats are those of scenario files.

    A script that ran dry raises a ProviderError of kind `unknown`. `requests` are the calls so far.
    """

    name = "scripted"
    capabilities = Capabilities()

    def __init__(self, understand: Script = (), speak: Script = (), summaries: Script = ()) -> None:
        self.requests: list[ModelRequest] = []
        self._summaries = deque(summaries)
        self.script(understand, speak)

    def script(self, understand: Script = (), speak: Script = ()) -> None:
        """Start anew with these replies; summaries go on."""
        self.requests = []
        self._queues = {"understand": deque(understand), "speak": deque(speak), None: self._summaries}

    def generate(self, request: ModelRequest) -> ModelReply:
        """The next reply for this kind of call."""
        self.requests.append(request)
        queue = self._queues[request.schema_name]
        if not queue:
            raise ProviderError(self.name, ErrorKind.UNKNOWN, code="the script ran dry")
        return _reply(queue.popleft(), request.schema)

    async def agenerate(self, request: ModelRequest) -> ModelReply:
        """The same."""
        return self.generate(request)

    def stream(self, request: ModelRequest) -> Iterator[str | Reset | ModelReply]:
        """The message word by word, then the reply."""
        reply = self.generate(request)
        yield from _pieces(reply)
        yield reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | Reset | ModelReply]:
        """The same."""
        for item in self.stream(request):
            yield item


def _pieces(reply: ModelReply) -> Iterator[str]:
    for word in reply.message.split(" "):
        if word:
            yield word + " "


def _reply(script: Mapping[str, Any], schema: Mapping[str, Any]) -> ModelReply:
    if "fail" in script:
        raise _failure(script["fail"])
    if "raw" in script:
        return ModelReply(message=script["raw"], usage=_usage(script.get("usage")))
    structured = {key: value for key, value in script.items() if key not in ("toolCalls", "usage")}
    sections = schema.get("properties", {})
    if isinstance(structured.get("branches"), list):
        structured["branches"] = _in_order(structured["branches"], _names(sections, "branches"))
    for section in ("flows", "mentions"):
        if isinstance(structured.get(section), Mapping) and "*" in structured[section]:
            structured[section] = _for_all(structured[section], _names(sections, section))
    message = structured.get("message")
    return ModelReply(
        message=message if isinstance(message, str) else "",
        structured=structured,
        tool_calls=[ToolCall(each["toolName"], each["arguments"]) for each in script.get("toolCalls") or ()],
        usage=_usage(script.get("usage")),
    )


def _names(sections: Mapping[str, Any], section: str) -> list[str]:
    return list(sections.get(section, {}).get("properties", {}))


def _in_order(values: list[Any], names: list[str]) -> dict[str, Any]:
    return {name: values[index] if index < len(values) else False for index, name in enumerate(names)}


def _for_all(values: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    named = {name: value for name, value in values.items() if name != "*"}
    return {**named, **{name: values["*"] for name in names if name not in named}}


def _failure(fail: Mapping[str, Any]) -> ProviderError:
    return ProviderError(
        "scripted",
        fail["kind"],
        retry_after_ms=fail.get("retryAfterMs"),
        reset_at_ms=fail.get("resetAtMs"),
        should_retry=fail.get("shouldRetry"),
    )


def _usage(usage: Mapping[str, int] | None) -> Usage | None:
    if usage is None:
        return None
    return Usage(usage.get("promptTokens", 0), usage.get("completionTokens", 0), usage.get("cachedInputTokens", 0))
