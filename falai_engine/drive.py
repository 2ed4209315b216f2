"""The four loops that drive a turn: synchronous, asynchronous, and both streaming. None of them holds a rule.

Each sends the answers of a turn's needs back into its generator; what fails is sent as `Raised`. Only two things raise
out of a turn from here: an action or tool that is due after the deadline, and an async handler met by a sync loop.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeAlias, TypeVar

from falai_engine.errors import DeadlineError, ErrorKind, FlowConfigurationError, ProviderError
from falai_engine.model import RESET, ModelReply, ModelRequest, Provider, Reset
from falai_engine.needs import AskModel, Await, Need, Raised, RunAction, RunTools, Steps, ToolRun
from falai_engine.records.results import TurnResult

__all__ = ["StreamItem", "adrive", "adrive_stream", "drive", "drive_stream"]

StreamItem: TypeAlias = str | Reset | TurnResult
"""Text of the message as it comes, `RESET` (what came is void), and last the result."""

MOST_THREADS: Final = 8
T = TypeVar("T")


def drive(steps: Steps[T], provider: Provider) -> T:
    """Run a turn to its end, synchronously."""
    answer: Any = None
    while True:
        try:
            need = steps.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        answer = _ask(need.request, provider) if type(need) is AskModel else _bring(need)


async def adrive(steps: Steps[T], provider: Provider) -> T:
    """Run a turn to its end, asynchronously."""
    answer: Any = None
    while True:
        try:
            need = steps.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        answer = await _aask(need.request, provider) if type(need) is AskModel else await _abring(need)


def drive_stream(steps: Steps[TurnResult], provider: Provider) -> Iterator[StreamItem]:
    """Run a turn, handing on the text of the message while it is phrased."""
    answer: Any = None
    words = _Words()
    while True:
        try:
            need = steps.send(answer)
        except StopIteration as stop:
            for reset in words.at_the_end(stop.value):
                yield reset
            yield stop.value
            return
        if type(need) is not AskModel:
            answer = _bring(need)
        elif need.round is None:
            answer = _ask(need.request, provider)
        else:
            for reset in words.before_round(need.round):
                yield reset
            for item in _stream(need.request, provider):
                if isinstance(item, str | Reset):
                    yield words.seen(item)
                else:
                    answer = item
            for reset in words.after_round(answer):
                yield reset


async def adrive_stream(steps: Steps[TurnResult], provider: Provider) -> AsyncIterator[StreamItem]:
    """Run a turn asynchronously, handing on the text of the message while it is phrased."""
    answer: Any = None
    words = _Words()
    while True:
        try:
            need = steps.send(answer)
        except StopIteration as stop:
            for reset in words.at_the_end(stop.value):
                yield reset
            yield stop.value
            return
        if type(need) is not AskModel:
            answer = await _abring(need)
        elif need.round is None:
            answer = await _aask(need.request, provider)
        else:
            for reset in words.before_round(need.round):
                yield reset
            async for item in _astream(need.request, provider):
                if isinstance(item, str | Reset):
                    yield words.seen(item)
                else:
                    answer = item
            for reset in words.after_round(answer):
                yield reset


class _Words:
    """Which words the reader of a stream has before them, and where a Reset takes them back."""

    __slots__ = ("shown",)

    def __init__(self) -> None:
        self.shown = False

    def seen(self, item: str | Reset) -> str | Reset:
        self.shown = isinstance(item, str)
        return item

    def before_round(self, number: int) -> tuple[Reset, ...]:
        """Each round but the first makes void what came before it."""
        self.shown = False
        return (RESET,) if number else ()

    def after_round(self, answer: object) -> tuple[Reset, ...]:
        """A call that failed takes its words back."""
        return self._taken_back() if isinstance(answer, Raised) else ()

    def at_the_end(self, result: TurnResult) -> tuple[Reset, ...]:
        """A blank message does, too: the result has none of it."""
        spoke = any(message.kind == "ai" for message in result.messages)
        return () if spoke else self._taken_back()

    def _taken_back(self) -> tuple[Reset, ...]:
        shown, self.shown = self.shown, False
        return (RESET,) if shown else ()


# -- the model


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _timeout(provider: Provider) -> Raised:
    return Raised(ProviderError(provider.name, ErrorKind.TIMEOUT, code="deadline"))


def _no_reply(provider: Provider) -> Raised:
    return Raised(ProviderError(provider.name, ErrorKind.INVALID, code="the provider gave no ModelReply"))


def _reply(value: object, provider: Provider) -> ModelReply | Raised:
    return value if isinstance(value, ModelReply) else _no_reply(provider)


def _ask(request: ModelRequest, provider: Provider) -> ModelReply | Raised:
    if _over(request.deadline):
        return _timeout(provider)
    try:
        return _reply(provider.generate(request), provider)
    except Exception as error:  # noqa: BLE001 - any failure of a provider is the turn's to judge
        return Raised(error)


async def _aask(request: ModelRequest, provider: Provider) -> ModelReply | Raised:
    if _over(request.deadline):
        return _timeout(provider)
    try:
        return _reply(await provider.agenerate(request), provider)
    except Exception as error:  # noqa: BLE001 - any failure of a provider is the turn's to judge
        return Raised(error)


def _stream(request: ModelRequest, provider: Provider) -> Iterator[str | Reset | ModelReply | Raised]:
    """The provider's stream, with its failure as the last item."""
    if _over(request.deadline):
        yield _timeout(provider)
        return
    last: ModelReply | Raised = _no_reply(provider)
    try:
        for item in provider.stream(request):
            if not isinstance(item, str | Reset):
                last = _reply(item, provider)
                break
            if _over(request.deadline):
                last = _timeout(provider)
                break
            yield item
    except Exception as error:  # noqa: BLE001 - any failure of a provider is the turn's to judge
        last = Raised(error)
    yield last


async def _astream(request: ModelRequest, provider: Provider) -> AsyncIterator[str | Reset | ModelReply | Raised]:
    if _over(request.deadline):
        yield _timeout(provider)
        return
    last: ModelReply | Raised = _no_reply(provider)
    try:
        async for item in provider.astream(request):
            if not isinstance(item, str | Reset):
                last = _reply(item, provider)
                break
            if _over(request.deadline):
                last = _timeout(provider)
                break
            yield item
    except Exception as error:  # noqa: BLE001 - any failure of a provider is the turn's to judge
        last = Raised(error)
    yield last


# -- actions, tools, conditions


def _refuse_async(value: object, what: str) -> None:
    """A sync loop cannot await: say so, whoever wrote the handler."""
    if inspect.isawaitable(value):
        close = getattr(value, "close", None)
        if close is not None:
            close()
        raise FlowConfigurationError(
            what, "is async, and the turn is driven synchronously", "Use agent.aturn, or register a plain function"
        )


def _bring(need: Need) -> Any:
    if isinstance(need, RunAction):
        return _call(lambda: need.action.handler(need.params, need.call), f'action "{need.name}"', need.call.deadline)
    if isinstance(need, RunTools):
        return _together([_tool_call(run) for run in need.runs])
    if isinstance(need, Await):
        _refuse_async(need.awaitable, need.what)
    raise TypeError(f"a turn does not ask for {type(need).__name__}")


def _call(handler: Callable[[], Any], what: str, deadline: float | None) -> Any:
    if _over(deadline):
        raise DeadlineError(what)
    try:
        value = handler()
    except Exception as error:  # noqa: BLE001 - the turn says what a failed handler means
        return Raised(error)
    _refuse_async(value, what)
    return value


def _tool_call(run: ToolRun) -> Callable[[], Any]:
    return lambda: _call(
        lambda: run.tool.handler(run.arguments, run.request), f'tool "{run.tool.id}"', run.request.deadline
    )


def _together(calls: list[Callable[[], Any]]) -> list[Any]:
    """One call here; several in threads, each with this thread's context variables."""
    if len(calls) == 1:
        return [calls[0]()]
    with ThreadPoolExecutor(min(len(calls), MOST_THREADS), "falai-tool") as pool:
        return [future.result() for future in [pool.submit(copy_context().run, call) for call in calls]]


async def _abring(need: Need) -> Any:
    if isinstance(need, RunAction):
        handler, call = need.action.handler, need.call
        return await _acall(lambda: handler(need.params, call), f'action "{need.name}"', call.deadline)
    if isinstance(need, RunTools):
        together = len(need.runs) > 1
        return await asyncio.gather(*[_atool_call(run, in_thread=together) for run in need.runs])
    if isinstance(need, Await):
        return await _awaited(need.awaitable)
    raise TypeError(f"a turn does not ask for {type(need).__name__}")


async def _atool_call(run: ToolRun, *, in_thread: bool) -> Any:
    """A plain function that is to run beside others needs a thread of its own."""
    handler = run.tool.handler
    in_thread = in_thread and not inspect.iscoroutinefunction(handler)
    what, deadline = f'tool "{run.tool.id}"', run.request.deadline
    return await _acall(lambda: handler(run.arguments, run.request), what, deadline, in_thread=in_thread)


async def _acall(handler: Callable[[], Any], what: str, deadline: float | None, *, in_thread: bool = False) -> Any:
    if _over(deadline):
        raise DeadlineError(what)
    try:
        value = await asyncio.to_thread(handler) if in_thread else handler()
    except Exception as error:  # noqa: BLE001 - the turn says what a failed handler means
        return Raised(error)
    return await _awaited(value) if inspect.isawaitable(value) else value


async def _awaited(value: Awaitable[Any]) -> Any:
    try:
        return await value
    except Exception as error:  # noqa: BLE001 - the turn says what a failed handler means
        return Raised(error)
