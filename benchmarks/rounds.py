"""Two sides of a comparison, by turns: whatever else the machine does meets both."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["Row", "compared"]

Row: TypeAlias = dict[str, Any]
ROUNDS = 9


def compared(name: str, target: float, ruler: Callable[[], float], ours: Callable[[], float]) -> Row:
    """How many times as much the ruler does in a second: the median of rounds in which each comes first by turns."""
    pairs = []
    for number in range(ROUNDS):
        if number % 2:
            mine, theirs = ours(), ruler()
        else:
            theirs, mine = ruler(), ours()
        pairs.append((theirs, mine))
    ratio = statistics.median(theirs / mine for theirs, mine in pairs)
    return {
        "name": name,
        "value": round(ratio, 3),
        "unit": "x",
        "target": round(target, 3),
        "met": ratio <= target,
        "detail": {
            "ruler_a_second": [round(theirs) for theirs, _ in pairs],
            "ours_a_second": [round(mine) for _, mine in pairs],
        },
    }
