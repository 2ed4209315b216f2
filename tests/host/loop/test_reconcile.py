"""Wakes that were lost are restored, and none that would only come a second time."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from falai_django.models import Agent, Session, SessionRun, Turn, Wake
from falai_django.reconcile import reconcile, reconcile_overdue, reconcile_session
from falai_django.rows import rows
from tests.host.loop_rows import ago, make_agent, make_session
from tests.host.runtime.stage import document

WAITS = {
    "id": "w",
    "on": [{"message": []}],
    "steps": [{"id": "hi", "kind": "say", "say": "Oi."}, {"id": "pause", "kind": "wait", "wait": "1d"}],
}
NUDGES = {
    "id": "n",
    "on": [{"silence": "2d", "repeat": "always"}],
    "steps": [{"id": "s", "kind": "say", "say": "Still there?"}],
}


@pytest.fixture
def waiting(stage):
    """A conversation with a run parked for a day, and a nudge in two; all its wakes are lost."""
    stage.publish(document(WAITS, NUDGES))
    Agent.objects.update(activated_at=ago(days=30))
    stage.answers("oi")
    stage.lost = stage.wakes()
    assert len(stage.lost) == 2
    Wake.objects.all().delete()
    return stage


def _key(stage, of):
    return next(key for key in stage.lost if key.startswith(of))


def _turn(stage, key, state):
    Turn.objects.create(
        session=stage.session(),
        kind="wake",
        key=f"{key}#9",
        input={"wake": key},
        digest="d",
        deliver="sender",
        state=state,
    )


def test_what_the_blob_waits_for_is_restored_with_its_time(waiting):
    assert sorted(reconcile_session(waiting.session().pk)) == sorted(waiting.lost)
    assert waiting.wakes() == waiting.lost
    assert reconcile_session(waiting.session().pk) == []


def test_a_wake_that_is_there_stays_as_it_is(waiting):
    key = _key(waiting, "w#")
    Wake.objects.create(session=waiting.session(), key=key, due=ago(days=-9), held_due=ago(days=1))
    assert reconcile_session(waiting.session().pk) == [_key(waiting, "silence:")]
    assert Wake.objects.get(key=key).held_due is not None


@pytest.mark.parametrize(
    ("state", "run", "nudge"),
    [
        ("received", False, False),
        ("missed", False, False),
        ("dead", False, False),
        ("failed", True, False),
        ("done", True, False),
    ],
)
def test_a_turn_that_says_more_than_a_wake_could_stands_in_its_way(waiting, state, run, nudge):
    """A run that is still parked behind a failed turn would wait for ever; a nudge comes once."""
    for key in waiting.lost:
        _turn(waiting, key, state)
    restored = {key.partition(":")[0] for key in reconcile_session(waiting.session().pk)}
    assert ("silence" in restored, bool(restored - {"silence"})) == (nudge, run)


def test_a_nudge_that_a_later_release_brought_is_none_for_who_fell_silent_before(waiting):
    Agent.objects.update(activated_at=ago(seconds=-60))
    assert reconcile_session(waiting.session().pk) == [_key(waiting, "w#")]


def test_nothing_is_restored_for_an_agent_that_is_off(waiting):
    Agent.objects.update(is_active=False)
    assert reconcile_session(waiting.session().pk) == []


def test_nothing_is_written_over_a_session_that_moved_meanwhile(waiting, monkeypatch):
    """Whoever moved it kept its wakes: the run may have ended."""
    from falai_django import reconcile as module  # noqa: PLC0415 - the module, beside the function of its name

    found = module._pending  # noqa: SLF001 - the moment between reading and writing

    def moved(look):
        Session.objects.update(version=9)
        return found(look)

    monkeypatch.setattr(module, "_pending", moved)
    assert reconcile_session(waiting.session().pk) == []
    assert waiting.wakes() == {}


class TestTheLoopsPart:
    """Looking at every blob would cost too much each time: a run whose hour has passed is found by its row."""

    def test_a_run_that_should_have_been_woken_is_found(self, waiting):
        assert reconcile_overdue() == 0
        waiting.move(SessionRun, "waiting_until", -timedelta(days=2))
        assert reconcile_overdue() == 2
        assert waiting.wakes() == waiting.lost

    @pytest.mark.parametrize("state", ["missed", "dead"])
    def test_what_was_given_up_long_before_stands_in_no_later_one_s_way(self, waiting, state):
        """It was the wake of another run, or a nudge: nobody else would ever wake this one."""
        _turn(waiting, "other", state)
        Turn.objects.filter(state=state).update(received_at=ago(days=9))
        waiting.move(SessionRun, "waiting_until", -timedelta(days=2))
        assert reconcile_overdue() == 2
        assert waiting.wakes() == waiting.lost

    @pytest.mark.parametrize("where", ["wake", "held wake", "turn"])
    def test_one_whose_wake_is_on_its_way_is_not_looked_at(self, waiting, where, django_assert_num_queries):
        waiting.move(SessionRun, "waiting_until", -timedelta(days=2))
        until = SessionRun.objects.get().waiting_until
        if where == "turn":
            _turn(waiting, "k", "received")
        else:
            due = {"due": until} if where == "wake" else {"due": ago(days=-1), "held_due": until}
            Wake.objects.create(session=waiting.session(), key="k", **due)
        with django_assert_num_queries(1):
            assert reconcile_overdue() == 0


class TestTheCommand:
    def _run(self, *args):
        out = StringIO()
        call_command("falai_reconcile", *args, stdout=out)
        return out.getvalue()

    def test_it_says_what_it_restored(self, waiting):
        assert self._run("--dry-run") == "1 session was looked at.\n2 wakes would be restored.\n"
        assert waiting.wakes() == {}
        assert self._run() == "1 session was looked at.\n2 wakes were restored.\n"
        assert waiting.wakes() == waiting.lost

    def test_it_keeps_to_a_tenant_and_an_agent(self, waiting):
        make_agent("other")
        assert "0 sessions" in self._run("--tenant", "other")
        assert "1 session was looked at.\n2 wakes" in self._run("--tenant", "acme", "--agent", "lia")

    @pytest.mark.parametrize(
        ("args", "words"),
        [(["--tenant", "nobody"], "no such agent"), (["--agent", "lia"], "--tenant")],
        ids=["unknown", "no tenant"],
    )
    def test_what_it_cannot_find_is_told(self, waiting, args, words):
        with pytest.raises(CommandError, match=words):
            self._run(*args)

    def test_a_session_that_cannot_be_read_is_told_by_its_key_and_the_others_are_restored(self, waiting):
        bad = make_session(waiting.agent, "bad", blob={"v": 3})
        with pytest.raises(CommandError, match=f"1 session could not be read, its key: {bad.pk}"):
            self._run()
        assert waiting.wakes() == waiting.lost


def test_reconciling_stops_between_two_sessions_when_asked_to(waiting):
    done = reconcile(rows(Session).all(), stopping=lambda: True)
    assert (done.sessions, done.restored) == (0, 0)
