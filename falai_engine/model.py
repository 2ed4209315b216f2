"""What the engine asks of a model and what it gets back (spec: providers.md)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, runtime_checkable

from falai_engine.briefs import SpeakBrief, UnderstandBrief

__all__ = [
    "RESET",
    "Capabilities",
    "HistoryItem",
    "ModelReply",
    "ModelRequest",
    "Provider",
    "Reset",
    "ToolCall",
    "ToolOffer",
    "Usage",
]

HistoryItem = Mapping[str, Any]
"""`{role, content, name?, tool_calls?: [{id, name, arguments}], tool_call_id?, reasoning?}`; roles user, assistant,
tool, system. `arguments` is an object; `reasoning` is whatever the same provider returned with that round."""


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as the model sees it; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asks for; `arguments` is an object, or text that holds one (or is broken)."""

    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a vendor counted for one call."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_input_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `schema` is a closed JSON Schema object (`{}` for a summary); `deadline` is monotonic seconds.

    `system` and the head of `prompt` stay the same from call to call, so that a provider can cache them. `brief` says
    the same as `prompt`, as data, for a provider that is no language model.
    """

    prompt: str
    schema: Mapping[str, Any]
    schema_name: Literal["understand", "speak"] | None
    system: str | None = None
    history: Sequence[HistoryItem] = ()
    tools: Sequence[ToolOffer] = ()
    deadline: float | None = None
    brief: UnderstandBrief | SpeakBrief | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One answer: the text, the structured output when the vendor has one, the tool calls, what was counted."""

    message: str = ""
    structured: Any = None
    tool_calls: Sequence[ToolCall] = ()
    reasoning: Any = None
    usage: Usage | None = None
    model: str | None = None
    finish: str | None = None


class Reset:
    """In a stream: forget the text that came so far, another round or attempt begins. Use the one `RESET`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "RESET"


RESET: Final = Reset()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do: stream text, call tools, and call tools while pinned to a schema."""

    streaming: bool = True
    tools: bool = True
    json_with_tools: bool = True


@runtime_checkable
class Provider(Protocol):
    """A model. Each call returns a ModelReply or raises ProviderError; a stream ends with the ModelReply."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def generate(self, request: ModelRequest) -> ModelReply: ...

    async def agenerate(self, request: ModelRequest) -> ModelReply: ...

    def stream(self, request: ModelRequest) -> Iterator[str | Reset | ModelReply]: ...

    def astream(self, request: ModelRequest) -> AsyncIterator[str | Reset | ModelReply]: ...
