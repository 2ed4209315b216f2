"""The ruler of the engine's rows: a JSON round trip of one named scenario, timed in the same run."""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["RULER", "VECTORS", "microseconds", "ruler_microseconds"]

VECTORS = Path(__file__).parent.parent / "tests" / "vectors"
RULER = "fixed question goes out word for word first, then the model asks"


def microseconds(work: Callable[[], Any], rounds: int = 200) -> float:
    """The median CPU time of one call, garbage collection off."""
    gc.collect()
    gc.disable()
    try:
        times = []
        for _ in range(rounds):
            start = time.process_time_ns()
            work()
            times.append(time.process_time_ns() - start)
    finally:
        gc.enable()
    return statistics.median(times) / 1_000


def ruler_microseconds() -> float:
    """CPU time of `json.loads(json.dumps(x))`, x the named scenario."""
    scenarios = json.loads((VECTORS / "scenarios-named.json").read_text(encoding="utf-8"))
    scenario = next(each for each in scenarios if each["name"] == RULER)
    return microseconds(lambda: json.loads(json.dumps(scenario)), 2_000)
