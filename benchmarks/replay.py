"""Replaying vector scenarios with a model that costs nothing, so that only the engine is timed."""

from __future__ import annotations

import gc
import gzip
import json
import statistics
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.ruler import VECTORS
from falai_engine import Agent, ModelReply, ModelRequest, ProviderError, TurnInput, TurnResult, turn_input_from_json
from falai_engine.testing import FakeClock, ScriptedProvider, Stage

__all__ = ["random_turn_microseconds"]

Replies = list[ModelReply | ProviderError]


class RecordingProvider(ScriptedProvider):
    """Plays a script and keeps what it gave."""

    given: Replies

    def generate(self, request: ModelRequest) -> ModelReply:
        """As ScriptedProvider, kept."""
        try:
            self.given.append(super().generate(request))
        except ProviderError as error:
            self.given.append(error)
            raise
        return self.given[-1]  # type: ignore[return-value]


class ReadyProvider(ScriptedProvider):
    """Hands out replies that were made beforehand, in order."""

    replies: deque[ModelReply | ProviderError]

    def generate(self, request: ModelRequest) -> ModelReply:  # noqa: ARG002 - whatever is asked
        """The next one."""
        reply = self.replies.popleft()
        if isinstance(reply, ProviderError):
            raise reply
        return reply


def _take(agent: Agent, given: TurnInput) -> TurnResult | None:
    try:
        return agent.turn(given)
    except ProviderError:
        return None


def _played(scenario: Mapping[str, Any], provider: ScriptedProvider) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """Each turn with a function that takes it; the session goes on when it was called."""
    clock = FakeClock(scenario["start"])
    stage = Stage(provider, clock)
    agent = stage.build(scenario["agent"])
    session = None
    for turn in scenario["turns"]:
        clock.set(turn["at"])
        agent = stage.build(turn["agent"]) if "agent" in turn else agent
        given = replace(turn_input_from_json(turn["input"]), session=session)
        results: list[TurnResult | None] = []
        yield turn, lambda agent=agent, given=given, results=results: results.append(_take(agent, given))
        result = results[-1]
        if result is not None:
            session = replace(result.session, version=result.session.version + result.changed)


def _recorded(scenario: Mapping[str, Any]) -> list[Replies]:
    provider = RecordingProvider()
    recorded = []
    for turn, take in _played(scenario, provider):
        provider.script(turn.get("understand") or (), turn.get("speak") or ())
        provider.given = []
        take()
        recorded.append(provider.given)
    return recorded


def _timed(scenario: Mapping[str, Any], recorded: Sequence[Replies]) -> list[int]:
    provider = ReadyProvider()
    times = []
    for (_, take), replies in zip(_played(scenario, provider), recorded, strict=True):
        provider.replies = deque(replies)
        start = time.process_time_ns()
        take()
        times.append(time.process_time_ns() - start)
    return times


def random_turn_microseconds(rounds: int = 15) -> list[float]:
    """For every turn of the random scenarios the median CPU time of `agent.turn`, sorted."""
    text = gzip.decompress((VECTORS / "scenarios-random.json.gz").read_bytes())
    scenarios = [each for each in json.loads(text) if "turns" in each]
    medians = []
    gc.collect()
    gc.disable()
    try:
        for scenario in scenarios:
            recorded = _recorded(scenario)
            runs = [_timed(scenario, recorded) for _ in range(rounds)]
            medians += [statistics.median(turn) / 1_000 for turn in zip(*runs, strict=True)]
    finally:
        gc.enable()
    return sorted(medians)
