"""The sessions of one contact at once: what a flow of the contact starts, lives in one of them (spec: host.md 3)."""

from __future__ import annotations

import pytest

from falai_django.inbox import event
from falai_django.models import Claim, Message, Session, Turn
from tests.host.runtime.flows import EVENTS
from tests.host.runtime.stage import document

WHILE_PHRASED = "turn-taken"
"""The engine has ended, nothing is written."""


def lead_flow(repeat):
    return {
        "id": "camp",
        "anchor": "lead",
        "on": [{"event": "go", "repeat": repeat}],
        "steps": [{"id": "s", "say": "Oferta!"}, {"id": "w", "wait": "1d"}],
    }


@pytest.mark.parametrize("repeat", ["once", "always", {"cooldown": "1h"}], ids=["once", "always", "cooldown"])
def test_two_sessions_of_one_contact_start_the_same_once(stage, repeat):
    """At the same moment: the second commit finds the first's claim, is replayed, and does not start."""
    stage.publish(document(lead_flow(repeat), events=EVENTS))
    for name in ("a", "b"):
        stage.takes(event("go", key="k", anchors={"lead": "7"}), name)
    with stage.meanwhile(WHILE_PHRASED, lambda: stage.drains("b")):
        stage.drains("a")
    assert Message.objects.filter(text="Oferta!").count() == 1
    assert [skip["code"] for skip in stage.turns("a")[0].response["skipped"]] == [
        "already-claimed" if repeat in ("once", "always") else "cooldown"
    ]
    claim = Claim.objects.get()
    assert (claim.live, claim.session.session_id, claim.name) == (True, "b", "lead")
    assert all(not row.blob["claims"] for row in Session.objects.all())


@pytest.mark.parametrize("repeat", ["once", "always", {"cooldown": "1h"}], ids=["once", "always", "cooldown"])
@pytest.mark.parametrize("kind", ["message", "event"])
def test_two_sessions_of_one_contact_start_the_same_once_for_reasons_of_their_own(stage, repeat, kind):
    """Two messages, two events: their keys differ, so that for an `always` flow only the live run is in the way."""
    flow = lead_flow(repeat) | ({"on": [{"message": [], "repeat": repeat}]} if kind == "message" else {})
    stage.publish(document(flow, events=EVENTS))
    for name in ("a", "b"):
        if kind == "message":
            stage.says("oi", name, anchors={"lead": "7"})
        else:
            stage.takes(event("go", key=f"k-{name}", anchors={"lead": "7"}), name)
    with stage.meanwhile(WHILE_PHRASED, lambda: stage.drains("b")):
        stage.drains("a")
    assert Message.objects.filter(text="Oferta!").count() == 1
    assert [turn.state for turn in Turn.objects.all()] == ["done", "done"]
    (claim,) = Claim.objects.filter(live=True)
    assert claim.session.session_id == "b"
    if kind == "event":
        (skip,) = stage.turns("a")[0].response["skipped"]
        assert skip["code"] == {"once": "already-claimed", "always": "already-running"}.get(str(repeat), "cooldown")


def test_a_cooldown_that_is_over_is_taken_once(stage):
    """Two sessions find the same old claim: one renews it, the other compares and loses."""
    stage.publish(document(lead_flow({"cooldown": "1h"}), events=EVENTS))
    for name in ("a", "b"):
        stage.takes(event("go", key="k", anchors={"lead": "7"}), name)
    Claim.objects.create(
        agent=stage.agent, dedupe_key="camp:7:", flow="camp", name="lead", anchor="7", at="2020-01-01T00:00:00.000Z"
    )
    with stage.meanwhile(WHILE_PHRASED, lambda: stage.drains("b")):
        stage.drains("a")
    assert Message.objects.filter(text="Oferta!").count() == 1


def test_a_run_lives_in_one_session_at_a_time(stage):
    """An `always` flow does not start beside its own live run elsewhere; when that has ended, it does."""
    stage.publish(document(lead_flow("always"), events=EVENTS))
    stage.takes(event("go", key="k1", anchors={"lead": "7"}), "a")
    stage.drains("a")
    stage.takes(event("go", key="k2", anchors={"lead": "7"}), "b")
    stage.drains("b")
    assert [skip["code"] for skip in stage.turns("b")[0].response["skipped"]] == ["already-running"]
    (key,) = [wake.key for wake in stage.session("a").wakes.all()]
    stage.wakes_up(key, "a")
    assert not Claim.objects.filter(live=True).exists()
    stage.takes(event("go", key="k3"), "b")
    stage.drains("b")
    assert Message.objects.filter(text="Oferta!").count() == 2


def test_of_the_claims_of_a_start_that_may_always_come_the_newest_stay(stage):
    """Fifty of one flow and contact."""
    stage.publish(document(lead_flow("always") | {"steps": [{"id": "s", "say": "Oferta!"}]}, events=EVENTS))
    old = [
        Claim(
            agent=stage.agent,
            dedupe_key=f"camp:7:{n}",
            flow="camp",
            name="lead",
            anchor="7",
            at=f"2020-01-01T00:{n:02}:00.000Z",
        )
        for n in range(50)
    ]
    Claim.objects.bulk_create(old)
    stage.takes(event("go", key="k", anchors={"lead": "7"}), "a")
    stage.drains("a")
    keys = set(Claim.objects.values_list("dedupe_key", flat=True))
    assert len(keys) == 50
    assert "camp:7:k" in keys
    assert "camp:7:0" not in keys
