"""What a turn was told by the model, its actions and its tools, in the words of a scenario file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import ModelReply
from falai_engine.needs import AskModel, Need, Raised, RunAction, RunTools, Steps
from falai_engine.phases.action_result import read_result
from falai_engine.registry import Defer, Failed, Ok, ToolResult

__all__ = ["Heard", "Performed"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Performed:
    """A handler's call: what it was given, and its `result` as a scenario's `results` hold it."""

    sort: Literal["action", "tool"]
    name: str
    given: Mapping[str, Any]
    result: Mapping[str, Any]


@dataclass(slots=True)
class Heard:
    """Everything a turn heard. The replies of the model are those of a scenario's turn, `summaries` of the scenario."""

    understand: list[dict[str, Any]] = field(default_factory=list)
    speak: list[dict[str, Any]] = field(default_factory=list)
    summaries: list[dict[str, Any]] = field(default_factory=list)
    performed: list[Performed] = field(default_factory=list)

    def listen(self, steps: Steps[T]) -> Steps[T]:
        """The same steps; what they are answered is noted as it passes."""
        answer: Any = None
        while True:
            try:
                need = steps.send(answer)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(need, RunAction):
                answer = yield from self._action(need)
            else:
                answer = yield need
                self._note(need, answer)

    def _action(self, need: RunAction) -> Steps[Any]:
        """What an action sets does not come with its answer, so its `set` is listened to as well."""
        written: dict[str, Any] = {}

        def set_values(values: Mapping[str, Any]) -> None:
            need.call.set(values)
            written.update(values)

        answer = yield replace(need, call=replace(need.call, set=set_values))
        result = _action_result(answer)
        told = {"set": written, **result} if written else result
        self.performed.append(Performed("action", need.name, need.params, told))
        return answer

    def _note(self, need: Need, answer: Any) -> None:
        if isinstance(need, AskModel):
            replies = {"understand": self.understand, "speak": self.speak, None: self.summaries}
            replies[need.request.schema_name].append(_reply_script(answer))
        elif isinstance(need, RunTools):
            pairs = zip(need.runs, answer, strict=True)
            self.performed += [Performed("tool", run.tool.id, run.arguments, _tool_result(each)) for run, each in pairs]


def _reply_script(reply: ModelReply | Raised) -> dict[str, Any]:
    if isinstance(reply, Raised):
        return {"fail": _failure(reply.error)}
    script: dict[str, Any] = {"raw": reply.message}
    if isinstance(reply.structured, Mapping):
        script = dict(reply.structured)
    elif reply.tool_calls:
        script = {"message": reply.message}
    if reply.tool_calls:
        script["toolCalls"] = [{"toolName": call.name, "arguments": call.arguments} for call in reply.tool_calls]
    if reply.usage is not None:
        script["usage"] = {
            "promptTokens": reply.usage.prompt_tokens,
            "completionTokens": reply.usage.completion_tokens,
            "cachedInputTokens": reply.usage.cached_input_tokens,
        }
    return script


def _failure(error: Exception) -> dict[str, Any]:
    if not isinstance(error, ProviderError):
        return {"kind": str(ErrorKind.UNKNOWN)}
    told = {
        "kind": str(error.kind),
        "retryAfterMs": error.retry_after_ms,
        "resetAtMs": error.reset_at_ms,
        "shouldRetry": error.should_retry,
    }
    return {name: value for name, value in told.items() if value is not None}


def _thrown(raised: Raised) -> dict[str, Any]:
    return {"throw": str(raised.error) or type(raised.error).__name__}


def _action_result(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Raised):
        return _thrown(answer)
    result = read_result(answer)
    detail = {"detail": result.detail} if result.detail else {}
    if isinstance(result, Ok):
        return {"ok": True, **detail, **({"spoke": True} if result.spoke else {})}
    if isinstance(result, Defer):
        return {"defer": result.after, **detail}
    return {"failed" if isinstance(result, Failed) else "skipped": result.detail or ""}


def _tool_result(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Raised):
        return _thrown(answer)
    result = answer if isinstance(answer, ToolResult) else ToolResult(answer)
    parts: Sequence[tuple[str, Any]] = (("value", result.value), ("data", result.data))
    return {name: value for name, value in parts if value is not None}
