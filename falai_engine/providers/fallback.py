"""Several providers as one: the first that answers (spec: providers.md, kind `fallback`)."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from falai_engine.errors import ErrorKind, FlowConfigurationError, ProviderError
from falai_engine.model import RESET, Capabilities, ModelReply, ModelRequest, Provider
from falai_engine.providers.attempts import Item, half_of, leave
from falai_engine.providers.closing import Closing

__all__ = ["FallbackProvider"]

_GOES_ON: Final = frozenset(
    {
        ErrorKind.RATE,
        ErrorKind.OVERLOAD,
        ErrorKind.TIMEOUT,
        ErrorKind.NETWORK,
        ErrorKind.MODEL,
        ErrorKind.QUOTA,
    }
)


class _Course:
    """Which provider comes next and with how much of the deadline, and what to raise when none is left."""

    def __init__(self, providers: Sequence[Provider], request: ModelRequest) -> None:
        self._providers = providers
        self._request = request
        self._failures: list[ProviderError] = []

    def entries(self) -> Iterator[tuple[int, Provider, ModelRequest]]:
        last = len(self._providers) - 1
        for number, provider in enumerate(self._providers):
            now, deadline = time.monotonic(), self._request.deadline
            # Past the deadline the first one is asked all the same, and says that it was too late.
            if number > 0 and leave(deadline, now) <= 0:
                return
            share = deadline if number == last else half_of(deadline, now)
            yield number, provider, replace(self._request, deadline=share)

    def failed(self, error: ProviderError) -> bool:
        """Notes a failure; whether another provider may do better."""
        self._failures.append(error)
        return error.kind in _GOES_ON

    def error(self) -> ProviderError:
        return next((each for each in self._failures if each.is_retryable), self._failures[-1])


class FallbackProvider(Closing):
    """Asks its providers in order and goes on to the next on rate, overload, timeout, network, model and quota.

    Raises the first retryable error, else the last. While another one is left, a provider gets at most half of what is
    left of the deadline. Closing it closes them.
    """

    def __init__(self, providers: Sequence[Provider]) -> None:
        if not providers:
            raise FlowConfigurationError('provider "fallback"', "its list is empty", "Give providers=[first, second]")
        self._providers = tuple(providers)

    def __repr__(self) -> str:
        return f"<FallbackProvider {list(self._providers)!r}>"

    @property
    def name(self) -> str:
        return "fallback"

    @property
    def capabilities(self) -> Capabilities:
        """What all of them can do."""
        each = [provider.capabilities for provider in self._providers]
        return Capabilities(
            streaming=all(one.streaming for one in each),
            tools=all(one.tools for one in each),
            json_with_tools=all(one.json_with_tools for one in each),
        )

    def generate(self, request: ModelRequest) -> ModelReply:
        course = _Course(self._providers, request)
        for _, provider, share in course.entries():
            try:
                return provider.generate(share)
            except ProviderError as error:
                if not course.failed(error):
                    break
        raise course.error()

    async def agenerate(self, request: ModelRequest) -> ModelReply:
        course = _Course(self._providers, request)
        for _, provider, share in course.entries():
            try:
                return await provider.agenerate(share)
            except ProviderError as error:
                if not course.failed(error):
                    break
        raise course.error()

    def stream(self, request: ModelRequest) -> Iterator[Item]:
        course = _Course(self._providers, request)
        for number, provider, share in course.entries():
            if number:
                yield RESET
            try:
                yield from provider.stream(share)
            except ProviderError as error:
                if not course.failed(error):
                    break
            else:
                return
        raise course.error()

    async def astream(self, request: ModelRequest) -> AsyncIterator[Item]:
        course = _Course(self._providers, request)
        for number, provider, share in course.entries():
            if number:
                yield RESET
            try:
                async for item in provider.astream(share):
                    yield item
            except ProviderError as error:
                if not course.failed(error):
                    break
            else:
                return
        raise course.error()

    def close(self) -> None:
        """Closes every provider that can be closed."""
        for provider in self._providers:
            close = getattr(provider, "close", None)
            if close is not None:
                close()

    async def aclose(self) -> None:
        """As `close`, on the event loop."""
        for provider in self._providers:
            close: Any = getattr(provider, "aclose", None) or getattr(provider, "close", None)
            closing = close() if close is not None else None
            if inspect.isawaitable(closing):
                await closing
