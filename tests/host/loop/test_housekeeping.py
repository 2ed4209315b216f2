"""Now and then: what was to be erased is gone, idle conversations are closed, what is old is forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest

from falai_django.conversations.people import write
from falai_django.inbox import event
from falai_django.loop import closing, housekeeping
from falai_django.loop.closing import close_idle
from falai_django.loop.housekeeping import JOBS, finish_erasures, keep_house, mend_queues
from falai_django.models import Message, Receipt, Session, SessionRun, Turn, Wake
from falai_django.retention import forget_old
from falai_django.roles import Actor
from falai_django.wakes import move_due_wakes
from tests.host.loop_rows import ago, make_agent, make_session, make_wake, queue


def _never():
    return False


def _turn(session, state="done", **more):
    fields = {"kind": "message", "key": f"k{Turn.objects.count()}", "input": {}, "digest": "d", "deliver": "response"}
    return Turn.objects.create(session=session, state=state, **{**fields, **more})


@pytest.mark.django_db
class TestErasures:
    def test_a_marked_session_is_deleted_once_its_lease_is_gone(self):
        agent = make_agent()
        free = make_session(agent, "free", erasing_at=ago(seconds=1))
        queue(free, "one")
        held = make_session(agent, "held", erasing_at=ago(seconds=1), lease_until=ago(minutes=-1))
        other = make_session(agent, "other")
        assert finish_erasures(_never) == 1
        assert set(Session.objects.all()) == {held, other}
        assert not Message.objects.exists()
        Session.objects.filter(pk=held.pk).update(lease_until=ago(seconds=1))
        assert keep_house(_never) == 1
        assert list(Session.objects.all()) == [other]


@pytest.mark.django_db
class TestQueues:
    def test_a_session_whose_queue_nobody_would_look_at_is_made_due(self):
        session = make_session(make_agent())
        _turn(session, "received")
        assert mend_queues() == 1
        session.refresh_from_db()
        assert session.due is not None
        assert mend_queues() == 0

    def test_one_with_nothing_to_run_stays_as_it_is(self):
        session = make_session(make_agent())
        _turn(session)
        assert mend_queues() == 0

    def test_wakes_of_an_agent_that_is_on_again_are_released(self):
        agent = make_agent(is_active=False)
        make_wake(make_session(agent))
        move_due_wakes()
        assert JOBS["held_wakes"](_never) == 0
        agent.is_active = True
        agent.save()
        assert JOBS["held_wakes"](_never) == 1
        assert move_due_wakes().moved == 1


class TestClosing:
    @pytest.fixture
    def idle(self, stage):
        """A conversation whose last activity lies eight days back; its agent closes after seven."""
        stage.agent.close_after_days = 7
        stage.agent.save()
        stage.answers("oi")
        Session.objects.update(last_activity_at=ago(days=8))
        return stage

    def test_an_idle_conversation_is_closed_once(self, idle):
        epoch = idle.session().epoch
        assert close_idle(_never) == 1
        idle.drains()
        assert idle.states() == [("message", "done"), ("close", "done")]
        assert idle.session().epoch > epoch
        Session.objects.update(last_activity_at=ago(days=80))
        assert close_idle(_never) == 0

    @pytest.fixture
    def between(self, monkeypatch):
        """`between(act)`: do this when idle ones were looked for, and none is closed yet."""
        read = closing._idle  # noqa: SLF001 - the moment between reading and writing

        def make(act):
            def reading(agent):
                found = read(agent)
                with monkeypatch.context() as patched:
                    patched.setattr(closing, "_idle", read)
                    act()
                return found

            monkeypatch.setattr(closing, "_idle", reading)

        return make

    def test_two_workers_that_read_it_at_once_close_it_once(self, idle, between):
        between(lambda: close_idle(_never))
        assert close_idle(_never) == 0
        assert [kind for kind, _ in idle.states()] == ["message", "close"]

    @pytest.mark.parametrize("how", ["message", "answered", "event", "person"])
    def test_one_in_which_something_happened_meanwhile_stays_open(self, idle, between, how):
        """The customer came back: what they just began must not be ended under their hands."""
        act = {
            "message": lambda: idle.says("voltei"),
            "answered": lambda: idle.answers("voltei"),
            "event": lambda: idle.takes(event("go")),
            "person": lambda: write(Actor.command("test"), idle.session(), "Ainda aí?"),
        }[how]
        between(act)
        assert close_idle(_never) == 0
        assert "close" not in [kind for kind, _ in idle.states()]

    @pytest.mark.parametrize("how", ["marked", "gone"])
    def test_one_that_is_erased_meanwhile_keeps_none_of_the_others_open(self, idle, between, how):
        """And does not come back as an empty conversation."""
        idle.answers("oi", session_id="s2")
        Session.objects.update(last_activity_at=ago(days=8))
        first = Session.objects.filter(session_id="5511")
        between(lambda: first.delete() if how == "gone" else first.update(erasing_at=ago(seconds=1)))
        assert close_idle(_never) == 1
        assert idle.states("s2")[-1] == ("close", "received")
        assert first.filter(erasing_at=None).count() == 0

    def test_what_happens_in_it_again_opens_it_again(self, idle):
        close_idle(_never)
        idle.drains()
        idle.answers("oi de novo")
        assert close_idle(_never) == 0
        Session.objects.update(last_activity_at=ago(days=8))
        assert close_idle(_never) == 1

    def test_a_run_that_is_parked_until_later_keeps_it_open_and_then_as_long_again(self, idle):
        run = SessionRun.objects.create(
            session=idle.session(), run_id="f#1", flow="f", step="s", status="waiting", waiting_until=ago(days=-1)
        )
        assert close_idle(_never) == 0
        run.waiting_until = ago(days=6)
        run.save()
        assert close_idle(_never) == 0
        run.waiting_until = ago(days=8)
        run.save()
        assert close_idle(_never) == 1

    @pytest.mark.parametrize("how", ["no days", "agent off", "waiting", "erasing", "young"])
    def test_nothing_else_is_closed(self, idle, how):
        agent = idle.agent
        if how == "no days":
            agent.close_after_days = None
        elif how == "agent off":
            agent.is_active = False
        agent.save()
        columns = {"waiting": {"due": ago(seconds=-60)}, "erasing": {"erasing_at": ago(seconds=1)}}.get(how, {})
        Session.objects.update(**columns, **({"last_activity_at": ago(days=6)} if how == "young" else {}))
        assert close_idle(_never) == 0


@pytest.mark.django_db
class TestRetention:
    def test_turns_go_after_ninety_days_with_their_receipts_and_transcripts_after_a_hundred_and_eighty(self):
        session = make_session(make_agent())
        old, young = _turn(session, received_at=ago(days=91)), _turn(session, received_at=ago(days=89))
        merged = _turn(session, "merged", received_at=ago(days=91), merged_into=young)
        Receipt.objects.create(turn=old, kind="action", key="k")
        (kept,) = queue(session, "kept", state="sent", created_at=ago(days=179), turn=old)
        queue(session, "gone", state="recorded", created_at=ago(days=181))
        assert forget_old() == 3
        assert list(Turn.objects.all()) == [young]
        assert merged not in Turn.objects.all()
        assert not Receipt.objects.exists()
        kept.refresh_from_db()
        assert (Message.objects.count(), kept.turn) == (1, None)
        assert forget_old() == 0

    def test_what_is_still_to_be_run_or_to_leave_is_kept_however_old(self):
        session = make_session(make_agent())
        _turn(session, "received", received_at=ago(days=400))
        queue(session, "one", created_at=ago(days=400))
        assert forget_old() == 0

    def test_the_days_are_settings(self, settings):
        settings.FALAI_RETENTION_TURN_DAYS = 1
        settings.FALAI_RETENTION_MESSAGE_DAYS = 2
        session = make_session(make_agent())
        _turn(session, received_at=ago(days=2))
        queue(session, "one", state="sent", created_at=ago(days=3))
        assert keep_house(_never) == 2

    def test_a_conversation_keeps_its_state_and_goes_on(self, stage):
        """What was collected and what it waits for is not history."""
        stage.answers("oi")
        Turn.objects.update(received_at=ago(days=400))
        Message.objects.update(created_at=ago(days=400))
        assert forget_old() > 0
        assert stage.session().blob is not None
        assert stage.answers("oi de novo").state == "done"


@pytest.mark.django_db
def test_a_house_in_order_is_left_alone(django_assert_max_num_queries):
    """It looks often: a look costs few queries, however many conversations there are."""
    agent = make_agent()
    for number in range(20):
        session = make_session(agent, f"s{number}", last_activity_at=ago(days=80))
        _turn(session)
        Wake.objects.create(session=session, key="k", due=ago(minutes=-9) + timedelta(days=1))
    with django_assert_max_num_queries(12):
        assert keep_house(_never) == 0


@pytest.mark.django_db
def test_it_stops_between_two_jobs_when_asked_to(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert keep_house(lambda: True) == 0


@pytest.mark.django_db
def test_a_job_that_fails_keeps_none_of_the_others_from_its_step(monkeypatch, caplog):
    def fail(_stopping):
        raise RuntimeError

    done = []
    monkeypatch.setattr(housekeeping, "JOBS", {"bad": fail, "good": lambda stopping: done.append(1) or 1})
    assert keep_house(_never) == 1
    assert "housekeeping.job_failed" in caplog.text
