"""Which item of a list is which item of the list that it became."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from falai_django.differences.same import stand_in

__all__ = ["Match", "match", "steady"]

# What a trigger, a branch or an instruction is about; the rest (a target, a repeat) may well be shared by many.
_TELLING: Final = frozenset({"event", "if", "mention", "message", "prompt", "silence", "when"})
_TELLING_WEIGHT: Final = 4
# Lists that were rewritten altogether are compared by position alone: likeness costs the product of their lengths.
_MOST_COMPARED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Match:
    """`pairs`: position after -> position before; `gone`: positions before; `moved`: positions after."""

    pairs: Mapping[int, int]
    gone: tuple[int, ...]
    moved: frozenset[int]


def match(
    before: Sequence[Any], after: Sequence[Any], identity: Callable[[Any], Hashable | None], *, loose: bool
) -> Match:
    """Pair the items of two lists: by identity, then equal ones, then the most alike, the nearest first.

    Items with an identity are paired by that alone unless `loose`. Of several with one identity the first is the first.
    """
    matcher = _Matcher(before, after)
    matcher.pair_by(identity)
    if not loose:
        matcher.leave_out(identity)
    matcher.pair_by(lambda item: ("equal", stand_in(item)))
    matcher.pair_alike()
    pairs = dict(sorted(matcher.pairs.items()))
    gone = sorted(set(range(len(before))) - set(pairs.values()))
    return Match(pairs, tuple(gone), frozenset(pairs) - steady(pairs))


def steady(pairs: Mapping[int, int]) -> frozenset[int]:
    """The most positions after that keep their order, so that the fewest others count as moved.

    `pairs` are sorted by the position after; a longest increasing subsequence of the positions before.
    """
    ends: list[int] = []
    tails: list[int] = []
    previous: dict[int, int | None] = {}
    for now, then in pairs.items():
        at = bisect_left(ends, then)
        previous[now] = tails[at - 1] if at else None
        ends[at:], tails[at:] = ([then, *ends[at + 1 :]], [now, *tails[at + 1 :]])
    kept = set()
    last = tails[-1] if tails else None
    while last is not None:
        kept.add(last)
        last = previous[last]
    return frozenset(kept)


class _Matcher:
    """What is not paired yet, as positions, in order."""

    def __init__(self, before: Sequence[Any], after: Sequence[Any]) -> None:
        self.before = before
        self.after = after
        self.open_before = list(range(len(before)))
        self.open_after = list(range(len(after)))
        self.pairs: dict[int, int] = {}

    def pair(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Take pairs of (position before, position after), each that is still open."""
        free_before, free_after = set(self.open_before), set(self.open_after)
        for then, now in pairs:
            if then in free_before and now in free_after:
                free_before.discard(then)
                free_after.discard(now)
                self.pairs[now] = then
        self.open_before = [at for at in self.open_before if at in free_before]
        self.open_after = [at for at in self.open_after if at in free_after]

    def pair_by(self, identity: Callable[[Any], Hashable | None]) -> None:
        """The n-th of an identity with the n-th."""
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for then in reversed(self.open_before):
            waiting[identity(self.before[then])].append(then)
        waiting.pop(None, None)
        found = ((waiting.get(identity(self.after[now])), now) for now in self.open_after)
        self.pair((positions.pop(), now) for positions, now in found if positions)

    def leave_out(self, identity: Callable[[Any], Hashable | None]) -> None:
        """Whoever has an identity is nobody else."""
        self.open_before = [at for at in self.open_before if identity(self.before[at]) is None]
        self.open_after = [at for at in self.open_after if identity(self.after[at]) is None]

    def pair_alike(self) -> None:
        if len(self.open_before) * len(self.open_after) > _MOST_COMPARED:
            self.pair(zip(self.open_before, self.open_after, strict=False))
            return
        ranked = sorted(
            (-likeness, abs(rank - other), rank, then, now)
            for rank, then in enumerate(self.open_before)
            for other, now in enumerate(self.open_after)
            if (likeness := _likeness(self.before[then], self.after[now]))
        )
        self.pair((then, now) for *_rank, then, now in ranked)


def _likeness(one: Any, other: Any) -> int:
    """0: nothing in common, not even a key. Texts and numbers among objects are like each other by being none."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return int(isinstance(one, Mapping) == isinstance(other, Mapping))
    shared = one.keys() & other.keys()
    return sum(1 + _weight(key) * (stand_in(one[key]) == stand_in(other[key])) for key in shared)


def _weight(key: Any) -> int:
    return _TELLING_WEIGHT if key in _TELLING else 1
