"""The offline provider (spec: providers.md, last section)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from falai_engine.briefs import SpeakBrief, UnderstandBrief
from falai_engine.model import Capabilities, ModelReply, ModelRequest, Reset
from falai_engine.providers.offline.language import language_of
from falai_engine.providers.offline.speak import spoken
from falai_engine.providers.offline.summary import blank_shape, summarised
from falai_engine.providers.offline.understand import understood
from falai_engine.providers.offline.wording import say

__all__ = ["OfflineProvider"]

_PIECE = re.compile(r"\s*(?:\S+\s*){1,3}")
_MODEL = "offline"


class OfflineProvider:
    """Holds a simple conversation in Portuguese or English without a model, a network, a key or a file.

    It is not a model. It compares words with tables and patterns, so it gives the same reply to the same request,
    within milliseconds, and never raises. It cannot reason, answer from a knowledge base, obey instructions or a
    persona, read irony, follow a reference to an earlier message, or understand a wording that its tables do not hold.
    It knows no third language and calls a tool only when the customer's words plainly name it. A name in lower case is
    guessed; of a range ("entre 5 e 10 mil") the upper end is taken. Use it for demos, the simulator and tests.

    How far that goes: of lines that its rules were not made for it read 78 % right at first sight in one set, and 47 %
    in another that strayed further from its vocabulary (tests/engine/offline/test_holdout.py).

    It reads `request.brief` only; the prompt's text matters to it only in a summary, which is an extract of the last
    lines. Token usage is not counted (None).
    """

    @property
    def name(self) -> str:
        return "offline"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(streaming=True, tools=True, json_with_tools=True)

    def generate(self, request: ModelRequest) -> ModelReply:
        """The reply to a call; `structured` has exactly the names of the brief."""
        return replace(_answered(request), model=_MODEL)

    async def agenerate(self, request: ModelRequest) -> ModelReply:
        """As `generate`; it takes milliseconds, so it does not leave the event loop."""
        return self.generate(request)

    def stream(self, request: ModelRequest) -> Iterator[str | Reset | ModelReply]:
        """The message in pieces of up to three words, then the reply. A judgement has no text to stream."""
        reply = self.generate(request)
        yield from _PIECE.findall(reply.message)
        yield reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | Reset | ModelReply]:
        """As `stream`."""
        for piece in self.stream(request):
            yield piece


def _answered(request: ModelRequest) -> ModelReply:
    brief = request.brief
    if isinstance(brief, UnderstandBrief):
        return ModelReply(structured=understood(brief), finish="stop")
    if isinstance(brief, SpeakBrief):
        return spoken(brief, request.tools, request.history)
    if request.schema_name is None:
        return ModelReply(summarised(request.prompt), finish="stop")
    return _without_brief(request)


def _without_brief(request: ModelRequest) -> ModelReply:
    """A call that says nothing as data, from another host than the engine: a reply of its shape, with nothing in it."""
    structured = blank_shape(request.schema)
    if request.schema_name == "understand":
        return ModelReply(structured=structured, finish="stop")
    text = say("how_help", language_of(None))
    return ModelReply(text, {**structured, "message": text}, finish="stop")
