"""Whether the site works, told without telling strangers anything."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from falai_django import readiness
from falai_django.models import Agent, Release, Session, Tenant
from falai_django.releases import forget_compiled
from falai_django.rest import access
from tests.host.rest.callers import Program
from tests.host.runtime.flows import ACTIONS, EVENTS, SAY, acting
from tests.host.runtime.stage import document

READY = "/api/v1/health/ready"


@pytest.fixture
def stranger(stage):
    return Program(stage.tenant, secret="")


def break_the_agent(stage):
    """Its release names an action that nobody registered."""
    stage.publish(document(acting(), SAY, actions=ACTIONS, events=EVENTS))
    forget_compiled()


def one_more_agent(stage, slug="bia"):
    agent = Agent.objects.create(tenant=stage.tenant, slug=slug)
    agent.active_release = Release.objects.create(
        agent=agent, number=1, document=document(SAY), spec_version=1, digest="1" * 64
    )
    agent.save()
    return agent


def test_a_process_lives_without_a_database(stranger, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = stranger.get("/api/v1/health/live")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_a_site_that_works_is_ready(stranger):
    response = stranger.get(READY)
    assert (response.status_code, response.json()) == (
        200,
        {"status": "ok", "checks": {"database": "ok", "migrations": "ok", "releases": "ok"}},
    )


def test_what_compiled_once_is_not_compiled_again(stranger, monkeypatch):
    """A balancer asks every few seconds."""
    asked = []
    unavailable = readiness.unavailable_releases
    monkeypatch.setattr(readiness, "unavailable_releases", lambda agents: unavailable(asked.extend(agents) or agents))
    for _ in range(2):
        stranger.get(READY)
    assert len(asked) == 1
    Tenant.objects.update(config_version=99)
    stranger.get(READY)
    assert len(asked) == 2


def test_no_release_that_compiles_is_not_ready(stage, stranger):
    break_the_agent(stage)
    response = stranger.get(READY)
    assert response.status_code == 503
    assert response.json() == {
        "status": "unavailable",
        "checks": {"database": "ok", "migrations": "ok", "releases": "failed"},
    }


def test_one_agent_among_others_degrades(stage, stranger):
    """The others' customers are served; it is told until it is mended."""
    break_the_agent(stage)
    one_more_agent(stage)
    for _ in range(2):
        response = stranger.get(READY)
        assert (response.status_code, response.json()["status"]) == (200, "degraded")


def test_a_key_is_told_which_of_its_own(stage, stranger):
    """With the reason; another tenant's key is told nothing of it."""
    break_the_agent(stage)
    one_more_agent(stage)
    told = Program(stage.tenant).get(READY).json()["unavailable"]
    assert [each["agent"] for each in told] == ["lia"]
    assert "act" in told[0]["message"]
    other = Tenant.objects.create(slug="other", name="Other")
    assert Program(other).get(READY).json()["unavailable"] == []
    assert "unavailable" not in Program(stage.tenant, scopes=["turns"]).get(READY).json()
    assert "unavailable" not in stranger.get(READY).json()


def test_an_agent_that_is_off_does_not_count(stage, stranger):
    break_the_agent(stage)
    Agent.objects.update(is_active=False)
    assert stranger.get(READY).json()["status"] == "ok"


def test_a_database_that_is_away_is_not_ready(stranger, monkeypatch):
    """503, without a word of where it is."""

    def away():
        raise OperationalError("could not connect to secret-host")

    monkeypatch.setattr(readiness, "_looked", away)
    response = stranger.get(READY)
    assert response.status_code == 503
    assert response.json()["checks"] == {"database": "failed", "migrations": "failed", "releases": "failed"}
    assert b"secret-host" not in response.content


def test_a_database_that_is_away_is_told_to_a_key_too(program, monkeypatch):
    """Nobody can say then whose it is; the answer has the same shape."""

    def away(*_args):
        raise OperationalError("could not connect to secret-host")

    monkeypatch.setattr(access, "_key_of", away)
    monkeypatch.setattr(readiness, "_looked", away)
    response = program.get(READY)
    assert (response.status_code, response.json()["status"]) == (503, "unavailable")


def test_a_migration_that_is_missing_is_not_ready(stranger, monkeypatch):
    monkeypatch.setattr(readiness, "_migrated", lambda: False)
    response = stranger.get(READY)
    assert (response.status_code, response.json()["checks"]["migrations"]) == (503, "failed")


def test_a_wrong_key_is_told(stage):
    assert Program(stage.tenant, secret="falai_0123456789_x").get(READY).status_code == 401
    assert not Session.objects.exists()
