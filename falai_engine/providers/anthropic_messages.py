"""Anthropic's Messages API, as read from anthropic 2.14.0 (spec: providers.md, kind `anthropic`).

Of the ways that it offers: the schema as `output_config.format`; thinking blocks go back unchanged in front of their
calls; the system block ends in a cache breakpoint, which covers the tools too, since they stand before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from falai_engine.errors import ErrorKind
from falai_engine.model import ModelRequest, Usage
from falai_engine.providers.error_table import of_report, of_stop
from falai_engine.providers.history import (
    GO_ON,
    AssistantTurn,
    Call,
    ResultsTurn,
    SystemTurn,
    Turn,
    UserTurn,
    turns_of,
)
from falai_engine.providers.json_text import arguments_of, object_of, objects, parsed, reach, text_of, whole
from falai_engine.providers.reasoning import kept, replayed
from falai_engine.providers.server_sent_events import ServerSentEvent
from falai_engine.providers.settings import Settings, Structured
from falai_engine.providers.vendor_schema import for_anthropic, instructed, parameters_of, union_count
from falai_engine.providers.wire import Heard, HttpCall, Wire

__all__ = ["ANTHROPIC_MESSAGES"]

_VERSION: Final = "2023-06-01"
# The API demands a limit; thinking counts too.
_DEFAULT_MAX_TOKENS: Final = 8_192
# Structured outputs take at most this many parameters of several types ("string or null"); more are told in words.
_MOST_UNIONS: Final = 16
_CALL: Final = "tool_use"
_THINKING: Final = ("thinking", "redacted_thinking")


def _build(request: ModelRequest, settings: Settings, streaming: bool) -> HttpCall:
    pinned = _is_pinned(request, settings)
    prompt = instructed(request.prompt, request.schema) if request.schema and not pinned else request.prompt
    turns = turns_of(request.history, prompt)
    body: dict[str, Any] = {"model": settings.model, "max_tokens": settings.max_tokens or _DEFAULT_MAX_TOKENS}
    if system := _system(request.system, turns):
        body["system"] = system
    body["messages"] = list(_messages(turns, settings))
    body |= _tools(request, turns)
    if pinned:
        body["output_config"] = {"format": {"type": "json_schema", "schema": for_anthropic(request.schema)}}
    if settings.stop:
        body["stop_sequences"] = list(settings.stop)
    if streaming:
        body["stream"] = True
    headers = {"x-api-key": settings.api_key or "", "anthropic-version": _VERSION}
    path = "/messages" if settings.base_url.rstrip("/").endswith("/v1") else "/v1/messages"
    return HttpCall.of(settings, path, headers, body)


def _is_pinned(request: ModelRequest, settings: Settings) -> bool:
    return (
        settings.form_of(request) is Structured.JSON_SCHEMA
        and union_count(for_anthropic(request.schema)) <= _MOST_UNIONS
    )


def _system(system: str | None, turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The system text, and behind its breakpoint what the conversation's own system items say."""
    blocks: list[dict[str, Any]] = []
    if system:
        blocks.append({"type": "text", "text": system, "cache_control": {"type": "ephemeral"}})
    return blocks + [{"type": "text", "text": turn.text} for turn in turns if isinstance(turn, SystemTurn)]


def _tools(request: ModelRequest, turns: Sequence[Turn]) -> dict[str, Any]:
    if request.tools:
        return {
            "tools": [
                {"name": tool.name, "description": tool.description, "input_schema": parameters_of(tool)}
                for tool in request.tools
            ]
        }
    called = {call.name for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls}
    if not called:
        return {}
    # Calls in the history are only taken together with tools; none of them may be called now.
    named = [{"name": name, "input_schema": {"type": "object", "properties": {}}} for name in sorted(called)]
    return {"tools": named, "tool_choice": {"type": "none"}}


def _messages(turns: Sequence[Turn], settings: Settings) -> Iterator[dict[str, Any]]:
    first = next(turn for turn in turns if not isinstance(turn, SystemTurn))
    if isinstance(first, AssistantTurn):
        yield {"role": "user", "content": GO_ON}
    for turn in turns:
        match turn:
            case UserTurn(text):
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield {"role": "assistant", "content": list(_replay(turn, settings)) or list(_afresh(turn))}
            case ResultsTurn(results):
                content = [{"type": "tool_result", "tool_use_id": each.id, "content": each.text} for each in results]
                yield {"role": "user", "content": content}


def _replay(turn: AssistantTurn, settings: Settings) -> Iterator[dict[str, Any]]:
    for block, call in replayed(settings, turn, _CALL):
        yield _call_block(call) if call else block


def _afresh(turn: AssistantTurn) -> Iterator[dict[str, Any]]:
    if turn.text.strip():
        yield {"type": "text", "text": turn.text}
    for call in turn.calls:
        yield _call_block(call)


def _call_block(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}


def _read(body: Mapping[str, Any], settings: Settings) -> Heard:
    if body.get("type") == "error" or not isinstance(body.get("content"), list):
        raise of_report(settings, body)
    blocks = list(objects(body["content"]))
    text = "".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
    stop = text_of(body.get("stop_reason"))
    if stop == "refusal":
        raise of_stop(settings, ErrorKind.CONTENT, stop, text_of(reach(body, "stop_details", "explanation")) or text)
    if stop == "model_context_window_exceeded":
        raise of_stop(settings, ErrorKind.CONTEXT, stop)
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    thought = bool(calls) and any(block.get("type") in _THINKING for block in blocks)
    return Heard(
        text=text,
        calls=tuple((text_of(call.get("name")), arguments_of(call.get("input"))) for call in calls),
        reasoning=kept(settings, [_kept_block(block) for block in blocks]) if thought else None,
        usage=_usage(body.get("usage")),
        model=text_of(body.get("model")) or None,
        finish=stop or None,
    )


def _kept_block(block: dict[str, Any]) -> dict[str, Any]:
    """A call by its place alone; of a text what is taken back, of thinking all."""
    match block.get("type"):
        case "tool_use":
            return {_CALL: True}
        case "text":
            return {"type": "text", "text": text_of(block.get("text"))}
    return block


def _usage(counted: Any) -> Usage | None:
    if not isinstance(counted, Mapping):
        return None
    cached = whole(counted.get("cache_read_input_tokens"))
    # input_tokens counts only what the cache has nothing to do with.
    return Usage(
        prompt_tokens=whole(counted.get("input_tokens")) + whole(counted.get("cache_creation_input_tokens")) + cached,
        completion_tokens=whole(counted.get("output_tokens")),
        cached_input_tokens=cached,
    )


class _Listener:
    """Blocks open, grow by deltas and close; usage comes with the first event and, summed up, with the last ones."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self.is_over = False
        self.is_whole = False

    def feed(self, event: ServerSentEvent) -> str:
        data = object_of(parsed(event.data))
        match text_of(data.get("type")):
            case "error":
                raise of_report(self._settings, data)
            case "message_start":
                self._message = dict(object_of(data.get("message")))
            case "content_block_start":
                self._blocks[whole(data.get("index"))] = dict(object_of(data.get("content_block")))
            case "content_block_delta":
                return self._grow(whole(data.get("index")), object_of(data.get("delta")))
            case "message_delta":
                told = {key: value for key, value in object_of(data.get("delta")).items() if value is not None}
                counted = {key: value for key, value in object_of(data.get("usage")).items() if value is not None}
                self._message |= told | {"usage": object_of(self._message.get("usage")) | counted}
            case "message_stop":
                self.is_over = self.is_whole = True
        return ""

    def _grow(self, index: int, delta: Mapping[str, Any]) -> str:
        block = self._blocks.setdefault(index, {"type": "text"})
        match text_of(delta.get("type")):
            case "input_json_delta":
                self._inputs.setdefault(index, []).append(text_of(delta.get("partial_json")))
            case "thinking_delta":
                block["thinking"] = text_of(block.get("thinking")) + text_of(delta.get("thinking"))
            case "signature_delta":
                block["signature"] = text_of(block.get("signature")) + text_of(delta.get("signature"))
            case "text_delta":
                block["text"] = text_of(block.get("text")) + text_of(delta.get("text"))
                return text_of(delta.get("text"))
        return ""

    def body(self) -> Mapping[str, Any]:
        for index, pieces in self._inputs.items():
            if written := "".join(pieces):
                self._blocks[index]["input"] = written
        return {**self._message, "content": [self._blocks[index] for index in sorted(self._blocks)]}


ANTHROPIC_MESSAGES: Final = Wire(build=_build, read=_read, listen=_Listener)
