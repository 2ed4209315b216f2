"""DjangoStore keeps the engine's contract (spec: engine.md section 13)."""

from __future__ import annotations

import pytest

from falai_django.models import Session as SessionRow
from falai_django.store import DjangoStore
from falai_engine import Agent, InvalidSessionError, MemoryStore, Session, SessionConflictError
from falai_engine.testing import ScriptedProvider
from tests.host.runtime.flows import SAY


@pytest.fixture(params=["django", "memory"])
def store(request, stage):
    """Both keep the same promises."""
    return DjangoStore(stage.agent) if request.param == "django" else MemoryStore()


def test_what_is_saved_is_loaded(store):
    """At the next version, and shared with nobody."""
    session = Session("s", data={"nome": "Ana", "nul": "a\x00b\ud800"})
    saved = store.save(session, 0)
    assert (saved.version, store.load("s").data) == (1, session.data)
    assert store.load("s").version == 1
    assert store.load("other") is None


@pytest.mark.parametrize(("expected", "found"), [(0, 2), (1, 2), (3, 2)])
def test_only_the_version_that_is_there_is_replaced(store, expected, found):
    """Anything else is a conflict that names both."""
    store.save(Session("s"), 0)
    store.save(Session("s", data={"n": 1}), 1)
    with pytest.raises(SessionConflictError) as caught:
        store.save(Session("s", data={"n": 2}), expected)
    assert (caught.value.expected_version, caught.value.actual_version) == (expected, found)
    assert store.load("s").data == {"n": 1}


def test_a_session_that_is_gone_is_a_conflict(store):
    """With no version found."""
    with pytest.raises(SessionConflictError) as caught:
        store.save(Session("s"), 4)
    assert caught.value.actual_version is None


def test_what_could_not_be_read_is_not_stored(store):
    """Nothing is written."""
    with pytest.raises(InvalidSessionError):
        store.save(Session("s", data={"n": float("nan")}), 0)
    assert store.load("s") is None


def test_a_row_that_is_no_session_is_told(stage):
    """It never becomes a fresh conversation."""
    store = DjangoStore(stage.agent)
    store.save(Session("s"), 0)
    for blob in ({"v": 3}, [], "x"):
        SessionRow.objects.update(blob=blob)
        with pytest.raises(InvalidSessionError):
            store.load("s")


def test_a_session_that_only_the_inbox_knows_is_none_yet(stage):
    """Its first save makes it one."""
    SessionRow.objects.create(agent=stage.agent, session_id="s")
    store = DjangoStore(stage.agent)
    assert store.load("s") is None
    assert store.save(Session("s"), 0).version == 1


def test_agents_do_not_see_each_others_sessions(stage):
    """The same id is another conversation with another agent."""
    other = type(stage.agent).objects.create(tenant=stage.tenant, slug="other")
    DjangoStore(stage.agent).save(Session("s"), 0)
    assert DjangoStore(other).load("s") is None


def test_turns_go_through_it(stage):
    """Load, turn, save: as any host of the engine does it."""
    store, agent = DjangoStore(stage.agent), Agent(provider=ScriptedProvider(), flows=[SAY], idle="silent")
    for number in range(2):
        session = store.load("s")
        result = agent.turn({"sessionId": "s", "session": session, "message": f"{number}"})
        store.save(result.session, result.session.version)
    assert store.load("s").version == 2
