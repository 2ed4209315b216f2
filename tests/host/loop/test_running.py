"""A round of the loop moves everything that is due, and says when to come again."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from falai_django import registry, tasks
from falai_django.loop import PARTS, run_part, tick
from falai_django.loop.waiting import seconds_until_due
from falai_django.models import Message, Sender, Session, Turn, Wake
from falai_django.parts import EVERY_SECONDS, task_name
from tests.host.loop_rows import ago, make_agent, make_session, make_wake, queue
from tests.host.runtime.stage import document

WAITS = {
    "id": "w",
    "on": [{"message": []}],
    "steps": [{"id": "pause", "kind": "wait", "wait": "1h"}, {"id": "s", "kind": "say", "say": "Still there?"}],
}


@pytest.fixture
def got(stage):
    """What left by the agent's sender."""
    messages = []
    registry.sender("test")(messages.append)
    sender = Sender.objects.create(tenant=stage.tenant, name="out", kind="python", python_name="test")
    stage.agent.sender, stage.agent.deliver = sender, "sender"
    stage.agent.save()
    return messages


def test_every_part_has_a_task_and_a_place_in_the_schedule():
    assert set(PARTS) == set(EVERY_SECONDS) == set(tasks.__all__)
    for part in PARTS:
        assert getattr(tasks, part).name == task_name(part)


def test_a_message_is_answered_and_its_answer_leaves_in_one_round(stage, got):
    stage.says("oi")
    ticked = tick()
    assert ticked.done == {"wakes": 0, "sessions": 1, "outbox": 1, "housekeeping": 0, "reconcile": 0}
    assert [message.text for message in got] == ["Oi."]
    assert ticked.wait_seconds == 0.0
    assert stage.states() == [("message", "done")]
    assert tick().wait_seconds > 0.0


def test_a_wake_that_comes_due_speaks_by_the_sender(stage, got):
    """From its hour to the customer's phone, by one round: wake, turn, message."""
    stage.publish(document(WAITS))
    stage.says("oi")
    tick()
    assert (Wake.objects.count(), got) == (1, [])
    assert tick().done["wakes"] == 0
    stage.move(Wake, "due", -timedelta(hours=1))
    # The session's own times move along, so that the run is not woken before it was parked.
    assert tick().done == {"wakes": 1, "sessions": 1, "outbox": 1, "housekeeping": 0, "reconcile": 0}
    assert [message.text for message in got] == ["Still there?"]
    assert stage.states() == [("message", "done"), ("wake", "done")]
    assert Wake.objects.count() == 0


@pytest.mark.parametrize("part", sorted(PARTS))
def test_a_task_is_a_look_of_its_part(stage, got, part):
    stage.says("oi")
    assert getattr(tasks, part)() == (1 if part == "sessions" else 0)


@pytest.mark.django_db
def test_with_nothing_to_do_each_part_says_so():
    assert [run_part(part) for part in PARTS] == [0] * len(PARTS)


def test_a_round_that_is_asked_to_stop_begins_no_further_part(stage):
    stage.says("oi")
    assert tick(stopping=lambda: True).done == {}


@pytest.mark.django_db
def test_the_next_round_comes_when_the_next_thing_is_due_and_each_second_at_the_latest():
    assert seconds_until_due(1.0) == 1.0
    session = make_session(make_agent())
    make_wake(session, due=timezone.now() + timedelta(seconds=600))
    assert 590 < seconds_until_due(1_000.0) < 601
    queue(session, "one", due=timezone.now() + timedelta(seconds=300))
    assert 290 < seconds_until_due(1_000.0) < 301
    Session.objects.filter(pk=session.pk).update(due=timezone.now() + timedelta(seconds=100))
    assert 90 < seconds_until_due(1_000.0) < 101
    assert seconds_until_due(1.0) == 1.0


@pytest.mark.django_db
def test_what_is_due_and_cannot_go_on_makes_no_busy_loop():
    """A poll that nobody fetches, a session that another worker runs."""
    session = make_session(make_agent(kind="poll"), due=ago(minutes=1), lease_until=ago(minutes=-1))
    queue(session, "one")
    assert tick().wait_seconds == 1.0


class TestOnce:
    """`falai_worker --once`: for cron, and for hosts that want no daemon."""

    def test_it_works_until_nothing_is_due(self, stage, got):
        for number in range(3):
            stage.says("oi", f"s{number}")
        out = StringIO()
        call_command("falai_worker", "--once", stdout=out)
        assert [message.text for message in got] == ["Oi."] * 3
        assert "sessions: 3, outbox: 3" in out.getvalue()
        assert not Turn.objects.filter(state="received").exists()
        assert not Message.objects.filter(state="queued").exists()

    @pytest.mark.parametrize("threads", [0, 65, -1])
    def test_a_number_of_threads_that_cannot_be_is_told(self, threads):
        with pytest.raises(CommandError, match="1 to 64"):
            call_command("falai_worker", f"--threads={threads}")
