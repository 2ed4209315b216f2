"""Providers as context managers: leaving one closes its connections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

__all__ = ["Closing"]


class Closing(ABC):
    """`with` and `async with` for what has connections to close."""

    @abstractmethod
    def close(self) -> None:
        """Closes the threads' connections; a later call opens new ones."""

    @abstractmethod
    async def aclose(self) -> None:
        """Closes all connections, on the loop that they belong to."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
