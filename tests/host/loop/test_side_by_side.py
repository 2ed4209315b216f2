"""Several workers at once: nothing twice, nothing lost, nothing out of order (PostgreSQL; SQLite has one writer)."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from django.db import connection

from falai_django import registry
from falai_django.models import Message, Session, Turn, Wake
from falai_django.outbox import acknowledge, poll_messages, send_due
from falai_django.wakes import move_due_wakes
from tests.host.loop_rows import ago, make_agent, make_session, queue

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS = 4


@pytest.fixture(autouse=True)
def _postgres():
    if connection.vendor != "postgresql":
        pytest.skip("Threads of a test see each other's rows on PostgreSQL alone; SQLite is in memory here.")


def _side_by_side(work):
    """Run it in WORKERS threads that begin together; whatever one of them raises is raised."""
    ready, raised = threading.Barrier(WORKERS), []

    def run():
        try:
            ready.wait(10)
            work()
        except BaseException as error:  # noqa: BLE001 - told below
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if raised:
        raise raised[0]


def _until_none(step, is_done):
    while not is_done():
        step()


def test_due_wakes_are_moved_once_each():
    """Two thousand, some sessions with several: each wake is one Turn, and every session is due."""
    agent = make_agent()
    sessions = [make_session(agent, f"s{number}") for number in range(500)]
    Wake.objects.bulk_create(
        [Wake(session=sessions[n % 500], key=f"k{n}", due=ago(seconds=1 + n % 9)) for n in range(2_000)]
    )
    _side_by_side(lambda: _until_none(move_due_wakes, lambda: not Wake.objects.exists()))
    woken = Counter((session, given["wake"]) for session, given in Turn.objects.values_list("session", "input"))
    assert (len(woken), set(woken.values())) == (2_000, {1})
    assert Session.objects.filter(due=None).count() == 0
    assert set(Session.objects.values_list("queue_seq", flat=True)) <= {1, 2, 3, 4}


def test_messages_of_a_session_leave_in_order_once_each_whoever_sends_them():
    """The first message of every third session fails once: those behind it wait for it."""
    agent = make_agent(kind="python")
    sessions = [make_session(agent, f"s{number}") for number in range(12)]
    for session in sessions:
        queue(session, "1", "2", "3", "4", "5")
    got, failed, lock = [], set(), threading.Lock()

    def sending():
        def step():
            send_due()
            Message.objects.filter(state="queued", attempts__gt=0).update(due=ago(seconds=1))

        _until_none(step, lambda: not Message.objects.filter(state__in=["queued", "sending"]).exists())

    with registry.isolated():

        @registry.sender("test")
        def take(message):
            with lock:
                if message.text == "1" and int(message.session[1:]) % 3 == 0 and message.session not in failed:
                    failed.add(message.session)
                    raise RuntimeError
                got.append((message.session, message.text))

        _side_by_side(sending)
    assert len(failed) == 4
    for session in sessions:
        assert [text for name, text in got if name == session.session_id] == ["1", "2", "3", "4", "5"]


def test_two_polls_never_get_the_same_message():
    agent = make_agent(kind="poll")
    for number in range(40):
        queue(make_session(agent, f"s{number}"), "1", "2")
    got, lock = [], threading.Lock()

    def polling():
        def step():
            fetched = poll_messages(agent.tenant, limit=7)
            with lock:
                got.extend(message.id for message in fetched)
            acknowledge(agent.tenant, [message.id for message in fetched])

        _until_none(step, lambda: not Message.objects.filter(state="queued").exists())

    _side_by_side(polling)
    assert (len(got), len(set(got))) == (80, 80)
    assert Message.objects.filter(state="sent").count() == 80
