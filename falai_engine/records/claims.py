"""Claims: which starts and once-only messages a session has used up (spec: engine.md section 4).

A session grows old and keeps many claims, and a turn writes few. So a copy shares what was there and keeps only what it
writes itself, and the claims of one flow are found through an index by the key's first segment, made once for all
copies, instead of a walk over every claim.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["Claims"]

MOST_OWN = 64
"""Claims written since the shared ones before both are joined."""


class _Shared:
    """Claims that several copies read and none changes."""

    __slots__ = ("at", "by_flow")

    def __init__(self, at: dict[str, str]) -> None:
        self.at = at
        self.by_flow: dict[str, list[str]] | None = None

    def keys_of(self, segment: str) -> list[str]:
        if self.by_flow is None:
            self.by_flow = {}
            for key in self.at:
                self.by_flow.setdefault(_segment(key), []).append(key)
        return self.by_flow.get(segment, [])


class Claims:
    """`dedupeKey -> at` (ISO 8601), in the order of writing."""

    __slots__ = ("_gone", "_own", "_shared")

    def __init__(
        self,
        at: dict[str, str] | _Shared | None = None,
        own: dict[str, str] | None = None,
        gone: set[str] | None = None,
    ) -> None:
        self._shared = at if isinstance(at, _Shared) else _Shared({} if at is None else at)
        self._own = {} if own is None else own
        self._gone = set() if gone is None else gone

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.items())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Claims):
            return NotImplemented
        if self._shared is other._shared:
            return self._own == other._own and self._gone == other._gone
        return dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Claims({dict(self.items())!r})"

    def get(self, key: str) -> str | None:
        """When the key was claimed, None when it was not."""
        at = self._own.get(key)
        if at is not None or key in self._gone:
            return at
        return self._shared.at.get(key)

    def items(self) -> Iterator[tuple[str, str]]:
        """Every claim, in order."""
        shared = self._shared.at
        for key, at in shared.items():
            if key not in self._gone:
                yield key, self._own.get(key, at)
        for key, at in self._own.items():
            if key not in shared or key in self._gone:
                yield key, at

    def copy(self) -> Claims:
        """The same claims; neither of the two sees what the other writes."""
        if len(self._own) + len(self._gone) > MOST_OWN:
            return Claims(dict(self.items()))
        return Claims(self._shared, self._own.copy(), self._gone.copy())

    def write(self, key: str, at: str) -> None:
        """Claim a key, or move an existing claim to a new time."""
        self._own[key] = at

    def discard(self, key: str) -> None:
        """Forget a claim."""
        self._own.pop(key, None)
        if key in self._shared.at:
            self._gone.add(key)

    def starting_with(self, prefix: str) -> list[tuple[str, str]]:
        """The claims whose key starts with `flowId:anchor:`, in order."""
        shared = self._shared.at
        old = (key for key in self._shared.keys_of(_segment(prefix)) if key not in self._gone)
        new = (key for key in self._own if key not in shared or key in self._gone)
        return [(key, self.get(key) or "") for keys in (old, new) for key in keys if key.startswith(prefix)]


def _segment(key: str) -> str:
    return key.partition(":")[0]
