"""Anthropic's Messages API in the types of anthropic 2.14.0."""

from __future__ import annotations

import json

from anthropic import types
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from anthropic.types.shared.error_details import ErrorDetails
from anthropic.types.shared.error_response import ErrorResponse
from pydantic import TypeAdapter

from tests.providers.fakes import in_pieces
from tests.providers.vendor_types import assert_fits, made

MODEL = "claude-sonnet-5-5"
KEY = "sk-ant-made-up-0123456789"


def check(asked):
    assert asked.path == "/v1/messages"
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-version"] == "2023-06-01"
    streaming = asked.body.get("stream") is True
    assert_fits(MessageCreateParamsStreaming if streaming else MessageCreateParamsNonStreaming, asked.body)
    assert_pairs(asked.body["messages"])


def assert_pairs(messages):
    """What the API itself checks: the user begins, ids are unique, and each call's result stands right behind it."""
    assert messages[0]["role"] == "user"
    seen = set()
    for message, after in zip(messages, [*messages[1:], None], strict=True):
        blocks = message["content"] if isinstance(message["content"], list) else []
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if called:
            assert [block["tool_use_id"] for block in after["content"]] == called
        assert not seen & set(called)
        seen |= set(called)


def _blocks(said):
    blocks = []
    if said.thinking is not None:
        blocks.append(made(types.ThinkingBlock, type="thinking", thinking=said.thinking, signature="signed"))
        blocks.append(made(types.RedactedThinkingBlock, type="redacted_thinking", data="hidden"))
    if said.text:
        blocks.append(made(types.TextBlock, type="text", text=said.text, citations=None))
    for number, (name, arguments) in enumerate(said.calls):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        blocks.append(made(types.ToolUseBlock, **call))
    return blocks


def _stop(said):
    if said.cut:
        return "max_tokens"
    return "tool_use" if said.calls else "end_turn"


def _message(content, stop, usage, **more):
    fields = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    return made(types.Message, **fields | more)


def body(said):
    prompt, completion, cached = said.usage
    usage = {
        "input_tokens": prompt - cached - 3,
        "cache_creation_input_tokens": 3,
        "cache_read_input_tokens": cached,
        "output_tokens": completion,
    }
    return _message(_blocks(said), _stop(said), usage)


def refusal(text="I cannot help with that."):
    details = {"type": "refusal", "category": "general_harms", "explanation": text}
    return _message([], "refusal", {"input_tokens": 1, "output_tokens": 1}, stop_details=details)


def error(type_, message, code=None):
    """`code` goes where the package's _exceptions.py reads it, and is one that its types list."""
    told = made(ErrorResponse, type="error", request_id="req_1", error={"type": type_, "message": message})
    if code:
        details = TypeAdapter(ErrorDetails).validate_python({"error_code": code})
        told["error"]["details"] = details.model_dump(exclude_unset=True)
    return told


def _frame(type_, **fields):
    event = made(type_, **fields)
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _delta(index, delta):
    return _frame(types.RawContentBlockDeltaEvent, type="content_block_delta", index=index, delta=delta)


def _block_frames(index, block, size):
    shells = {
        "thinking": {"thinking": "", "signature": ""},
        "text": {"text": ""},
        "tool_use": {"input": {}},
        "redacted_thinking": {},
    }
    shell = block | shells[block["type"]]
    yield _frame(types.RawContentBlockStartEvent, type="content_block_start", index=index, content_block=shell)
    if block["type"] == "thinking":
        for piece in in_pieces(block["thinking"], size):
            yield _delta(index, {"type": "thinking_delta", "thinking": piece})
        yield _delta(index, {"type": "signature_delta", "signature": block["signature"]})
    elif block["type"] == "text":
        for piece in in_pieces(block["text"], size):
            yield _delta(index, {"type": "text_delta", "text": piece})
    elif block["type"] == "tool_use":
        for piece in in_pieces(json.dumps(block["input"]), size):
            yield _delta(index, {"type": "input_json_delta", "partial_json": piece})
    yield _frame(types.RawContentBlockStopEvent, type="content_block_stop", index=index)


def frames(said):
    whole = body(said)
    counted = whole["usage"]
    opening = whole | {"content": [], "stop_reason": None, "usage": counted | {"output_tokens": 1}}
    made_frames = [
        _frame(types.RawMessageStartEvent, type="message_start", message=opening),
        b'event: ping\ndata: {"type": "ping"}\n\n',
    ]
    for index, block in enumerate(whole["content"]):
        made_frames += _block_frames(index, block, said.size)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": counted["output_tokens"]}
    made_frames.append(_frame(types.RawMessageDeltaEvent, type="message_delta", delta=delta, usage=usage))
    return [*made_frames, _frame(types.RawMessageStopEvent, type="message_stop")]


def refusal_frames(text="I cannot help with that."):
    whole = refusal(text)
    delta = {"stop_reason": "refusal", "stop_sequence": None, "stop_details": whole["stop_details"]}
    return [
        _frame(types.RawMessageStartEvent, type="message_start", message=whole | {"stop_reason": None}),
        _frame(types.RawMessageDeltaEvent, type="message_delta", delta=delta, usage={"output_tokens": 1}),
        _frame(types.RawMessageStopEvent, type="message_stop"),
    ]


def overload_frames():
    told = error("overloaded_error", "Overloaded")
    return [f"event: error\ndata: {json.dumps(told)}\n\n".encode()]
