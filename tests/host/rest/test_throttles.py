"""How often a key may ask, and how often about one session."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from falai_django.rest import throttles
from tests.host.rest.callers import Program, make_key


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves."""
    now = [1_000_000.0]
    monkeypatch.setattr(throttles.ByTheMinute, "clock", staticmethod(lambda: now[0]))
    return now


@pytest.fixture
def counted(monkeypatch):
    """The names that are counted."""
    names = []
    add = cache.add
    monkeypatch.setattr(cache, "add", lambda name, *more: names.append(name) or add(name, *more))
    return names


def statuses(program, count, path="turns"):
    return [program.get(path).status_code for _ in range(count)]


def test_a_key_that_asks_too_often_waits(stage, program, settings, clock):
    """429 with the seconds to the next minute, then it may again."""
    settings.FALAI_REQUESTS_PER_KEY = 2
    program.says("oi")
    assert statuses(program, 2) == [200, 429]
    response = program.get("turns")
    assert response.json()["error"]["code"] == "too-many-requests"
    wait = int(response["Retry-After"])
    assert response.json()["error"]["retryAfter"] == wait
    assert 1 <= wait <= 60
    clock[0] += wait
    assert statuses(program, 1) == [200]


def test_each_key_counts_for_itself(stage, program, settings, clock):
    settings.FALAI_REQUESTS_PER_KEY = 1
    program.says("oi")
    assert statuses(program, 1) == [429]
    assert statuses(Program(stage.tenant), 1) == [200]


def test_a_session_counts_for_all_keys(stage, program, settings, clock):
    """And for itself alone."""
    settings.FALAI_REQUESTS_PER_SESSION = 2
    program.says("oi")
    assert statuses(Program(stage.tenant), 2) == [200, 429]
    assert Program(stage.tenant, session="5512").says("oi").status_code == 200
    assert program.get(program.of_agent("releases")).status_code == 200


def test_what_is_refused_by_the_throttle_takes_no_turn(stage, program, settings, clock):
    settings.FALAI_REQUESTS_PER_SESSION = 1
    assert program.says("oi").status_code == 200
    assert program.says("oi").status_code == 429
    assert len(stage.turns()) == 1


def test_without_a_limit_nothing_is_counted(program, settings, counted):
    settings.FALAI_REQUESTS_PER_KEY = settings.FALAI_REQUESTS_PER_SESSION = 0
    program.says("oi")
    assert not counted


def test_the_cache_knows_no_id_of_a_session(stage, program, counted):
    """It may be a phone number."""
    program.says("oi")
    assert len(counted) == 2
    assert "5511" not in " ".join(counted)


@pytest.mark.parametrize("failing", ["add", "incr"])
def test_a_cache_that_fails_locks_nobody_out(program, monkeypatch, caplog, failing):
    """It is told in the log."""

    def away(*_given):
        raise ConnectionError("redis is away")

    monkeypatch.setattr(cache, failing, away)
    assert program.says("oi").status_code == 200
    assert "throttle.failed" in caplog.text


def test_a_count_that_vanishes_in_between_begins_anew(program, monkeypatch):
    """Memcached may drop it at any time."""

    def gone(*_given):
        raise ValueError

    monkeypatch.setattr(cache, "incr", gone)
    assert program.says("oi").status_code == 200


def test_who_has_no_key_is_counted_nowhere(stage, counted):
    """It finds nothing either; health may be asked as often as a balancer wants."""
    assert Program(stage.tenant, secret="").get("/api/v1/health/live").status_code == 200
    assert not counted


def test_a_revoked_key_is_refused_before_it_is_counted(stage, counted):
    row, secret = make_key(stage.tenant)
    type(row).objects.filter(pk=row.pk).update(revoked_at="2020-01-01T00:00:00Z")
    assert Program(stage.tenant, secret=secret).get("turns").status_code == 401
    assert not counted
