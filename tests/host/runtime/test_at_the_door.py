"""A Turn that its caller runs at once is picked by the door: the same turn, by fewer statements (host.md section 3)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from falai_django.databases import now_and
from falai_django.failures import FailureCode
from falai_django.faults import at_fault_point
from falai_django.inbox import event, message, take
from falai_django.inbox.inputs import close
from falai_django.models import Agent, Message, Session, SessionRun, Turn, Wake
from falai_django.turns.drain import drain
from falai_django.turns.lease import new_owner, take_lease
from falai_django.waiting import Answered, Refused, turn_and_wait
from falai_engine import ErrorKind, ProviderError
from tests.host.runtime.flows import ASK_NAME, ASKS, EVENTS, NUDGE, UNDERSTOOD
from tests.host.runtime.stage import PAST, Killed, document
from tests.host.runtime.test_statements import FRAME

MOST = 10
"""Four statements fewer than a drainer may send."""
OF_ITS_OWN = {
    *("id", "session_id", "turn_id", "public_id", "key", "run_id", "digest", "milliseconds"),
    *("blob", "response", "outcomes"),
}
"""Columns that differ between two sessions, or hold what does."""


@pytest.fixture
def talking(stage):
    return stage.publish(document(ASK_NAME, NUDGE, events=EVENTS))


@pytest.fixture
def asked(talking):
    """It has asked for the name: the next message is understood first."""
    talking.script(UNDERSTOOD, ASKS)
    asks(talking, message("oi"))
    return talking


def asks(stage, given=None, session_id=None):
    return turn_and_wait(
        stage.agent, session_id or stage.session_id, given or message("oi"), pause=lambda seconds: None
    )


def held(stage, given=None):
    return take(stage.agent, stage.session_id, given or message("oi"), is_awaited=True).held


def told_of(session):
    """All rows of a session, without what is of its own: ids, keys and times."""
    found = [
        shared(row) for model in (Turn, Message, SessionRun, Wake) for row in model.objects.filter(session=session)
    ]
    return [*found, shared(session), session.blob["data"], [run["stepId"] for run in session.blob["runs"]]]


def shared(row):
    columns = {name: value for name, value in vars(row).items() if not name.startswith("_")}
    return {name: it for name, it in columns.items() if name not in OF_ITS_OWN and not hasattr(it, "tzinfo")}


@pytest.mark.parametrize("given", [{}, {"context": {"a": [1, 2.5, None]}}, {"anchors": {"lead": "1"}}], ids=str)
def test_the_same_turns_as_by_a_drainer(talking, given):
    """Two messages of two sessions: whatever lies in the database is the same."""
    texts = ("oi", "Sou a Ana 😀")
    talking.script([*UNDERSTOOD, {"fields": {"nome": "Ana"}}], [*ASKS, *ASKS])
    for number, text in enumerate(texts):
        assert isinstance(asks(talking, message(text, id=f"m{number}", **given), "at-once"), Answered)
    talking.script([*UNDERSTOOD, {"fields": {"nome": "Ana"}}], [*ASKS, *ASKS])
    for number, text in enumerate(texts):
        take(talking.agent, "drained", message(text, id=f"m{number}", **given))
        drain(talking.session("drained").pk)
    assert told_of(talking.session("at-once")) == told_of(talking.session("drained"))


def test_it_takes_fewer_statements(talking):
    """Session and queue are read once, lease and pick are written with the Turn."""
    for session in ("warm", "counted"):
        talking.script([*UNDERSTOOD, {"fields": {"nome": "Ana"}}], [*ASKS, *ASKS])
        for text in ("oi", "Ana"):
            with CaptureQueriesContext(connection) as captured:
                asks(talking, message(text), session)
            found = [each["sql"] for each in captured if not each["sql"].startswith(FRAME)]
            assert len(found) <= MOST or session == "warm", "\n".join(found)


def test_the_lease_is_for_one_turn_of_a_request(talking, settings):
    """Its owner is on the row, for a request's budget and the margin; the Turn has one attempt more."""
    settings.FALAI_REQUEST_BUDGET_SECONDS, settings.FALAI_LEASE_MARGIN_SECONDS = 30.0, 5.0
    found = held(talking)
    within = Session.objects.filter(lease_until__gt=now_and(25), lease_until__lte=now_and(35))
    assert within.get().lease_owner == found.owner
    assert Turn.objects.get().attempts == 1
    assert drain(talking.session().pk).turns == 0


def _leased(stage):
    stage.says("first")
    assert take_lease(stage.session().pk, new_owner(), 60)
    Turn.objects.update(state="done", attempts=0)


def _paused(stage):
    Agent.objects.update(paused_until=now_and(60))


def _gathering(stage):
    Agent.objects.update(gather_ms=5_000)


def _queued(stage):
    stage.says("first")


@pytest.mark.parametrize("before", [_leased, _paused, _gathering, _queued])
def test_what_stands_before_it_is_left_to_a_drainer(talking, before):
    """A lease, a pause, gathering, a queue: the door takes the input, and picks nothing."""
    before(talking)
    assert held(talking) is None
    assert set(Turn.objects.values_list("attempts", flat=True)) == {0}


def test_who_joins_a_turn_does_not_run_it(talking):
    """It has been picked by the first."""
    assert held(talking, message("oi", id="m1")) is not None
    assert held(talking, message("oi", id="m1")) is None


def test_an_event_is_picked_as_a_message_is(talking):
    """Whatever the caller waits for, but what the host does to a session."""
    assert held(talking, event("go", key="k")) is not None
    Session.objects.update(lease_until=None)
    Turn.objects.update(state="done")
    assert held(talking, close(key="c")) is None


def test_a_process_that_dies_behind_the_door(talking):
    """The lease keeps others away until it expires; then the loop runs the turn, once."""

    def die():
        raise Killed

    with at_fault_point("door-after-commit", die), pytest.raises(Killed):
        asks(talking, message("oi", id="m1"))
    assert talking.drains().turns == 0
    Session.objects.update(lease_until=PAST)
    talking.script(UNDERSTOOD, ASKS)
    talking.drains()
    (turn,) = talking.turns()
    assert (turn.state, turn.attempts) == ("done", 2)
    assert talking.texts() == ["Como se chama?"]
    assert asks(talking, message("oi", id="m1")).response == turn.response


def test_a_model_that_fails_costs_no_attempt(asked, monkeypatch):
    """What a drainer gives back is given back here."""

    def fails(request):
        raise ProviderError("test", ErrorKind.UNAVAILABLE)

    monkeypatch.setattr(asked.provider, "generate", fails)
    found = asks(asked)
    assert isinstance(found, Refused)
    assert found.code == FailureCode.MODEL_UNAVAILABLE
    turn = asked.last_turn()
    assert (turn.state, turn.attempts, turn.model_failures) == ("received", 0, 1)
    assert asked.session().lease_until is None


def test_what_raises_counts_as_one_attempt(talking, settings):
    """As a drainer's pick."""
    settings.FALAI_WAIT_SECONDS = 0

    def raises():
        raise RuntimeError

    with at_fault_point("after-load", raises):
        asks(talking)
    (turn,) = talking.turns()
    assert (turn.state, turn.attempts, turn.error) == ("received", 1, "turn-dead")


def test_the_session_moves_before_its_commit(talking):
    """Somebody takes over meanwhile: the turn is replayed with what is true now, and keeps its pick."""
    moved = []

    def move():
        if not moved:
            moved.append(True)
            Session.objects.update(silence_seq=5, silenced="human")

    talking.script(UNDERSTOOD, ASKS)
    with at_fault_point("before-commit", move):
        found = asks(talking)
    assert isinstance(found, Answered)
    (turn,) = talking.turns()
    assert (turn.state, turn.attempts) == ("done", 1)
    assert talking.texts() == []
