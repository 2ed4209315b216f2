"""The database and the broker go away and come back under load: clean errors, then all goes on, and nothing is lost."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import Error as DatabaseError
from django.db import connection, connections

from falai_django.inbox import message
from falai_django.models import Session, Turn, Wake
from falai_django.waiting import Answered, turn_and_wait
from tests.host.processes import site as site_settings
from tests.host.processes.postgres_server import PostgresServer
from tests.host.processes.site_processes import park, said_once_each
from tests.host.processes.talk import PAUSE, assert_each_answered_once, make_agent

pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("on_postgres")]

KEYS = [f"m{number}" for number in range(40)]
"""Of each caller; no conversation reaches the limit of an hour."""
WAKES = 150
REFUSALS = 15
"""That each caller meets before the database comes back: some seconds."""


@pytest.fixture
def postgres(on_postgres, django_db_blocker, transactional_db):
    """One of its own, which is the test's database from here on, also for the processes it starts."""
    server, told = PostgresServer(), connection.settings_dict
    shared = dict(told)
    connection.close()
    told.update(server.settings)
    try:
        call_command("migrate", verbosity=0)
        yield server
    finally:
        connections.close_all()
        told.update(shared)
        server.remove()


class InProcess:
    """A caller in this process, which is no server and asks the runtime itself; `failures`: what the database said."""

    def __init__(self, agent, session):
        self.agent, self.session, self.failures = agent, session, []

    def converse(self, keys, stop):
        try:
            for key in keys:
                while not stop.is_set() and not self._is_answered(key):
                    stop.wait(PAUSE)
        finally:
            connections.close_all()

    def _is_answered(self, key):
        try:
            told = turn_and_wait(self.agent, self.session, message(f"texto {key}", id=key))
        except DatabaseError as error:
            self.failures.append(error)
            connection.close()
            return False
        return isinstance(told, Answered)


@contextlib.contextmanager
def conversing(callers, keys):
    """All at once, each in a thread; at the end of the block they come to theirs. What one raises, is raised."""
    stop = threading.Event()
    with ThreadPoolExecutor(len(callers)) as pool:
        running = [pool.submit(each.converse, keys, stop) for each in callers]
        try:
            yield running
        except BaseException:
            stop.set()
            raise
    for each in running:
        each.result()


def _all_ended():
    return not Turn.objects.filter(state="received").exists() and not Session.objects.exclude(due=None).exists()


@pytest.fixture
def short_leases(settings):
    """Also for what this process runs: what a turn held that was cut off is free again soon."""
    settings.FALAI_REQUEST_BUDGET_SECONDS = site_settings.FALAI_REQUEST_BUDGET_SECONDS
    settings.FALAI_LEASE_MARGIN_SECONDS = site_settings.FALAI_LEASE_MARGIN_SECONDS


def test_postgres_goes_away_under_load(postgres, site, caller, short_leases):
    """Callers read 503 with Retry-After, or the driver's error; workers and servers stay, and go on where they were."""
    agent, secret = make_agent()
    park(agent, WAKES)
    processes = site()
    url = processes.server(2)
    for _ in range(2):
        processes.worker()
    outside = [caller(url, secret, f"http-{number}") for number in range(4)]
    inside = [InProcess(agent, f"inside-{number}") for number in range(2)]
    processes.until(lambda: said_once_each() > 20, "wakes are run")
    with conversing([*outside, *inside], KEYS) as running:
        processes.until(lambda: Turn.objects.filter(kind="message", state="done").count() > 30, "callers are answered")
        connection.close()
        postgres.stop()
        refused = [lambda each=each: [status for _, status in each.answers].count(503) > REFUSALS for each in outside]
        refused += [lambda each=each: len(each.failures) > REFUSALS for each in inside]
        processes.until(lambda: all(each() for each in refused), "all are refused", 60)
        assert not any(each.done() for each in running)
        postgres.start()
    processes.until(lambda: said_once_each() == WAKES, "all are woken", 60)
    processes.until(_all_ended, "nothing waits", 60)
    assert not Wake.objects.exists()
    for each in outside:
        assert each.statuses() <= {200, 202, 503}
    for session in [f"http-{number}" for number in range(4)] + [each.session for each in inside]:
        assert_each_answered_once(session, len(KEYS))


def test_redis_hangs_and_goes_away_under_load(on_postgres, transactional_db, site, caller, redis):
    """No request waits for it, or fails by it; when it is back, what was only taken is run."""
    _agent, secret = make_agent()
    processes = site(redis.url)
    url = processes.server(2)
    for number in range(2):
        processes.celery_worker(number)
    processes.beat(0)
    callers = [caller(url, secret, f"waits-{number}") for number in range(2)]
    callers += [caller(url, secret, f"leaves-{number}", Prefer="respond-async") for number in range(2)]
    there, hanging, gone, back = [[f"{when}-{number}" for number in range(10)] for when in ("a", "b", "c", "d")]
    _converse(callers, there)
    processes.until(_all_ended, "hints reach the workers", 60)
    with redis.hanging():
        _converse(callers, hanging)
    redis.stop()
    _converse(callers, gone)
    redis.start()
    _converse(callers, back)
    processes.until(_all_ended, "work is taken up when the broker is back", 60)
    for each in callers:
        status = 200 if "waits" in each.turns else 202
        assert each.answers == [(key, status) for key in [*there, *hanging, *gone, *back]]
        assert_each_answered_once(each.turns.split("/")[-2], 40)


def _converse(callers, keys):
    with conversing(callers, keys):
        pass
