"""Bodies and answers that the OpenAPI document shows; tests send the first ones and look for the second."""

from __future__ import annotations

from typing import Final

from drf_spectacular.utils import OpenApiExample

from falai_django.rest.operations import answer_example, body_example

__all__ = ["EVENT_BODY", "TURN_ANSWER", "TURN_BODIES", "TURN_EVENTS"]

TURN_BODIES: Final = (
    body_example(
        "message",
        {"message": {"text": "Oi, quero marcar um horário", "id": "wamid.1"}, "context": {"channel": "whatsapp"}},
    ),
    body_example(
        "media", {"message": {"media": {"type": "image", "url": "https://example.com/1.jpg"}, "id": "wamid.2"}}
    ),
    body_example("event", {"event": "payment-received", "payload": {"amount": 120}, "key": "payment-77"}),
    body_example("start", {"start": {"flow": "reminder", "input": {"day": "2026-09-21"}, "key": "reminder-7"}}),
    body_example("set", {"set": {"data": {"name": "Ana", "city": None}, "metadata": {"crm": 7}}}),
)
EVENT_BODY: Final = body_example(
    "anchor", {"event": "payment-received", "key": "payment-77", "anchor": {"name": "lead", "key": "7"}}
)
TURN_ANSWER: Final = answer_example(
    "answered",
    {
        "turn": {"id": 7, "kind": "message", "key": "wamid.1", "state": "done"},
        "messages": [
            {
                "id": "0b6c5b0a-6f0f-5d7e-9c1a-2f1b8b1c0001",
                "text": "Claro! Como você se chama?",
                "kind": "ai",
                "afterMs": 0,
                "key": "booking#wamid.1:ask:1",
                "runId": "booking#wamid.1",
                "stepId": "ask",
            }
        ],
        "changed": True,
        "schedule": [],
        "outcomes": [],
        "started": [],
        "ended": [],
        "skipped": [],
        "llmCalls": 2,
        "data": {},
        "asking": {"runId": "booking#wamid.1", "flowId": "booking", "stepId": "ask"},
        "waiting": [],
    },
)
TURN_EVENTS: Final = OpenApiExample(
    "events",
    value='event: delta\ndata: {"text":"Claro!"}\n\nevent: message\ndata: {...}\n\nevent: result\ndata: {...}\n\n',
    response_only=True,
    status_codes=["200"],
    media_type="text/event-stream",
)
