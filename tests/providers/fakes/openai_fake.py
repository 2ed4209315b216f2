"""OpenAI's Responses API in the types of openai 3.57.0."""

from __future__ import annotations

import json

from openai.types import responses
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from openai.types.shared.error_object import ErrorObject

from tests.providers.fakes import in_pieces
from tests.providers.vendor_types import assert_fits, made

MODEL = "gpt-6-astra"
KEY = "sk-proj-made-up-0123456789"


def check(asked):
    assert asked.path == "/v1/responses"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    streaming = asked.body.get("stream") is True
    assert_fits(ResponseCreateParamsStreaming if streaming else ResponseCreateParamsNonStreaming, asked.body)


def _items(said):
    items = []
    if said.thinking is not None:
        summary = [{"type": "summary_text", "text": said.thinking}] if said.thinking else []
        items.append(
            made(
                responses.ResponseReasoningItem,
                id="rs_1",
                type="reasoning",
                summary=summary,
                encrypted_content=f"sealed({said.thinking})",
            )
        )
    if said.text or not said.calls:
        content = [made(responses.ResponseOutputText, type="output_text", text=said.text, annotations=[])]
        items.append(
            made(
                responses.ResponseOutputMessage,
                id="msg_1",
                type="message",
                role="assistant",
                status="incomplete" if said.cut else "completed",
                content=content,
            )
        )
    for number, (name, arguments) in enumerate(said.calls):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        items.append(
            made(
                responses.ResponseFunctionToolCall,
                id=f"fc_{number}",
                call_id=f"call_of_theirs_{number}",
                type="function_call",
                name=name,
                arguments=written,
                status="completed",
            )
        )
    return items


def _response(output, status="completed", **more):
    fields = {
        "id": "resp_1",
        "created_at": 1.0,
        "model": MODEL,
        "object": "response",
        "output": output,
        "parallel_tool_calls": True,
        "status": status,
        "tool_choice": "auto",
        "tools": [],
    }
    return made(responses.Response, **fields | more)


def body(said):
    prompt, completion, cached = said.usage
    usage = {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
    if said.cut:
        reason = {"reason": "max_output_tokens"}
        return _response(_items(said), "incomplete", usage=usage, incomplete_details=reason)
    return _response(_items(said), usage=usage)


def refusal(text="I cannot help with that."):
    content = [made(responses.ResponseOutputRefusal, type="refusal", refusal=text)]
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    return _response([made(responses.ResponseOutputMessage, **message)])


def error(code, message, type_="invalid_request_error"):
    return {"error": made(ErrorObject, code=code, message=message, param=None, type=type_)}


def _frame(type_, number, **fields):
    event = made(type_, sequence_number=number, **fields)
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _item_frames(item, size):
    shell = dict(item)
    if item["type"] == "message":
        shell |= {"content": [], "status": "in_progress"}
    elif item["type"] == "function_call":
        shell |= {"arguments": "", "status": "in_progress"}
    elif item["type"] == "reasoning":
        shell |= {"encrypted_content": "not yet", "summary": []}
    yield responses.ResponseOutputItemAddedEvent, {"type": "response.output_item.added", "item": shell}
    place = {"item_id": item["id"]}
    if item["type"] == "message":
        text = item["content"][0]["text"]
        for piece in in_pieces(text, size):
            delta = {"type": "response.output_text.delta", "delta": piece, "content_index": 0, "logprobs": []}
            yield responses.ResponseTextDeltaEvent, place | delta
        done = {"type": "response.output_text.done", "text": text, "content_index": 0, "logprobs": []}
        yield responses.ResponseTextDoneEvent, place | done
    elif item["type"] == "function_call":
        for piece in in_pieces(item["arguments"], size):
            delta = {"type": "response.function_call_arguments.delta", "delta": piece}
            yield responses.ResponseFunctionCallArgumentsDeltaEvent, place | delta
        done = {"type": "response.function_call_arguments.done", "arguments": item["arguments"], "name": item["name"]}
        yield responses.ResponseFunctionCallArgumentsDoneEvent, place | {k: v for k, v in done.items() if k != "name"}
    yield responses.ResponseOutputItemDoneEvent, {"type": "response.output_item.done", "item": item}


def frames(said, *, final_output=True):
    whole = body(said)
    made_frames = [
        _frame(responses.ResponseCreatedEvent, 0, type="response.created", response=_response([], status="in_progress"))
    ]
    for index, item in enumerate(whole["output"]):
        for type_, fields in _item_frames(item, said.size):
            made_frames.append(_frame(type_, len(made_frames), output_index=index, **fields))
    if not final_output:
        whole = whole | {"output": []}
    if said.cut:
        last = (responses.ResponseIncompleteEvent, "response.incomplete")
    else:
        last = (responses.ResponseCompletedEvent, "response.completed")
    made_frames.append(_frame(last[0], len(made_frames), type=last[1], response=whole))
    return made_frames


def refusal_frames(text="I cannot help with that."):
    response = refusal(text)
    delta = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text}
    return [
        _frame(responses.ResponseRefusalDeltaEvent, 0, type="response.refusal.delta", **delta),
        _frame(responses.ResponseCompletedEvent, 1, type="response.completed", response=response),
    ]


def failure_frames(code="server_error", message="The model failed."):
    failed = _response([], status="failed", error={"code": code, "message": message})
    return [_frame(responses.ResponseFailedEvent, 0, type="response.failed", response=failed)]


def overload_frames():
    return failure_frames()


def error_event_frames(code, message):
    return [_frame(responses.ResponseErrorEvent, 0, type="error", code=code, message=message, param=None)]
