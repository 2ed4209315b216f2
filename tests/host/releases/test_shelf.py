"""Agents that stand ready: one build at a time for each, a bounded number, and no connection cut under a turn."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from falai_django.releases.shelf import Shelf


class FakeProvider:
    def __init__(self):
        self.closed = 0

    def close(self):
        self.closed += 1


class FakeAgent:
    def __init__(self, provider=None):
        self.provider = provider or FakeProvider()


def shelf(most=10):
    return Shelf(lambda: most)


def test_one_version_is_built_once():
    kept, built = shelf(), []
    agents = [kept.get("a", 1, lambda: built.append(1) or FakeAgent()) for _ in range(3)]
    assert (len(built), len(set(map(id, agents)))) == (1, 1)


def test_another_version_takes_the_place():
    kept = shelf()
    one, two = kept.get("a", 1, FakeAgent), kept.get("a", 2, FakeAgent)
    assert one is not two
    assert len(kept) == 1
    assert kept.get("a", 2, FakeAgent) is two


def test_the_least_used_leaves_first():
    kept = shelf(2)
    a, b = kept.get("a", 1, FakeAgent), kept.get("b", 1, FakeAgent)
    assert kept.get("a", 1, FakeAgent) is a
    kept.get("c", 1, FakeAgent)
    assert len(kept) == 2
    assert kept.get("a", 1, FakeAgent) is a
    assert kept.get("b", 1, FakeAgent) is not b


def test_connections_are_closed_once_nothing_uses_the_agent():
    """Neither a new version nor the lack of room cuts off a turn that holds the agent."""
    kept, provider = shelf(1), FakeProvider()
    turn = kept.get("a", 1, lambda: FakeAgent(provider))
    kept.get("a", 2, FakeAgent)
    kept.get("b", 1, FakeAgent)
    gc.collect()
    assert provider.closed == 0
    del turn
    gc.collect()
    assert provider.closed == 1


def test_a_provider_that_has_nothing_to_close_is_left_alone():
    kept = shelf(1)
    kept.get("a", 1, lambda: FakeAgent(object()))
    kept.clear()
    gc.collect()
    assert len(kept) == 0


def test_a_failed_build_leaves_nothing_behind():
    kept = shelf()

    def fail():
        raise ValueError("no")

    kept.get("a", 1, FakeAgent)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            kept.get("a", 2, fail)
    assert isinstance(kept.get("a", 2, FakeAgent), FakeAgent)


def test_many_who_want_the_same_wait_for_one_build():
    kept, built, inside, go = shelf(), [], threading.Event(), threading.Event()

    def build():
        built.append(1)
        inside.set()
        assert go.wait(5)
        return FakeAgent()

    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(kept.get, "a", 1, build) for _ in range(4)]
        assert inside.wait(5)
        # Another subject is not held up.
        assert isinstance(kept.get("b", 1, FakeAgent), FakeAgent)
        go.set()
        agents = [each.result(5) for each in waiting]
    assert len(built) == 1
    assert len(set(map(id, agents))) == 1
