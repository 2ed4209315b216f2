"""Asking the model: one call, counted, its answer made sound (spec: engine.md sections 2, 5 and 8)."""

from __future__ import annotations

from falai_engine.model import ModelReply, ModelRequest
from falai_engine.needs import AskModel, Raised, Steps
from falai_engine.phases.state import Turn
from falai_engine.replies import sound_reply

__all__ = ["ask"]


def ask(turn: Turn, request: ModelRequest, round_: int | None = None) -> Steps[ModelReply | Raised]:
    """The reply, whatever the provider gave; `round_` as in AskModel."""
    answer = yield AskModel(request, round_)
    reply = sound_reply(answer) if isinstance(answer, ModelReply) else answer
    turn.count(reply.usage if isinstance(reply, ModelReply) else None)
    return reply
