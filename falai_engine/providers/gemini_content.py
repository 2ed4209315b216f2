"""Gemini's generateContent, as read from google-genai 3.6.1 (spec: providers.md, kind `gemini`).

Of the ways that it offers: API version v1, the package's default; the reply's schema as `responseSchema`, which is what
the package makes of a typed one and has `nullable`; a tool's as `parametersJsonSchema`, which takes any; thought
signatures go back on their parts. Caching is the vendor's own, by prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from falai_engine.errors import ErrorKind
from falai_engine.model import ModelRequest, Usage
from falai_engine.providers.error_table import of_report, of_stop
from falai_engine.providers.history import (
    GO_ON,
    AssistantTurn,
    Call,
    Result,
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
from falai_engine.providers.vendor_schema import for_gemini, instructed, parameters_of
from falai_engine.providers.wire import Heard, HttpCall, Wire

__all__ = ["GEMINI_CONTENT"]

_CALL: Final = "functionCall"
_HAS_VERSION: Final = re.compile(r"/v\d[a-z0-9]*/?$")
# Models before the third generation know no signatures that must be there.
_WITHOUT_SIGNATURES: Final = re.compile(r"(?:models/)?gemini-(?:1|2)[.-]")
# What the vendor's guide gives to write where a call was made by another model and so has no signature.
_NO_SIGNATURE: Final = "skip_thought_signature_validator"
_STOPS: Final = {
    "SAFETY": ErrorKind.CONTENT,
    "RECITATION": ErrorKind.CONTENT,
    "LANGUAGE": ErrorKind.CONTENT,
    "BLOCKLIST": ErrorKind.CONTENT,
    "PROHIBITED_CONTENT": ErrorKind.CONTENT,
    "SPII": ErrorKind.CONTENT,
    "ESCALATION": ErrorKind.CONTENT,
    "MODEL_ARMOR": ErrorKind.CONTENT,
    "PUP_LIMITED_DISABLED": ErrorKind.ENTITLEMENT,
    "MISSING_THOUGHT_SIGNATURE": ErrorKind.INVALID,
    # What the model wrote cannot be read, and would be another the next time.
    "MALFORMED_FUNCTION_CALL": ErrorKind.UNKNOWN,
    "MALFORMED_RESPONSE": ErrorKind.UNKNOWN,
    "UNEXPECTED_TOOL_CALL": ErrorKind.UNKNOWN,
    "TOO_MANY_TOOL_CALLS": ErrorKind.UNKNOWN,
}


def _build(request: ModelRequest, settings: Settings, streaming: bool) -> HttpCall:
    form = settings.form_of(request)
    by_prompt = form in {Structured.PROMPT, Structured.JSON_OBJECT}
    turns = turns_of(request.history, instructed(request.prompt, request.schema) if by_prompt else request.prompt)
    body: dict[str, Any] = {"contents": list(_contents(turns, settings))}
    said = [request.system or "", *(turn.text for turn in turns if isinstance(turn, SystemTurn))]
    if any(said):
        body["systemInstruction"] = {"parts": [{"text": text} for text in said if text]}
    if request.tools:
        declared = [
            {"name": tool.name, "description": tool.description, "parametersJsonSchema": parameters_of(tool)}
            for tool in request.tools
        ]
        body["tools"] = [{"functionDeclarations": declared}]
    if config := _sampling(settings) | _format(request, form):
        body["generationConfig"] = config
    headers = {"x-goog-api-key": settings.api_key or ""}
    return HttpCall.of(settings, _path(settings, streaming), headers, body)


def _path(settings: Settings, streaming: bool) -> str:
    version = "" if _HAS_VERSION.search(settings.base_url) else "/v1"
    model = settings.model if "/" in settings.model else f"models/{settings.model}"
    method = "streamGenerateContent?alt=sse" if streaming else "generateContent"
    return f"{version}/{quote(model)}:{method}"


def _sampling(settings: Settings) -> dict[str, Any]:
    given = {
        "temperature": settings.temperature,
        "topP": settings.top_p,
        "maxOutputTokens": settings.max_tokens,
        "stopSequences": list(settings.stop) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _format(request: ModelRequest, form: Structured | None) -> dict[str, Any]:
    if form is Structured.JSON_SCHEMA:
        return {"responseMimeType": "application/json", "responseSchema": for_gemini(request.schema)}
    return {"responseMimeType": "application/json"} if form is Structured.JSON_OBJECT else {}


def _contents(turns: Sequence[Turn], settings: Settings) -> Iterator[dict[str, Any]]:
    first = next(turn for turn in turns if not isinstance(turn, SystemTurn))
    if isinstance(first, AssistantTurn):
        yield {"role": "user", "parts": [{"text": GO_ON}]}
    for turn in turns:
        match turn:
            case UserTurn(text):
                yield {"role": "user", "parts": [{"text": text}]}
            case AssistantTurn():
                yield {"role": "model", "parts": list(_replay(turn, settings)) or list(_afresh(turn, settings))}
            case ResultsTurn(results):
                yield {"role": "user", "parts": [_result_part(result) for result in results]}


def _replay(turn: AssistantTurn, settings: Settings) -> Iterator[dict[str, Any]]:
    for part, call in replayed(settings, turn, _CALL):
        yield {**part, _CALL: _function_call(call)} if call else part


def _afresh(turn: AssistantTurn, settings: Settings) -> Iterator[dict[str, Any]]:
    if turn.text.strip():
        yield {"text": turn.text}
    for number, call in enumerate(turn.calls):
        part: dict[str, Any] = {_CALL: _function_call(call)}
        if number == 0 and not _WITHOUT_SIGNATURES.match(settings.model):
            part["thoughtSignature"] = _NO_SIGNATURE
        yield part


def _function_call(call: Call) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "args": dict(call.arguments)}


def _result_part(result: Result) -> dict[str, Any]:
    value = parsed(result.text)
    is_error = isinstance(value, dict) and "error" in value
    response = value if is_error else {"output": result.text if value is None else value}
    return {"functionResponse": {"id": result.id, "name": result.name, "response": response}}


def _read(body: Mapping[str, Any], settings: Settings) -> Heard:
    if body.get("error"):
        raise of_report(settings, body)
    if block := text_of(reach(body, "promptFeedback", "blockReason")):
        raise of_stop(settings, ErrorKind.CONTENT, block)
    candidate = object_of(reach(body, "candidates", 0))
    finish = text_of(candidate.get("finishReason"))
    parts = list(objects(reach(candidate, "content", "parts")))
    if finish in _STOPS:
        raise of_stop(settings, _STOPS[finish], finish, text_of(candidate.get("finishMessage")))
    if not candidate or not (finish or parts):
        raise of_report(settings, body)
    calls = [object_of(part[_CALL]) for part in parts if _CALL in part]
    signed = bool(calls) and any("thoughtSignature" in part for part in parts)
    return Heard(
        text="".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True),
        calls=tuple((text_of(call.get("name")), arguments_of(call.get("args"))) for call in calls),
        reasoning=kept(settings, [_kept_part(part) for part in parts]) if signed else None,
        usage=_usage(body.get("usageMetadata")),
        model=text_of(body.get("modelVersion")) or None,
        finish=finish or None,
    )


def _kept_part(part: dict[str, Any]) -> dict[str, Any]:
    """A call by its place and its signature."""
    return {**part, _CALL: True} if _CALL in part else part


def _usage(counted: Any) -> Usage | None:
    if not isinstance(counted, Mapping):
        return None
    return Usage(
        prompt_tokens=whole(counted.get("promptTokenCount")) + whole(counted.get("toolUsePromptTokenCount")),
        completion_tokens=whole(counted.get("candidatesTokenCount")) + whole(counted.get("thoughtsTokenCount")),
        cached_input_tokens=whole(counted.get("cachedContentTokenCount")),
    )


class _Listener:
    """Each event is a whole response with a few more parts; the last one says why it finished."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._body: dict[str, Any] = {}
        self._candidate: dict[str, Any] = {}
        self._parts: list[dict[str, Any]] = []
        self.is_over = False
        self.is_whole = False

    def feed(self, event: ServerSentEvent) -> str:
        data = object_of(parsed(event.data))
        if data.get("error"):
            raise of_report(self._settings, data)
        usage = object_of(self._body.get("usageMetadata")) | object_of(data.get("usageMetadata"))
        self._body |= data | ({"usageMetadata": usage} if usage else {})
        candidate = object_of(reach(data, "candidates", 0))
        self._candidate |= {key: value for key, value in candidate.items() if value is not None}
        self.is_whole = bool(self._candidate.get("finishReason") or self._body.get("promptFeedback"))
        return "".join([self._added(part) for part in objects(reach(candidate, "content", "parts"))])

    def _added(self, part: dict[str, Any]) -> str:
        last = self._parts[-1] if self._parts else {}
        # A text goes on in the part before it, unless a signature belongs to either.
        if set(last) | set(part) <= {"text", "thought"} and last and last.get("thought") == part.get("thought"):
            last["text"] = text_of(last.get("text")) + text_of(part.get("text"))
        elif part != {"text": ""}:  # the last event of a stream has nothing else to say
            self._parts.append(dict(part))
        return "" if part.get("thought") is True else text_of(part.get("text"))

    def body(self) -> Mapping[str, Any]:
        candidates = [self._candidate | {"content": {"parts": self._parts}}] if self._candidate else []
        return {**self._body, "candidates": candidates}


GEMINI_CONTENT: Final = Wire(build=_build, read=_read, listen=_Listener)
