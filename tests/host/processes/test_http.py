"""What the runtime promises to many callers at once, through HTTP and a server of two processes (host.md 3, 5)."""

from __future__ import annotations

import pytest

from falai_django.models import Session, Turn
from tests.host.processes.talk import assert_each_answered_once, make_agent, posted_at_once

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def callers(on_postgres, site, caller):
    """`callers(count, session)`: that many, each with a connection of its own, to one server of two processes."""
    _agent, secret = make_agent()
    processes = site()
    url = processes.server(2)
    processes.worker()

    def make(count, session):
        return [caller(url, secret, session) for _ in range(count)]

    make.until = processes.until
    return make


def _all_ended():
    return not Turn.objects.filter(state="received").exists()


def test_twenty_connections_begin_one_session(callers):
    """One session; each input answered once, in order of arrival, and its caller told so, then or at its address."""
    twenty = callers(20, "new")
    posts = [(f"m{number}", f"texto {number}") for number in range(20)]
    answers = posted_at_once(twenty, posts)
    callers.until(_all_ended, "all are answered", 60)
    assert Session.objects.count() == 1
    assert_each_answered_once("new", 20)
    for caller, (key, _), answer in zip(twenty, posts, answers, strict=True):
        assert caller.result(answer) == Turn.objects.get(key=key).response


def test_one_id_from_ten_connections(callers):
    """One turn, and the same response for all, also for who asks again later."""
    ten = callers(10, "s")
    answers = posted_at_once(ten, [("m1", "oi")] * 10)
    callers.until(_all_ended, "it is answered", 60)
    assert_each_answered_once("s", 1)
    response = Turn.objects.get().response
    assert all(caller.result(answer) == response for caller, answer in zip(ten, answers, strict=True))
    again = ten[0].post("m1", "oi")
    assert (again.status_code, again.json()) == (200, response)


def test_one_id_with_two_texts(callers):
    """Whichever came first stands; who says other words under its id is told 409."""
    ten = callers(10, "s")
    answers = posted_at_once(ten, [("m1", text) for text in ["oi", "olá"] * 5])
    callers.until(_all_ended, "it is answered", 60)
    assert_each_answered_once("s", 1)
    stood = Turn.objects.get().input["message"]["text"]
    for answer, text in zip(answers, ["oi", "olá"] * 5, strict=True):
        if text == stood:
            assert answer.status_code in {200, 202}
        else:
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "key-reused")
