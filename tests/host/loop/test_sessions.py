"""Sessions with something due are drained: in turns between tenants, and no one's trouble is another's."""

from __future__ import annotations

import logging

import pytest
from django.db import OperationalError

from falai_django.loop import sessions
from falai_django.loop.sessions import drain_due, due_sessions
from falai_django.models import Agent, Session, Tenant
from falai_django.turns.drain import Drained, Stopped
from tests.host.loop_rows import ago, make_agent, make_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def drained(monkeypatch):
    """Which sessions were drained, by their ids; `raises` says which ones cannot be."""

    class Names(list):
        raises = {}

    names = Names()

    def drain(pk):
        name = Session.objects.get(pk=pk).session_id
        if name in names.raises:
            raise names.raises[name]
        names.append(name)
        return Drained(1, Stopped.NOTHING_DUE)

    monkeypatch.setattr(sessions, "drain", drain)
    return names


def test_what_is_due_is_drained_the_longest_due_first(drained):
    agent = make_agent()
    make_session(agent, "second", due=ago(minutes=1))
    make_session(agent, "first", due=ago(minutes=2))
    make_session(agent, "later", due=ago(minutes=-1))
    make_session(agent, "idle")
    assert drain_due() == 2
    assert drained == ["first", "second"]


def test_a_leased_session_is_left_to_its_drainer_until_the_lease_ends(drained):
    agent = make_agent()
    make_session(agent, "held", due=ago(minutes=1), lease_owner="x", lease_until=ago(minutes=-1))
    make_session(agent, "left", due=ago(minutes=1), lease_owner="x", lease_until=ago(seconds=1))
    drain_due()
    assert drained == ["left"]


def test_agents_that_are_off_or_paused_and_what_is_being_erased_wait(drained):
    make_session(make_agent("off", is_active=False), due=ago(minutes=1))
    make_session(make_agent("paused", paused_until=ago(minutes=-1)), due=ago(minutes=1))
    make_session(make_agent("erasing"), due=ago(minutes=1), erasing_at=ago(seconds=1))
    Tenant.objects.filter(pk=make_session(make_agent("gone"), due=ago(minutes=1)).agent.tenant.pk).update(
        is_active=False
    )
    assert drain_due() == 0
    Agent.objects.filter(slug="paused").update(paused_until=ago(seconds=1))
    assert drain_due() == 1


def test_tenants_take_turns_and_none_takes_all(drained, settings):
    """A flood in one tenant costs another one place, not all of them."""
    settings.FALAI_SESSIONS_PER_TENANT = 3
    flood, quiet = make_agent("flood"), make_agent("quiet")
    for number in range(5):
        make_session(flood, f"flood{number}", due=ago(minutes=60 - number))
    make_session(quiet, "quiet", due=ago(minutes=1))
    drain_due()
    assert drained == ["flood0", "quiet", "flood1", "flood2"]
    assert due_sessions().count() == 4


def test_a_session_that_cannot_be_drained_is_told_and_the_others_go_on(drained, caplog):
    agent = make_agent()
    bad = make_session(agent, "bad", due=ago(minutes=2))
    make_session(agent, "good", due=ago(minutes=1))
    drained.raises = {"bad": RuntimeError("5511999990000")}
    with caplog.at_level(logging.INFO, "falai"):
        assert drain_due() == 1
    assert drained == ["good"]
    (line,) = caplog.messages
    assert line.startswith(f"session.not_drained session={bad.pk} error=RuntimeError at={__name__}:")
    assert "5511" not in line


def test_a_look_that_runs_no_turn_counts_as_none(drained):
    """Else a session that can never be drained would keep the worker running in circles."""
    make_session(make_agent(), "bad", due=ago(minutes=2))
    drained.raises = {"bad": RuntimeError()}
    assert drain_due() == 0


def test_a_database_that_is_gone_ends_the_look(drained):
    """Every other session would fail the same way."""
    agent = make_agent()
    make_session(agent, "bad", due=ago(minutes=2))
    make_session(agent, "good", due=ago(minutes=1))
    drained.raises = {"bad": OperationalError("server closed the connection")}
    with pytest.raises(OperationalError):
        drain_due()
    assert drained == []


def test_it_stops_between_two_sessions_when_asked_to(drained):
    agent = make_agent()
    for name in ("one", "two"):
        make_session(agent, name, due=ago(minutes=1))
    assert drain_due(stopping=lambda: bool(drained)) == 1
