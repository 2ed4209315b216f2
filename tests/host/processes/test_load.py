"""Everything at once on few sessions of few contacts: no deadlock, and all comes to rest (host.md section 3)."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from falai_django.conversations.people import write
from falai_django.conversations.silence import give_back, take_over
from falai_django.databases import now_and
from falai_django.inbox import event, message, take
from falai_django.models import Claim, Message, Session, SessionRun, Turn, Wake
from falai_django.turns.drain import drain
from falai_django.wakes import move_due_wakes
from tests.host.processes import scene

pytestmark = pytest.mark.processes

THREADS, ACTS, SESSIONS = 8, 40, 4
CAMPAIGN = {
    "id": "camp",
    "anchor": "lead",
    "on": [{"event": "go", "repeat": "always"}],
    "steps": [{"id": "say", "say": "Oferta!"}, {"id": "wait", "wait": "1h"}, {"id": "last", "say": "Última!"}],
}


@pytest.fixture
def busy(arena):
    """Two contacts, two sessions each, and a campaign that only one of a contact's sessions may run."""
    release = arena.agent.active_release
    type(release).objects.update(document={**scene.DOCUMENT, "flows": [CAMPAIGN, *scene.DOCUMENT["flows"]]})
    for number in range(SESSIONS):
        anchors = {"lead": f"{number % 2}", "deal": "1"}
        take(arena.agent, f"s{number}", message("oi", anchors=anchors), deliver="sender")
        drain(scene.pk(arena.agent, f"s{number}"))
    return arena


def _act(agent, name, dice, number):
    """One thing that may happen to a session."""
    row = scene.session(agent, name)
    choice = dice.randrange(6)
    if choice == 0:
        take(agent, name, event("go", key=f"k{number}"), deliver="sender")
    elif choice == 1:
        take(agent, name, message(f"texto {number}"))
    elif choice == 2:
        Wake.objects.filter(session=row).update(due=now_and(-1))
        move_due_wakes()
    elif choice == 3:
        write(scene.BOSS, row, f"Sou a Bia {number}.")
    elif choice == 4:
        take_over(scene.BOSS, row, lasts="1s")
        give_back(scene.BOSS, row)
    drain(row.pk)


def _person(agent, seed):
    dice = random.Random(seed)
    try:
        for number in range(ACTS):
            _act(agent, f"s{dice.randrange(SESSIONS)}", dice, seed * ACTS + number)
    finally:
        connections.close_all()


def test_everything_at_once(busy):
    """Each thread does what it likes; whatever they did, the rows agree in the end."""
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(_person, busy.agent, seed) for seed in range(THREADS)]:
            done.result()
    scene.run_all()
    assert set(Turn.objects.values_list("state", flat=True)) == {"done"}
    for row in Session.objects.all():
        seqs = list(Message.objects.filter(session=row).order_by("seq").values_list("seq", flat=True))
        assert seqs == list(range(1, row.next_seq))
        assert sorted(run["id"] for run in row.blob["runs"]) == sorted(
            SessionRun.objects.filter(session=row).values_list("run_id", flat=True)
        )
        awaited = {run["waiting"]["key"] for run in row.blob["runs"] if "waiting" in run}
        assert awaited == set(Wake.objects.filter(session=row).values_list("key", flat=True))
        live = {run["dedupeKey"] for run in row.blob["runs"] if run["flowId"] == "camp"}
        assert live == set(Claim.objects.filter(session=row, live=True).values_list("dedupe_key", flat=True))
    assert Claim.objects.filter(live=True).count() <= 2
    heard = Turn.objects.filter(kind="message").count()
    assert Message.objects.filter(direction="in").count() == heard
