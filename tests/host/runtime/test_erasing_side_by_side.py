"""A contact is erased while it writes, by threads that meet in PostgreSQL; SQLite has one writer (README, two meet)."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from falai_django.conversations.erasing import erase_contact
from falai_django.errors import InputRefusedError
from falai_django.inbox import event, message
from falai_django.models import Anchor, AnchorSession, Claim, Session, Turn
from falai_django.roles import Actor
from falai_django.turns.drain import drain
from tests.host.runtime.flows import EVENTS
from tests.host.runtime.stage import Stage, document

BOSS = Actor.command("test")
CAMPAIGN = {
    "id": "camp",
    "anchor": "lead",
    "on": [{"message": []}, {"event": "go", "repeat": "always"}],
    "steps": [{"id": "s", "say": "Oferta!"}, {"id": "w", "wait": "1d"}],
}
WRITERS, ROUNDS = 3, 25


@pytest.fixture
def stage(transactional_db, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("Threads of a test see each other's rows on PostgreSQL alone; SQLite is in memory here.")
    return Stage(monkeypatch).publish(document(CAMPAIGN, events=EVENTS))


def _writes(stage, writer):
    """Sessions of its own, all of the one contact; some known, some new."""
    try:
        for number in range(ROUNDS):
            name = f"{writer}-{number % 7}"
            given = message if number % 2 else lambda **more: event("go", **more)
            # It is being erased: the customer's program tries again later.
            with contextlib.suppress(InputRefusedError):
                text = {"text": "oi"} if number % 2 else {}
                turn = stage.takes(given(**text, anchors={"lead": "7", "deal": f"{writer}"}), name)
                drain(turn.session_id)
    finally:
        connections.close_all()


def _erases(stage):
    try:
        for _ in range(ROUNDS):
            erase_contact(BOSS, stage.tenant, "lead", "7")
    finally:
        connections.close_all()


def test_whoever_writes_while_a_contact_is_erased_meets_no_error_and_leaves_nothing_behind(stage):
    """No deadlock, no row that points at nothing; the next erasure finds all that came after the last one."""
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        running = [pool.submit(_writes, stage, writer) for writer in range(WRITERS)]
        running.append(pool.submit(_erases, stage))
        for each in running:
            each.result()
    linked = set(AnchorSession.objects.filter(anchor__name="lead").values_list("session", flat=True))
    about = {row.pk for row in Session.objects.filter(erasing_at=None) if row.anchors.get("lead") == "7"}
    assert about == linked
    erase_contact(BOSS, stage.tenant, "lead", "7")
    assert not Session.objects.exists()
    assert not Turn.objects.exists()
    assert not Claim.objects.exists()
    assert not Anchor.objects.filter(name="lead").exists()
