"""Workers and beats as processes of their own, and brokers that come and go: each wake once to effect, order kept."""

from __future__ import annotations

import os
import threading
import time

import pytest

from falai_django.models import Agent, Message, ModelProvider, Release, Sender, Session, Tenant, Turn, Wake
from tests.host.loop_rows import make_session, queue
from tests.host.processes.site_processes import LATER, park, said_once_each
from tests.providers.local_server import LocalServer, Reply

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]


@pytest.fixture
def agent():
    """One whose only flow waits for an hour and says a word, to a sender that somebody polls."""
    tenant = Tenant.objects.create(slug="acme", name="acme")
    ModelProvider.objects.create(tenant=tenant, kind="offline")
    sender = Sender.objects.create(tenant=tenant, name="out", kind="poll")
    agent = Agent.objects.create(tenant=tenant, slug="lia", sender=sender)
    agent.active_release = Release.objects.create(agent=agent, number=1, document=LATER, spec_version=1, digest="d")
    agent.save()
    return agent


def _assert_each_woken_once(count):
    assert Wake.objects.count() == 0
    woken = Turn.objects.filter(kind="wake")
    assert (woken.count(), set(woken.values_list("state", flat=True))) == (count, {"done"})
    assert said_once_each() == count
    assert not Session.objects.filter(due__isnull=False).exists()


def test_two_beats_and_four_workers_run_two_thousand_wakes_once_each_though_workers_and_broker_die(agent, site, redis):
    """A worker is killed, then Redis; both come back, and nothing is lost or said twice."""
    park(agent, 2_000)
    processes = site(redis.url)
    workers = [processes.celery_worker(number) for number in range(4)]
    for number in range(2):
        processes.beat(number)
    processes.until(lambda: said_once_each() > 100, "the first are woken")
    processes.kill(workers[0])
    processes.celery_worker(4)
    processes.until(lambda: said_once_each() > 400, "the others go on")
    redis.stop()
    said = said_once_each()
    redis.start()
    processes.until(lambda: said_once_each() > min(said + 300, 1_990), "work is taken up when the broker is back")
    processes.until(lambda: said_once_each() == 2_000, "all are woken", 300)
    processes.until(lambda: not Session.objects.filter(due__isnull=False).exists(), "nothing waits")
    _assert_each_woken_once(2_000)


def test_celery_works_on_rabbitmq(agent, site):
    """The same tasks, the same schedule; only the URL differs."""
    park(agent, 50)
    processes = site(os.environ.get("CI_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//"))
    processes.celery_worker(0)
    processes.beat(0)
    processes.until(lambda: said_once_each() == 50, "all are woken")
    processes.until(lambda: not Session.objects.filter(due__isnull=False).exists(), "nothing waits")
    _assert_each_woken_once(50)


def test_workers_without_a_broker_go_on_when_one_is_killed(agent, site):
    """And one that is asked to end ends by itself, with what it began finished."""
    park(agent, 400)
    processes = site()
    workers = [processes.worker() for _ in range(3)]
    processes.until(lambda: said_once_each() > 20, "the first are woken")
    processes.kill(workers[0])
    assert processes.end(workers[1]) == 0
    processes.until(lambda: said_once_each() == 400, "all are woken")
    processes.until(lambda: not Session.objects.filter(due__isnull=False).exists(), "nothing waits")
    _assert_each_woken_once(400)


class Receiver:
    """Keeps what came by session, in order; the first message of each comes late, and is refused once."""

    def __init__(self):
        self.lock, self.came, self.seen = threading.Lock(), [], set()

    def __call__(self, asked):
        session, text = asked.body["session"], asked.body["text"]
        with self.lock:
            is_first = text == "1" and session not in self.seen
            self.seen.add(session)
        if is_first:
            time.sleep(2)
            return Reply([], 503)
        with self.lock:
            self.came.append((session, text, asked.headers["idempotency-key"]))
        return Reply([], 200)


def test_four_senders_keep_the_order_of_each_session(agent, site):
    """A receiver that takes two seconds and then fails: what is behind the first message waits for it."""
    server, receiver = LocalServer(), Receiver()
    server.say(*[receiver] * 100)
    try:
        Sender.objects.update(kind="webhook", url=f"{server.url}/hook")
        for number in range(4):
            queue(make_session(agent, f"s{number}"), "1", "2", "3", "4")
        processes = site(receiver=f"127.0.0.1:{server.port}")
        for _ in range(4):
            processes.worker()
        processes.until(lambda: Message.objects.filter(state="sent").count() == 16, "all are sent")
    finally:
        server.close()
    for number in range(4):
        assert [text for session, text, _ in receiver.came if session == f"s{number}"] == ["1", "2", "3", "4"]
    assert len({key for _, _, key in receiver.came}) == 16
    assert set(Message.objects.filter(text="1").values_list("attempts", flat=True)) == {2}
