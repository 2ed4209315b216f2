"""OpenAI's Responses API, as read from openai 3.57.0 (spec: providers.md, kind `openai`).

Of the ways that it offers: `store: false`, since the engine keeps the conversation; reasoning items go back with their
encrypted content, which comes unasked ("populated by default"); the schema as `text.format`; caching by
`prompt_cache_key` and, for the models that know it, a breakpoint behind the system message.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from falai_engine.errors import ErrorKind
from falai_engine.model import ModelRequest, Usage
from falai_engine.providers.error_table import of_report, of_stop
from falai_engine.providers.history import AssistantTurn, Call, ResultsTurn, SystemTurn, Turn, UserTurn, turns_of
from falai_engine.providers.json_text import arguments_of, object_of, objects, parsed, reach, text_of, whole
from falai_engine.providers.reasoning import kept, replayed
from falai_engine.providers.server_sent_events import ServerSentEvent
from falai_engine.providers.settings import Settings, Structured
from falai_engine.providers.vendor_schema import instructed, parameters_of, with_null_in_enums
from falai_engine.providers.wire import Heard, HttpCall, Wire

__all__ = ["OPENAI_RESPONSES"]

_CALL: Final = "call_id"
_GPT: Final = re.compile(r"gpt-(\d+)(?:\.(\d+))?")
_FIRST_WITH_BREAKPOINTS: Final = (5, 6)


def _build(request: ModelRequest, settings: Settings, streaming: bool) -> HttpCall:
    form = settings.form_of(request)
    by_prompt = form in {Structured.PROMPT, Structured.JSON_OBJECT}
    prompt = instructed(request.prompt, request.schema) if by_prompt else request.prompt
    system, opening = _system(request.system, settings)
    body: dict[str, Any] = {"model": settings.model, "store": False, **system}
    body["input"] = opening + [item for turn in turns_of(request.history, prompt) for item in _items(turn, settings)]
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": parameters_of(tool),
                "strict": False,
            }
            for tool in request.tools
        ]
    if form is Structured.JSON_SCHEMA:
        body["text"] = {"format": _schema_format(request)}
    elif form is Structured.JSON_OBJECT:
        body["text"] = {"format": {"type": "json_object"}}
    body |= _sampling(settings)
    if streaming:
        body["stream"] = True
    return HttpCall.of(settings, "/responses", {"authorization": f"Bearer {settings.api_key}"}, body)


def _schema_format(request: ModelRequest) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "name": request.schema_name or "reply",
        "schema": with_null_in_enums(request.schema),
        "strict": True,
    }


def _sampling(settings: Settings) -> dict[str, Any]:
    given = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_output_tokens": settings.max_tokens,
    }
    return {name: value for name, value in given.items() if value is not None}


def _system(system: str | None, settings: Settings) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The system text as a part of the body or as the first item of the input, whichever can be cached best."""
    if not system:
        return {}, []
    key = {"prompt_cache_key": hashlib.sha256(system.encode("utf-8", "replace")).hexdigest()[:32]}
    if not _has_breakpoints(settings.model):
        return key | {"instructions": system}, []
    marked = {"type": "input_text", "text": system, "prompt_cache_breakpoint": {"mode": "explicit"}}
    return key, [{"role": "developer", "content": [marked]}]


def _has_breakpoints(model: str) -> bool:
    """The implicit breakpoint stands behind the prompt, another one in every call; older models refuse the word."""
    version = _GPT.match(model)
    return version is not None and (int(version[1]), int(version[2] or 0)) >= _FIRST_WITH_BREAKPOINTS


def _items(turn: Turn, settings: Settings) -> Iterator[dict[str, Any]]:
    match turn:
        case UserTurn(text):
            yield {"role": "user", "content": text}
        case SystemTurn(text):
            yield {"role": "developer", "content": text}
        case ResultsTurn(results):
            for result in results:
                yield {"type": "function_call_output", "call_id": result.id, "output": result.text}
        case AssistantTurn():
            yield from list(_replay(turn, settings)) or _afresh(turn)


def _replay(turn: AssistantTurn, settings: Settings) -> Iterator[dict[str, Any]]:
    for item, call in replayed(settings, turn, _CALL):
        yield _call_item(call) if call else item


def _afresh(turn: AssistantTurn) -> Iterator[dict[str, Any]]:
    if turn.text.strip():
        yield {"role": "assistant", "content": turn.text}
    for call in turn.calls:
        yield _call_item(call)


def _call_item(call: Call) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _read(body: Mapping[str, Any], settings: Settings) -> Heard:
    status = text_of(body.get("status"))
    if body.get("error") or status == "failed" or not isinstance(body.get("output"), list):
        raise of_report(settings, body)
    if status == "cancelled":
        raise of_stop(settings, ErrorKind.ABORTED, status)
    items = list(objects(body["output"]))
    why = text_of(reach(body, "incomplete_details", "reason"))
    refusal = next(_refusals(items), None)
    if refusal is not None or why == "content_filter":
        raise of_stop(settings, ErrorKind.CONTENT, why or "refusal", refusal or "")
    calls = [item for item in items if item.get("type") == "function_call"]
    thought = bool(calls) and any(item.get("type") == "reasoning" for item in items)
    return Heard(
        text=_said(items),
        calls=tuple((text_of(call.get("name")), arguments_of(call.get("arguments"))) for call in calls),
        reasoning=kept(settings, [_kept_item(item) for item in items]) if thought else None,
        usage=_usage(body.get("usage")),
        model=text_of(body.get("model")) or None,
        finish=why or status or None,
    )


def _kept_item(item: dict[str, Any]) -> dict[str, Any]:
    """A call by its place alone: it goes back under the id that its result names."""
    return {_CALL: True} if item.get("type") == "function_call" else item


def _messages(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    messages = [item for item in items if item.get("type") == "message"]
    # A commentary is said beside the answer, and is no JSON.
    return [each for each in messages if each.get("phase") != "commentary"] or messages


def _said(items: list[dict[str, Any]]) -> str:
    parts = [part for message in _messages(items) for part in objects(message.get("content"))]
    return "".join(text_of(part.get("text")) for part in parts)


def _refusals(items: list[dict[str, Any]]) -> Iterator[str]:
    for message in _messages(items):
        for part in objects(message.get("content")):
            if part.get("type") == "refusal":
                yield text_of(part.get("refusal"))


def _usage(counted: Any) -> Usage | None:
    if not isinstance(counted, Mapping):
        return None
    return Usage(
        prompt_tokens=whole(counted.get("input_tokens")),
        completion_tokens=whole(counted.get("output_tokens")),
        cached_input_tokens=whole(reach(counted, "input_tokens_details", "cached_tokens")),
    )


class _Listener:
    """The final event carries the whole response; the items are put together for those who leave them out of it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._items: dict[int, dict[str, Any]] = {}
        self._response: dict[str, Any] = {}
        self.is_over = False
        self.is_whole = False

    def feed(self, event: ServerSentEvent) -> str:
        data = object_of(parsed(event.data))
        index = whole(data.get("output_index"))
        match text_of(data.get("type")):
            case "error":
                raise of_report(self._settings, data)
            case "response.completed" | "response.incomplete" | "response.failed":
                self._response = object_of(data.get("response"))
                self.is_over = self.is_whole = True
            case "response.output_item.added" | "response.output_item.done":
                self._items[index] = object_of(data.get("item"))
            case "response.output_text.delta" if self._items.get(index, {}).get("phase") != "commentary":
                return text_of(data.get("delta"))
        return ""

    def body(self) -> Mapping[str, Any]:
        items = [self._items[index] for index in sorted(self._items)]
        return {**self._response, "output": self._response.get("output") or items}


OPENAI_RESPONSES: Final = Wire(build=_build, read=_read, listen=_Listener)
