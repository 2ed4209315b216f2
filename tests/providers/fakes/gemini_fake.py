"""Gemini's generateContent in the types of google-genai 3.6.1."""

from __future__ import annotations

import json

from google.genai import types
from google.genai.models import _GenerateContentParameters_to_mldev as as_the_package_sends

from tests.providers.fakes import in_pieces
from tests.providers.vendor_types import made

MODEL = "gemini-3-pro"
KEY = "AIzaMadeUp0123456789"


class _DeveloperApi:
    """All that the package's converter asks of its client."""

    vertexai = False


def check(asked):
    method = asked.path.removeprefix(f"/v1/models/{MODEL}:")
    assert method in {"generateContent", "streamGenerateContent?alt=sse"}
    assert asked.headers["x-goog-api-key"] == KEY
    assert_fits_body(asked.body)
    assert_pairs(asked.body["contents"])


def assert_fits_body(body):
    """Read into the package's types, the body is what the package itself sends for them."""
    config = dict(body.get("generationConfig", {}))
    for name in ("systemInstruction", "tools", "toolConfig"):
        if name in body:
            config[name] = body[name]
    parameters = types._GenerateContentParameters(  # noqa: SLF001 - what the package makes of its public arguments
        model=MODEL,
        contents=[types.Content.model_validate(content) for content in body["contents"]],
        config=types.GenerateContentConfig.model_validate(config),
    )
    sent = as_the_package_sends(_DeveloperApi(), parameters)
    sent.pop("_url")
    if not sent["generationConfig"]:
        del sent["generationConfig"]
    assert _plain(sent) == body


def _plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return (
        json.loads(types.Part(thought_signature=value).model_dump_json())["thought_signature"]
        if isinstance(value, bytes)
        else value
    )


def assert_pairs(contents):
    """What the API itself checks: calls stand behind a user's turn, and their results right behind them."""
    assert contents[0]["role"] == "user"
    for before, content, after in zip([None, *contents], contents, [*contents[1:], None], strict=False):
        called = [part["functionCall"]["id"] for part in content["parts"] if "functionCall" in part]
        if called:
            assert before["role"] == "user"
            assert [part["functionResponse"]["id"] for part in after["parts"]] == called


def _parts(said):
    parts = []
    if said.thinking:
        parts.append({"text": said.thinking, "thought": True})
    if said.text:
        parts.append({"text": said.text})
    for number, (name, arguments) in enumerate(said.calls):
        part = {"functionCall": {"id": f"theirs-{number}", "name": name, "args": arguments}}
        parts.append(part | ({"thoughtSignature": "c2lnbmVk"} if said.thinking is not None and number == 0 else {}))
    return parts


def _response(parts, finish=None, usage=None, **more):
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    fields = {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1"}
    if usage:
        fields["usageMetadata"] = usage
    return made(types.GenerateContentResponse, **fields | more)


def _usage(said):
    prompt, completion, cached = said.usage
    thoughts = 5
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": completion - thoughts,
        "thoughtsTokenCount": thoughts,
        "cachedContentTokenCount": cached,
        "totalTokenCount": prompt + completion,
    }


def body(said):
    return _response(_parts(said), "MAX_TOKENS" if said.cut else "STOP", _usage(said))


def refusal(_text=""):
    feedback = {"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []}
    usage = {"promptTokenCount": 3, "totalTokenCount": 3}
    return made(types.GenerateContentResponse, promptFeedback=feedback, usageMetadata=usage, modelVersion=MODEL)


def stopped(finish, message=None):
    candidate = {"finishReason": finish, "index": 0} | ({"finishMessage": message} if message else {})
    return made(types.GenerateContentResponse, candidates=[candidate], modelVersion=MODEL)


def error(code, status, message, *details):
    # The package has no type for its errors; it reads these names in errors.py.
    told = {"code": code, "message": message, "status": status}
    return {"error": told | ({"details": list(details)} if details else {})}


def _frame(event):
    return f"data: {json.dumps(event, ensure_ascii=False)}\r\n\r\n".encode()


def frames(said):
    pieces = []
    for part in _parts(said):
        if "text" in part:
            pieces += [[part | {"text": piece}] for piece in in_pieces(part["text"], said.size)]
        else:
            pieces.append([part])
    prompt = {"promptTokenCount": said.usage[0], "totalTokenCount": said.usage[0]}
    return [_frame(_response(parts, usage=prompt)) for parts in pieces] + [
        _frame(_response([{"text": ""}], "MAX_TOKENS" if said.cut else "STOP", _usage(said)))
    ]


def refusal_frames(_text=""):
    return [_frame(refusal())]


def overload_frames():
    return [_frame(error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."))]
