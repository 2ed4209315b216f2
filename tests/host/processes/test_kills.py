"""SIGKILL at every fault point of a process of its own; the next ones finish its work (README, if a process dies)."""

from __future__ import annotations

import signal
from collections import Counter

import pytest

from falai_django.models import Message, Session, Turn
from tests.host.processes import scene
from tests.host.runtime.stage import PAST
from tests.host.runtime.test_crashes import named_in_the_source

pytestmark = pytest.mark.processes

RUNS_OF_THE_ACTION = {"receipt-started": 0}
"""Not idempotent: in doubt it counts as failed. Everywhere else it is run once."""


@pytest.mark.parametrize("point", named_in_the_source())
def test_after_a_kill_nothing_is_lost_or_done_twice(arena, point):
    """Inputs, messages and wakes are all there, each once to effect; a finished action was run once."""
    arena.begin()
    assert arena.killed_at(point) == -signal.SIGKILL
    _time_passes()
    scene.run_all()
    scene.play(arena.agent)
    scene.run_all()

    turns = Counter(Turn.objects.values_list("session__session_id", "kind", "state"))
    assert turns == {
        ("s1", "event", "done"): 1,
        ("s2", "message", "done"): 1,
        ("s3", "start", "done"): 1,
        ("s3", "wake", "done"): 1,
        ("s5", "message", "done"): 1,
        ("s5", "human", "done"): 1,
    }
    assert len(scene.said("action")) == RUNS_OF_THE_ACTION.get(point, 1)
    texts = Counter(Message.objects.filter(direction="out").values_list("text", "state"))
    leaving = {"Feito.", "Eco.", "Sou a Bia.", "Mais tarde."}
    assert texts == {("Eco.", "recorded"): 1, **{(text, "sent"): 1 for text in leaving}}
    sent = Message.objects.filter(direction="out", state="sent")
    assert set(scene.said("sent")) == {f"{row.public_id} {row.text}" for row in sent}
    assert not Session.objects.filter(due__isnull=False).exists()
    assert not Session.objects.filter(lease_until__isnull=False).exists()


def _time_passes():
    """Leases expire."""
    for model in (Session, Message):
        model.objects.filter(lease_until__isnull=False).update(lease_until=PAST)
