"""Claims: which starts and once-only messages a session has used up (spec: engine.md section 4).

Sessions grow old and keep many claims, so a copy shares them until it writes, and the claims of one flow are found
through an index by the key's first segment instead of a walk over all.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["Claims"]


class Claims:
    """`dedupeKey -> at` (ISO 8601), in the order of writing."""

    __slots__ = ("_at", "_by_flow", "_shared")

    def __init__(self, at: dict[str, str] | None = None) -> None:
        self._at = {} if at is None else at
        self._by_flow: dict[str, dict[str, None]] | None = None
        self._shared = False

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Claims) and (self._at is other._at or self._at == other._at)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Claims({self._at!r})"

    def get(self, key: str) -> str | None:
        """When the key was claimed, None when it was not."""
        return self._at.get(key)

    def items(self) -> list[tuple[str, str]]:
        """Every claim in order."""
        return list(self._at.items())

    def copy(self) -> Claims:
        """The same claims; whichever of the two writes first takes its own."""
        twin = Claims(self._at)
        twin._by_flow = self._by_flow
        self._shared = twin._shared = True
        return twin

    def write(self, key: str, at: str) -> None:
        """Claim a key, or move an existing claim to a new time."""
        self._own()
        self._at[key] = at
        if self._by_flow is not None:
            self._by_flow.setdefault(_segment(key), {})[key] = None

    def discard(self, key: str) -> None:
        """Forget a claim."""
        self._own()
        if self._at.pop(key, None) is not None and self._by_flow is not None:
            del self._by_flow[_segment(key)][key]

    def starting_with(self, prefix: str) -> list[tuple[str, str]]:
        """The claims whose key starts with `flowId:anchor:`, in order."""
        if self._by_flow is None:
            self._by_flow = {}
            for key in self._at:
                self._by_flow.setdefault(_segment(key), {})[key] = None
        keys = self._by_flow.get(_segment(prefix), ())
        return [(key, self._at[key]) for key in keys if key.startswith(prefix)]

    def _own(self) -> None:
        if self._shared:
            self._at = self._at.copy()
            if self._by_flow is not None:
                self._by_flow = {segment: keys.copy() for segment, keys in self._by_flow.items()}
            self._shared = False


def _segment(key: str) -> str:
    return key.partition(":")[0]
