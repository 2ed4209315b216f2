"""A program fetches messages and acknowledges them: none is lost, none goes to two, none overtakes another."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from falai_django.models import Message
from falai_django.outbox import acknowledge, payload, poll_messages, send_due
from tests.host.loop_rows import ago, make_agent, make_session, queue, states

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent():
    return make_agent(kind="poll")


@pytest.fixture
def session(agent):
    return make_session(agent)


def _poll(agent, **more):
    return [message.text for message in poll_messages(agent.tenant, **more)]


def test_the_loop_leaves_polled_messages_alone(session):
    queue(session, "one")
    assert send_due().tried == 0
    assert states(session) == {"one": "queued"}


def test_a_poll_gets_the_first_of_each_session_until_it_is_acknowledged(agent, session):
    one, two = queue(session, "one", "two")
    queue(make_session(agent, "s2"), "other", due=ago(minutes=1))
    assert _poll(agent) == ["other", "one"]
    assert _poll(agent) == []
    assert acknowledge(agent.tenant, [str(one.public_id)]).known == (str(one.public_id),)
    assert states(session) == {"one": "sent", "two": "queued"}
    assert _poll(agent) == ["two"]
    two.refresh_from_db()
    assert (two.state, two.attempts) == ("sending", 1)


def test_what_is_not_acknowledged_comes_again_under_the_same_id_however_often(agent, session):
    (one,) = queue(session, "one")
    seen = set()
    for _ in range(12):
        seen |= {message.id for message in poll_messages(agent.tenant)}
        Message.objects.filter(pk=one.pk).update(lease_until=ago(seconds=1))
    assert seen == {str(one.public_id)}
    assert states(session) == {"one": "sending"}


def test_an_acknowledgement_may_be_repeated_and_may_come_late(agent, session):
    """What a program has sent is sent, also when the message had been given up meanwhile."""
    (one,) = queue(session, "one")
    poll_messages(agent.tenant)
    Message.objects.filter(pk=one.pk).update(lease_until=ago(seconds=9), expires_at=ago(seconds=1))
    assert send_due().expired == 1
    assert states(session) == {"one": "expired"}
    for _ in range(2):
        assert acknowledge(agent.tenant, [str(one.public_id)]).known == (str(one.public_id),)
        assert states(session) == {"one": "sent"}


def test_a_refusal_is_told_by_its_code(agent, session):
    (one,) = queue(session, "one")
    poll_messages(agent.tenant)
    assert acknowledge(agent.tenant, [], {str(one.public_id): "blocked"}).known == (str(one.public_id),)
    one.refresh_from_db()
    assert (one.state, one.error) == ("refused", "blocked")


def test_only_what_was_fetched_and_is_the_tenant_s_can_be_acknowledged(agent, session):
    (fetched, _) = queue(session, "one", "not fetched")
    poll_messages(agent.tenant)
    other = make_agent("globex", kind="poll")
    (waiting,) = queue(make_session(other), "theirs")
    ids = [str(fetched.public_id), str(waiting.public_id), str(uuid.uuid4()), "no id", ""]
    done = acknowledge(other.tenant, ids)
    assert done.known == ()
    assert done.unknown == tuple(ids)
    assert acknowledge(agent.tenant, ids).known == (str(fetched.public_id),)
    assert states(session) == {"one": "sent", "not fetched": "queued"}
    waiting.refresh_from_db()
    assert waiting.state == "queued"


def test_a_poll_gets_only_its_tenant_s_messages_of_polled_agents(agent, session):
    queue(make_session(make_agent("globex", kind="poll")), "theirs")
    queue(make_session(make_agent("initech", kind="python")), "python")
    assert _poll(agent) == []


def test_the_pause_of_the_next_message_counts_from_the_acknowledgement(agent, session):
    one, two = queue(session, "one", "two", after_ms=60_000)
    poll_messages(agent.tenant)
    acknowledge(agent.tenant, [str(one.public_id)])
    two.refresh_from_db()
    assert two.due > timezone.now() + timedelta(seconds=50)
    assert _poll(agent) == []


def test_an_expired_message_is_never_handed_out(agent, session):
    queue(session, "one", expires_at=ago(seconds=1))
    assert _poll(agent) == []


def test_a_poll_takes_no_more_than_it_asks_for(agent):
    for number in range(3):
        queue(make_session(agent, f"s{number}"), f"m{number}", due=ago(minutes=9 - number))
    assert _poll(agent, limit=2) == ["m0", "m1"]
    assert _poll(agent, limit=2) == ["m2"]


def test_the_json_is_the_same_each_time_and_keeps_the_context_with_us(agent, session):
    session.context, session.anchors = {"crm": "secret"}, {"lead": "7"}
    session.save()
    (one,) = queue(session, "", media={"kind": "image"}, direction="notice", recipient="sales")
    (first,) = poll_messages(agent.tenant)
    Message.objects.filter(pk=one.pk).update(lease_until=ago(seconds=1))
    (again,) = poll_messages(agent.tenant)
    assert payload(first) == payload(again)
    assert payload(first) == {
        "id": str(one.public_id),
        "tenant": "acme",
        "agent": "acme",
        "session": "s1",
        "sequence": 1,
        "direction": "notice",
        "author": "assistant",
        "text": "",
        "media": {"kind": "image"},
        "recipient": "sales",
        "anchors": {"lead": "7"},
        "createdAt": payload(again)["createdAt"],
    }
