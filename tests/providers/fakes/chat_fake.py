"""Chat completions in the types of openai 3.57.0, with what OpenRouter and DeepSeek add to them."""

from __future__ import annotations

import copy
import json

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)

from tests.providers.fakes import in_pieces
from tests.providers.vendor_types import assert_fits, made

MODEL = "some/model-1"
KEY = "sk-or-made-up-0123456789"
# Words of OpenRouter and DeepSeek that the types of openai have not, as their guides name them.
ADDED = ("reasoning", "reasoning_content", "reasoning_details", "cache_control")


def check(asked):
    assert asked.path.endswith("/chat/completions")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    body = _without_additions(asked.body)
    streaming = body.get("stream") is True
    assert_fits(CompletionCreateParamsStreaming if streaming else CompletionCreateParamsNonStreaming, body)
    assert_pairs(body["messages"])


def _without_additions(body):
    body = copy.deepcopy(body)
    for message in body["messages"]:
        for name in ADDED:
            message.pop(name, None)
        for part in message["content"] if isinstance(message["content"], list) else ():
            part.pop("cache_control", None)
    return body


def assert_pairs(messages):
    """What the API itself checks: every call is answered by the tool messages right behind it."""
    for index, message in enumerate(messages):
        called = [call["id"] for call in message.get("tool_calls", ())]
        behind = messages[index + 1 : index + 1 + len(called)]
        assert [each.get("tool_call_id") for each in behind] == called
        assert message["role"] != "tool" or messages[index - 1]["role"] in {"assistant", "tool"}


def _finish(said):
    if said.cut:
        return "length"
    return "tool_calls" if said.calls else "stop"


def _usage(said):
    prompt, completion, cached = said.usage
    details = {"cached_tokens": cached}
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": details,
    }


def _calls(said):
    return [
        {
            "id": f"call_of_theirs_{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for number, (name, arguments) in enumerate(said.calls)
    ]


def _completion(message, finish, usage=None):
    choice = {"index": 0, "finish_reason": finish, "message": message, "logprobs": None}
    fields = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
    return made(ChatCompletion, **fields | ({"usage": usage} if usage else {}))


def body(said):
    message = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.calls:
        message["tool_calls"] = _calls(said)
    completion = _completion(message, _finish(said), _usage(said))
    if said.thinking is not None:
        completion["choices"][0]["message"] |= {
            "reasoning_content": said.thinking,
            "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": said.thinking, "signature": "signed"}],
        }
    return completion


def refusal(text="I cannot help with that."):
    return _completion({"role": "assistant", "content": None, "refusal": text}, "stop")


def error(code, message, **more):
    return {"error": {"code": code, "message": message} | more}


def _frame(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    fields = {"id": "gen-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}
    return made(ChatCompletionChunk, **fields | more)


def _written(chunk):
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def frames(said):
    chunks = [_frame({"role": "assistant", "content": ""})]
    for piece in in_pieces(said.thinking or "", said.size):
        chunk = _frame({})
        detail = {"type": "reasoning.text", "index": 0, "text": piece, "signature": "signed"}
        chunk["choices"][0]["delta"] |= {"reasoning_content": piece, "reasoning_details": [detail]}
        chunks.append(chunk)
    chunks += [_frame({"content": piece}) for piece in in_pieces(said.text, said.size)]
    for index, call in enumerate(_calls(said)):
        opening = call | {"index": index, "function": call["function"] | {"arguments": ""}}
        chunks.append(_frame({"tool_calls": [opening]}))
        for piece in in_pieces(call["function"]["arguments"], said.size):
            chunks.append(_frame({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    chunks.append(_frame({}, _finish(said)))
    chunks.append(_frame({}, choices=[], usage=_usage(said)))
    return [b": PROCESSING\n\n", *map(_written, chunks), b"data: [DONE]\n\n"]


def refusal_frames(text="I cannot help with that."):
    chunks = [_frame({"refusal": piece}) for piece in in_pieces(text, 4)]
    return [*map(_written, [*chunks, _frame({}, "stop")]), b"data: [DONE]\n\n"]


def overload_frames():
    chunk = _frame({"content": ""}, None) | {"error": {"code": 502, "message": "Provider returned error"}}
    return [_written(chunk)]
