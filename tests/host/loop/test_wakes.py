"""Due wakes come into the inbox, each once; those that came too late are told, and runs are not left waiting."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from falai_django.faults import at_fault_point
from falai_django.models import SessionRun, Turn, Wake
from falai_django.wakes import due_wakes, move_due_wakes, release_held_wakes
from tests.host.loop_rows import ago, make_agent, make_session, make_wake

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent():
    return make_agent()


@pytest.fixture
def session(agent):
    return make_session(agent)


def _turns(session):
    return list(Turn.objects.filter(session=session).order_by("pk"))


def _seconds_ahead(moment):
    return (moment - timezone.now()).total_seconds()


def test_a_due_wake_becomes_a_turn_and_is_gone(session):
    wake, later = make_wake(session), make_wake(session, "later", due=ago(minutes=-1))
    assert move_due_wakes().moved == 1
    (turn,) = _turns(session)
    assert (turn.kind, turn.key, turn.state) == ("wake", f"flow#k:step:1#{wake.pk}", "received")
    assert (turn.input, turn.deliver, turn.not_before) == ({"wake": "flow#k:step:1"}, "sender", None)
    assert list(Wake.objects.all()) == [later]
    session.refresh_from_db()
    assert session.due == turn.received_at
    assert session.queue_seq == 1
    assert move_due_wakes().seen == 0


def test_the_same_wake_key_may_come_again(session):
    for _ in range(2):
        make_wake(session)
        move_due_wakes()
    assert len({turn.key for turn in _turns(session)}) == 2


def test_a_key_as_long_as_a_key_may_be_keeps_its_number(session):
    wake = make_wake(session, "k" * 1024)
    move_due_wakes()
    (turn,) = _turns(session)
    assert (len(turn.key), turn.key.endswith(f"k#{wake.pk}"), turn.input["wake"]) == (1024, True, "k" * 1024)


def test_killed_before_the_commit_the_wake_is_there_after_it_the_turn(session):
    """Never both, never neither."""
    make_wake(session)

    def die():
        raise KeyboardInterrupt

    with at_fault_point("wakes-before-commit", die), pytest.raises(KeyboardInterrupt):
        move_due_wakes()
    assert (Wake.objects.count(), Turn.objects.count()) == (1, 0)
    with at_fault_point("wakes-after-commit", die), pytest.raises(KeyboardInterrupt):
        move_due_wakes()
    assert (Wake.objects.count(), Turn.objects.count()) == (0, 1)


@pytest.mark.parametrize("held", [False, True], ids=["late", "late because its agent was off"])
def test_a_nudge_that_is_later_than_the_grace_is_missed(session, held):
    times = {"due": ago(seconds=1), "held_due": ago(hours=13)} if held else {"due": ago(hours=13)}
    make_wake(session, "silence:nudge:s1:1", **times)
    make_wake(session, "silence:nudge:s1:2", due=ago(hours=11))
    assert move_due_wakes().missed == 1
    missed, run = sorted(_turns(session), key=lambda turn: turn.input["wake"])
    assert (missed.state, missed.ended_at is not None, run.state) == ("missed", True, "received")
    session.refresh_from_db()
    assert session.due == run.received_at


def test_only_missed_wakes_leave_nothing_due(session):
    make_wake(session, "silence:nudge:s1:1", due=ago(days=3))
    move_due_wakes()
    session.refresh_from_db()
    assert (session.due, session.queue_seq) == (None, 1)


def test_the_grace_is_the_tenant_s(session):
    session.agent.tenant.grace_hours = 1
    session.agent.tenant.save()
    make_wake(session, "silence:nudge:s1:1", due=ago(hours=2))
    assert move_due_wakes().missed == 1


def test_the_run_of_a_missed_start_is_ended(session):
    """Else it would wait for ever, and hold its claim."""
    run = "follow#e1"
    SessionRun.objects.create(session=session, run_id=run, flow="follow", step="", status="waiting")
    wake = make_wake(session, f"{run}:start:1", due=ago(hours=13))
    assert move_due_wakes().missed == 1
    missed, ending = _turns(session)
    assert (missed.kind, missed.state) == ("wake", "missed")
    assert (ending.kind, ending.key, ending.state) == ("end", f"missed#{wake.pk}", "received")
    assert ending.input == {"end": {"run": run, "code": "missed"}}
    session.refresh_from_db()
    assert session.due == ending.received_at


def test_a_late_start_within_the_grace_starts(session):
    SessionRun.objects.create(session=session, run_id="f#1", flow="f", step="", status="waiting")
    make_wake(session, "f#1:start:1", due=ago(hours=11))
    assert move_due_wakes().missed == 0


def test_a_step_called_start_is_no_start(session):
    """Its run waits at a step: however late, it goes on."""
    SessionRun.objects.create(session=session, run_id="f#1", flow="f", step="start", status="waiting")
    make_wake(session, "f#1:start:1", due=ago(days=3))
    assert move_due_wakes().missed == 0
    assert [turn.state for turn in _turns(session)] == ["received"]


def test_after_three_days_of_downtime_parked_runs_go_on_spread_over_minutes(agent, settings):
    """Forty at once would be a flood for the model, and for the customers' shop."""
    settings.FALAI_WAKE_SPREAD_SECONDS = 600
    for number in range(40):
        make_wake(make_session(agent, f"s{number}"), due=ago(days=3))
    assert move_due_wakes().moved == 40
    ahead = sorted(_seconds_ahead(turn.not_before) for turn in Turn.objects.all())
    assert ahead[-1] <= 600
    assert ahead[0] < 60
    assert ahead[-1] > 500
    assert max(b - a for a, b in pairwise(ahead)) < 60
    for turn in Turn.objects.select_related("session"):
        assert turn.session.due == turn.not_before


def test_a_delay_of_seconds_is_no_downtime(session):
    make_wake(session, due=ago(seconds=30))
    move_due_wakes()
    assert _turns(session)[0].not_before is None


def test_a_wake_behind_a_waiting_message_does_not_move_its_due(session):
    """The head of the queue decides, and messages go before wakes."""
    not_before = ago(minutes=-5)
    Turn.objects.create(
        session=session, kind="message", key="m", input={}, digest="d", deliver="sender", not_before=not_before
    )
    session.due = not_before
    session.save()
    make_wake(session)
    move_due_wakes()
    session.refresh_from_db()
    assert session.due == not_before


@pytest.mark.parametrize("off", ["agent", "tenant", "release"])
def test_wakes_wait_while_their_agent_is_off_and_run_when_it_is_on(session, off):
    agent, tenant = session.agent, session.agent.tenant
    was = agent.active_release
    row = {"agent": agent, "tenant": tenant, "release": agent}[off]
    name, on, switched_off = ("active_release", was, None) if off == "release" else ("is_active", True, False)
    setattr(row, name, switched_off)
    row.save()
    wake = make_wake(session)
    moved = move_due_wakes()
    assert (moved.moved, moved.held) == (0, 1)
    assert move_due_wakes().seen == 0  # out of the way of those that can run
    assert release_held_wakes() == 0
    setattr(row, name, on)
    row.save()
    assert release_held_wakes() == 1
    wake.refresh_from_db()
    assert wake.held_due is None
    assert wake.due < timezone.now()
    assert move_due_wakes().moved == 1


def test_how_late_a_wake_is_counts_from_when_it_was_due_not_from_when_its_agent_is_on_again(session):
    session.agent.is_active = False
    session.agent.save()
    make_wake(session, "silence:nudge:s1:1", due=ago(hours=20))
    move_due_wakes()
    session.agent.is_active = True
    session.agent.save()
    release_held_wakes()
    assert move_due_wakes().missed == 1


def test_a_conversation_that_is_being_erased_gets_no_turn(session):
    session.erasing_at = ago(seconds=1)
    session.save()
    make_wake(session)
    assert move_due_wakes().moved == 0
    assert Wake.objects.count() == 1


def test_more_than_a_batch_is_moved_batch_by_batch_until_told_to_stop(agent, settings):
    settings.FALAI_WAKE_BATCH = 2
    for number in range(5):
        make_wake(make_session(agent, f"s{number}"))
    assert move_due_wakes(stopping=lambda: True).moved == 2
    assert move_due_wakes().moved == 3


def test_the_look_at_what_is_due_reads_the_index_alone(session):
    """However many wakes are pending, and however far away."""
    if connection.vendor != "postgresql":
        pytest.skip("The plan of SQLite tells nothing of index-only scans; PostgreSQL's does.")
    Wake.objects.bulk_create(
        [Wake(session=session, key=f"k{n}", due=timezone.now() + timedelta(days=n)) for n in range(2_000)]
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE falai_wake")
    plan = due_wakes().values_list("pk", "session_id")[:500].explain()
    assert "Index Only Scan using falai_wake_due" in plan
    assert "Sort" not in plan


def test_sessions_that_somebody_holds_are_left_for_the_next_look():
    """A commit holds its session's row and then writes wakes: the other way round the two would wait for each other."""
    session = make_session(make_agent())
    make_wake(session)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        move_due_wakes()
    told = [query["sql"] for query in captured]
    locking = [number for number, sql in enumerate(told) if "FOR UPDATE" in sql]
    writing = [number for number, sql in enumerate(told) if "DELETE" in sql or "INSERT" in sql or 'UPDATE "' in sql]
    if connection.vendor != "postgresql":
        assert locking == []  # SQLite has one writer at a time
        return
    assert 'FOR UPDATE OF "falai_session" SKIP LOCKED' in told[locking[0]]
    assert locking[0] < writing[0]
