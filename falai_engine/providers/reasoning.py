"""What a model thought before its tool calls, kept by the engine and given back to the same model.

Vendors return it as items that stand among the calls, in an order that counts, and refuse them changed, from another
model or without the calls. So a round is kept as its items in order, a call by its place alone, with the mark of who
made it; to anybody else (a fallback in mid-turn) it is as if there were none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from falai_engine.providers.history import AssistantTurn, Call
from falai_engine.providers.json_text import objects, reach
from falai_engine.providers.settings import Settings

__all__ = ["kept", "replayed"]


def kept(settings: Settings, items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The round to keep; `items` as the vendor sent them, a call as whatever object the wire knows again."""
    return {"kind": settings.kind, "model": settings.model, "items": list(items)}


def replayed(settings: Settings, turn: AssistantTurn, call_mark: str) -> Iterator[tuple[dict[str, Any], Call | None]]:
    """The kept items of a turn, each call with its place; nothing when they are another's or do not fit the calls.

    `call_mark` is the key whose presence makes an item a call.
    """
    if reach(turn.reasoning, "kind") != settings.kind or reach(turn.reasoning, "model") != settings.model:
        return
    items = list(objects(reach(turn.reasoning, "items")))
    if sum(call_mark in item for item in items) != len(turn.calls):
        return
    calls = iter(turn.calls)
    for item in items:
        yield item, next(calls) if call_mark in item else None
