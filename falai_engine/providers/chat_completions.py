"""Chat completions, which many vendors speak (spec: providers.md: `openrouter`, `deepseek`, `openai-compatible`).

As read from openai 3.57.0; what only OpenRouter or DeepSeek has (reasoning that goes back, `cache_control`, cache hits
and errors inside a reply) is read wherever it comes, and sent only where it came from.
"""

from __future__ import annotations

import json
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

__all__ = ["CHAT_COMPLETIONS"]

_DONE: Final = "[DONE]"
_REASONING: Final = ("reasoning_content", "reasoning_details", "reasoning")
_STOPS: Final = {
    "content_filter": ErrorKind.CONTENT,
    "insufficient_system_resource": ErrorKind.OVERLOAD,  # DeepSeek
}


def _build(request: ModelRequest, settings: Settings, streaming: bool) -> HttpCall:
    form = settings.form_of(request)
    by_prompt = form in {Structured.PROMPT, Structured.JSON_OBJECT}
    turns = turns_of(request.history, instructed(request.prompt, request.schema) if by_prompt else request.prompt)
    messages = [_system(request.system, settings)] if request.system else []
    messages += [message for turn in turns for message in _messages(turn, settings)]
    body: dict[str, Any] = {"model": settings.model, "messages": messages}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": parameters_of(tool)},
            }
            for tool in request.tools
        ]
    body |= _format(request, form) | _sampling(settings)
    if streaming:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    # A server of one's own may need no key.
    headers = {"authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    return HttpCall.of(settings, "/chat/completions", headers, body)


def _format(request: ModelRequest, form: Structured | None) -> dict[str, Any]:
    if form is Structured.JSON_SCHEMA:
        named = {"name": request.schema_name or "reply", "schema": with_null_in_enums(request.schema), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if form is Structured.JSON_OBJECT else {}


def _sampling(settings: Settings) -> dict[str, Any]:
    given = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "stop": list(settings.stop) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _system(system: str, settings: Settings) -> dict[str, Any]:
    # OpenRouter hands the breakpoint on to Anthropic, which caches nothing unasked.
    if settings.kind == "openrouter" and settings.model.startswith("anthropic/"):
        return {"role": "system", "content": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]}
    return {"role": "system", "content": system}


def _messages(turn: Turn, settings: Settings) -> Iterator[dict[str, Any]]:
    match turn:
        case UserTurn(text):
            yield {"role": "user", "content": text}
        case SystemTurn(text):
            yield {"role": "system", "content": text}
        case ResultsTurn(results):
            for result in results:
                yield {"role": "tool", "tool_call_id": result.id, "content": result.text}
        case AssistantTurn(text, calls) if not calls:
            yield {"role": "assistant", "content": text}
        case AssistantTurn(text, calls):
            said = {"role": "assistant", "content": text or None, "tool_calls": [_tool_call(call) for call in calls]}
            yield said | _reasoning_again(turn, settings)


def _reasoning_again(turn: AssistantTurn, settings: Settings) -> dict[str, Any]:
    return next((dict(item) for item, call in replayed(settings, turn, "tool_call") if call is None), {})


def _tool_call(call: Call) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _read(body: Mapping[str, Any], settings: Settings) -> Heard:
    choice = object_of(reach(body, "choices", 0))
    message = object_of(choice.get("message"))
    if body.get("error") or choice.get("error") or not message:
        raise of_report(settings, {"error": choice["error"]} if choice.get("error") else body)
    finish = text_of(choice.get("finish_reason"))
    refusal = text_of(message.get("refusal"))
    if refusal or finish in _STOPS:
        raise of_stop(settings, _STOPS.get(finish, ErrorKind.CONTENT), finish, refusal)
    functions = [object_of(call.get("function")) for call in objects(message.get("tool_calls"))]
    thought = {key: message[key] for key in _REASONING if message.get(key)}
    calls_by_place = [{"tool_call": True}] * len(functions)
    return Heard(
        text=_content(message.get("content")),
        calls=tuple((text_of(each.get("name")), arguments_of(each.get("arguments"))) for each in functions),
        reasoning=kept(settings, [thought, *calls_by_place]) if thought and functions else None,
        usage=_usage(body.get("usage")),
        model=text_of(body.get("model")) or None,
        finish=finish or None,
    )


def _content(content: object) -> str:
    """Text, or the parts that some servers send in its place."""
    return text_of(content) or "".join(text_of(part.get("text")) for part in objects(content))


def _usage(counted: Any) -> Usage | None:
    if not isinstance(counted, Mapping):
        return None
    cached = reach(counted, "prompt_tokens_details", "cached_tokens")
    return Usage(
        prompt_tokens=whole(counted.get("prompt_tokens")),
        completion_tokens=whole(counted.get("completion_tokens")),
        cached_input_tokens=whole(cached) or whole(counted.get("prompt_cache_hit_tokens")),
    )


class _Listener:
    """Deltas of one choice; usage comes last, in a chunk without choices, or grows from chunk to chunk."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._body: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._details: list[dict[str, Any]] = []
        self._calls = _CallFragments()
        self.is_over = False
        self.is_whole = False

    def feed(self, event: ServerSentEvent) -> str:
        if event.data.strip() == _DONE:
            self.is_over = self.is_whole = True
            return ""
        data = object_of(parsed(event.data))
        choice = object_of(reach(data, "choices", 0))
        if data.get("error") or choice.get("error"):
            raise of_report(self._settings, {"error": data.get("error") or choice.get("error")})
        usage = object_of(self._body.get("usage")) | object_of(data.get("usage"))
        self._body |= data | ({"usage": usage} if usage else {})
        if choice.get("finish_reason"):
            self._choice["finish_reason"] = choice["finish_reason"]
            self.is_whole = True
        # A server that ignores `stream` puts the whole message here.
        return self._added(object_of(choice.get("delta") or choice.get("message")))

    def _added(self, delta: Mapping[str, Any]) -> str:
        for key in ("refusal", "reasoning_content", "reasoning"):
            if text := text_of(delta.get(key)):
                self._texts.setdefault(key, []).append(text)
        for detail in objects(delta.get("reasoning_details")):
            _join_detail(self._details, detail)
        for call in objects(delta.get("tool_calls")):
            self._calls.add(call)
        text = _content(delta.get("content"))
        self._texts.setdefault("content", []).append(text)
        return text

    def body(self) -> Mapping[str, Any]:
        message: dict[str, Any] = {key: "".join(texts) for key, texts in self._texts.items()}
        if self._details:
            message["reasoning_details"] = self._details
        message["tool_calls"] = self._calls.whole()
        return {**self._body, "choices": [self._choice | {"message": message}]}


def _join_detail(details: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """OpenRouter's reasoning in pieces: those of one index and type are one, their texts joined."""
    place = (piece.get("type"), piece.get("index"))
    found = next((each for each in details if (each.get("type"), each.get("index")) == place), None)
    if found is None:
        details.append(dict(piece))
        return
    for key, value in piece.items():
        grows = key in {"text", "summary", "data"} and isinstance(value, str) and isinstance(found.get(key), str)
        if value is not None:
            found[key] = found[key] + value if grows else value


class _CallFragments:
    """Tool calls that come in pieces: by index, else by id, else as more of the last one."""

    def __init__(self) -> None:
        self._calls: dict[object, dict[str, Any]] = {}
        self._last: object = None

    def add(self, fragment: Mapping[str, Any]) -> None:
        place = fragment.get("index")
        if place is None:
            place = fragment.get("id") or (len(self._calls) if reach(fragment, "function", "name") else self._last)
        self._last = place
        function = self._calls.setdefault(str(place), {"name": "", "arguments": ""})
        function["name"] = function["name"] or text_of(reach(fragment, "function", "name"))
        arguments = reach(fragment, "function", "arguments")
        if isinstance(arguments, str) and isinstance(function["arguments"], str):
            function["arguments"] += arguments
        elif isinstance(arguments, dict):
            function["arguments"] = arguments

    def whole(self) -> list[dict[str, Any]]:
        return [{"function": function} for function in self._calls.values()]


CHAT_COMPLETIONS: Final = Wire(build=_build, read=_read, listen=_Listener)
