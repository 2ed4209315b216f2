"""Whether a model calls a tool while it is pinned to a schema (spec: providers.md, `probe_json_with_tools`)."""

from __future__ import annotations

import time
from typing import Final

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import ModelReply, ModelRequest, ToolOffer
from falai_engine.providers.settings import JsonWithTools
from falai_engine.providers.vendor import VendorProvider

__all__ = ["OPENING_HOURS", "SPOKEN", "Probe", "probe_json_with_tools"]

OPENING_HOURS: Final = ToolOffer(
    name="opening_hours",
    description="Looks up when a shop is open on a day. Nobody knows the hours without it.",
    parameters={
        "type": "object",
        "properties": {"day": {"type": "string", "description": "The day of the week, in English"}},
        "required": ["day"],
        "additionalProperties": False,
    },
)
SPOKEN: Final = {
    "type": "object",
    "properties": {
        "message": {"type": ["string", "null"], "description": "What to tell the customer"},
        "day": {"type": ["string", "null"], "description": "The day that the customer asked about"},
    },
    "required": ["message", "day"],
    "additionalProperties": False,
}
_TIME: Final = 60.0


class Probe:
    """Asks the model which way it needs; `replies` are those that it gave, for whoever counts them."""

    def __init__(self, provider: VendorProvider) -> None:
        self._provider = provider
        self.calls = 0
        self.replies: list[ModelReply] = []

    def run(self) -> JsonWithTools:
        """Raises ProviderError, also when the model calls no tool either way (`invalid`, code `no-tool-call`)."""
        for way in (JsonWithTools.RESPONSE_FORMAT, JsonWithTools.PROMPT):
            if self._calls_a_tool(way):
                return way
        raise ProviderError(self._provider.name, ErrorKind.INVALID, code="no-tool-call")

    def _calls_a_tool(self, way: JsonWithTools) -> bool:
        self.calls += 1
        try:
            reply = self._provider.generate_with(way, _request())
        except ProviderError as error:
            # A vendor may refuse the two together, which is an answer too.
            if way is JsonWithTools.RESPONSE_FORMAT and error.kind is ErrorKind.INVALID:
                return False
            raise
        self.replies.append(reply)
        return any(call.name == OPENING_HOURS.name for call in reply.tool_calls)


def _request() -> ModelRequest:
    return ModelRequest(
        system="You answer the customers of a shop. Look the opening hours up before you speak of them.",
        prompt="The customer writes: Are you open on Sunday?\nAnswer with the JSON object {message, day}.",
        schema=SPOKEN,
        schema_name="speak",
        tools=(OPENING_HOURS,),
        deadline=time.monotonic() + _TIME,
    )


def probe_json_with_tools(provider: VendorProvider) -> JsonWithTools:
    """Which `json_with_tools` the provider's model needs: one or two real calls. Raises ProviderError."""
    return Probe(provider).run()
