"""Messages leave by a registered function: in order, with pauses, and nothing holds up the others for ever."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest
from django.utils import timezone

from falai_django import registry
from falai_django.errors import Refused
from falai_django.models import Message
from falai_django.outbox import Outgoing, leaving, send_due, withhold
from falai_django.outbox.answers import ATTEMPTS, BACKOFF_SECONDS, Failed, retry_delay
from falai_django.outbox.queue import finish, lease
from tests.host.loop_rows import ago, make_agent, make_session, queue, states

pytestmark = pytest.mark.django_db


class Got(list):
    def __init__(self):
        super().__init__()
        self.raises, self.returns = {}, {}


@pytest.fixture
def sent():
    """What the registered sender got; `raises` and `returns`, by text, say what it makes of it."""
    got = Got()
    with registry.isolated():

        @registry.sender("test")
        def take(message):
            got.append(message)
            if message.text in got.raises:
                raise got.raises[message.text]
            return got.returns.get(message.text)

        yield got


@pytest.fixture
def session():
    return make_session(make_agent(kind="python"), "5511999990000", anchors={"lead": "7"}, context={"plan": "gold"})


def _texts(sent):
    return [message.text for message in sent]


def _empty(limit=10):
    """Passes until nothing leaves any more."""
    for _ in range(limit):
        if not send_due().tried:
            return


def _make_due(session):
    Message.objects.filter(session=session).update(due=ago(seconds=1))


def test_a_session_s_messages_leave_in_order_one_a_pass(sent, session):
    """Only the head of the queue is leased: the second cannot overtake a first that hangs."""
    queue(session, "one", "two", "three")
    assert send_due().tried == 1
    assert _texts(sent) == ["one"]
    _empty()
    assert _texts(sent) == ["one", "two", "three"]
    assert set(states(session).values()) == {"sent"}
    assert Message.objects.filter(session=session, sent_at=None).count() == 0


def test_the_function_gets_the_message_as_a_value(sent, session):
    (row,) = queue(session, "hello", kind="verbatim", media={"kind": "image", "url": "https://x.example/1"})
    send_due()
    (got,) = sent
    assert isinstance(got, Outgoing)
    assert (got.id, got.tenant, got.agent, got.session) == (str(row.public_id), "acme", "acme", "5511999990000")
    assert (got.text, got.kind, got.author, got.direction) == ("hello", "verbatim", "assistant", "out")
    assert (got.media["kind"], got.anchors, got.context, got.attempt) == ("image", {"lead": "7"}, {"plan": "gold"}, 1)


def test_a_failure_is_tried_again_later_under_the_same_id_and_holds_up_those_behind(sent, session):
    sent.raises["one"] = RuntimeError("no line")
    one = queue(session, "one", "two")[0]
    send_due()
    one.refresh_from_db()
    assert (one.state, one.attempts, one.error) == ("queued", 1, "raised RuntimeError")
    assert timezone.now() < one.due < timezone.now() + timedelta(seconds=3)
    assert send_due().tried == 0
    sent.raises.clear()
    _make_due(session)
    _empty()
    assert _texts(sent) == ["one", "one", "two"]
    assert sent[0].id == sent[1].id == str(one.public_id)
    assert (sent[1].attempt, states(session)) == (2, {"one": "sent", "two": "sent"})


def test_after_the_last_try_it_is_dead_and_the_next_one_leaves(sent, session):
    sent.raises["one"] = RuntimeError("no line")
    queue(session, "one", "two")
    for _ in range(ATTEMPTS):
        _make_due(session)
        send_due()
    assert _texts(sent) == ["one"] * ATTEMPTS
    assert states(session) == {"one": "dead", "two": "queued"}
    _empty()
    assert states(session) == {"one": "dead", "two": "sent"}


@pytest.mark.parametrize("how", ["raises", "returns"])
def test_a_refusal_is_final_told_with_its_code_and_the_next_one_leaves(sent, session, how):
    getattr(sent, how)["one"] = Refused("unknown-number")
    queue(session, "one", "two")
    _empty()
    assert states(session) == {"one": "refused", "two": "sent"}
    assert Message.objects.get(text="one").error == "unknown-number"


def test_what_could_not_leave_in_its_hour_expires_and_the_next_one_leaves(sent, session):
    queue(session, "old", expires_at=ago(seconds=1))
    queue(session, "new")
    done = send_due()
    assert (done.expired, done.tried) == (1, 1)
    assert states(session) == {"old": "expired", "new": "sent"}
    assert _texts(sent) == ["new"]


def test_a_retry_is_not_later_than_the_end_of_the_message(sent, session):
    """Else a message would hold up the next ones after its own hour."""
    sent.raises["one"] = RuntimeError("no line")
    (one,) = queue(session, "one", attempts=ATTEMPTS - 2, expires_at=ago(minutes=-1))
    send_due()
    one.refresh_from_db()
    assert one.state == "queued"
    assert one.due == one.expires_at


def test_a_pause_counts_from_the_leaving_of_the_message_before(sent, session):
    """Its own commit was long ago, but the customer has just got the first one."""
    queue(session, "one")
    (two,) = queue(session, "two", after_ms=60_000, due=ago(seconds=1))
    _empty()
    assert _texts(sent) == ["one"]
    two.refresh_from_db()
    assert timezone.now() + timedelta(seconds=50) < two.due < timezone.now() + timedelta(seconds=61)
    _make_due(session)
    _empty()
    assert _texts(sent) == ["one", "two"]


def test_a_pause_is_not_longer_because_the_message_before_was_given_up(sent, session):
    sent.returns["one"] = Refused("gone")
    queue(session, "one")
    queue(session, "two", after_ms=60_000)
    _empty()
    assert states(session) == {"one": "refused", "two": "sent"}


def test_a_new_inbound_sends_what_still_pauses(sent, session):
    """Whoever writes meanwhile does not wait for typing, neither for its first pause nor for the one after it."""
    queue(session, "one", after_ms=60_000, due=ago(seconds=-60))
    queue(session, "two", after_ms=60_000, due=ago(seconds=-60))
    _empty()
    assert sent == []
    session.inbound_seq = 1
    session.save()
    _empty()
    assert _texts(sent) == ["one", "two"]


def test_a_new_inbound_does_not_hurry_a_retry(sent, session):
    sent.raises["one"] = RuntimeError("no line")
    queue(session, "one", after_ms=500)
    send_due()
    session.inbound_seq = 1
    session.save()
    assert send_due().tried == 0


def test_what_was_written_after_the_inbound_keeps_its_pause(sent, session):
    session.inbound_seq = 1
    session.save()
    queue(session, "one", after_ms=60_000, due=ago(seconds=-60), inbound_seq=1)
    assert send_due().tried == 0


def test_a_killed_worker_s_message_is_sent_by_the_next_one_and_its_late_answer_counts_for_nothing(sent, session):
    (one,) = queue(session, "one")
    assert lease(one.pk, "killed")
    assert not lease(one.pk, "other")
    assert send_due().tried == 0
    Message.objects.filter(pk=one.pk).update(lease_until=ago(seconds=1))
    assert send_due().tried == 1
    one.refresh_from_db()
    assert (one.state, one.attempts) == ("sent", 2)
    assert not finish(one, "killed", Failed("timeout"))
    one.refresh_from_db()
    assert (one.state, one.error) == ("sent", "")


def test_a_message_that_ends_each_process_dies_without_another_try(sent, session):
    queue(session, "one", state="sending", attempts=ATTEMPTS, lease_until=ago(seconds=1))
    send_due()
    assert sent == []
    assert (states(session), Message.objects.get(text="one").error) == ({"one": "dead"}, "killed")


def test_a_sender_that_fails_is_left_alone_for_the_rest_of_the_pass(sent, session):
    """One that hangs would else hold up all other tenants, message after message."""
    sent.raises["one"] = RuntimeError("no line")
    agent = session.agent
    other = make_agent("globex", kind="python")
    queue(session, "one", due=ago(minutes=9))
    queue(make_session(agent, "s2"), "one", due=ago(minutes=8))
    queue(make_session(other, "s3"), "other", due=ago(minutes=1))
    assert send_due().tried == 2
    assert sorted(_texts(sent)) == ["one", "other"]


def test_senders_take_turns(sent, session):
    """A tenant with a long queue does not fill the pass."""
    for number in range(5):
        queue(make_session(session.agent, f"many{number}"), "many", due=ago(minutes=9))
    queue(make_session(make_agent("globex", kind="python"), "s3"), "other")
    send_due(limit=2)
    assert sorted(_texts(sent)) == ["many", "other"]


def test_stopping_ends_the_pass_before_the_next_message(sent, session):
    queue(session, "one")
    queue(make_session(session.agent, "s2"), "two")
    assert send_due(stopping=lambda: len(sent) == 1).tried == 1


def test_without_a_sender_messages_wait_and_then_expire(sent):
    session = make_session(make_agent(kind=None))
    (one,) = queue(session, "one")
    assert send_due().tried == 0
    assert states(session) == {"one": "queued"}
    Message.objects.filter(pk=one.pk).update(expires_at=ago(seconds=1))
    send_due()
    assert states(session) == {"one": "expired"}


def test_a_name_that_no_code_registers_fails_and_is_tried_again(session):
    queue(session, "one")
    send_due()
    assert Message.objects.get(text="one").error == "not-registered"
    assert states(session) == {"one": "queued"}


def test_a_conversation_that_is_being_erased_sends_nothing(sent, session):
    queue(session, "one")
    session.erasing_at = ago(seconds=1)
    session.save()
    assert send_due().tried == 0


def test_withholding_keeps_back_what_the_assistant_said_and_nobody_began_to_send(sent, session):
    queue(session, "leaving", state="sending", lease_until=ago(seconds=-60))
    queue(session, "said")
    queue(session, "human", author="human")
    queue(session, "notice", direction="notice", recipient="sales")
    assert withhold(session.pk) == 1
    assert states(session) == {"leaving": "sending", "said": "withheld", "human": "queued", "notice": "queued"}


def test_what_is_to_leave_has_its_pause_and_after_all_pauses_its_hour():
    now = timezone.now()
    assert leaving(now, 7, after_ms=1_500, behind_ms=2_000) == {
        "state": "queued",
        "after_ms": 1_500,
        "due": now + timedelta(milliseconds=1_500),
        "inbound_seq": 7,
        "expires_at": now + timedelta(hours=1, milliseconds=3_500),
    }


def test_retries_wait_longer_each_time_with_jitter_and_end():
    for attempt, seconds in enumerate(BACKOFF_SECONDS, 1):
        assert 0.8 * seconds <= retry_delay(attempt).total_seconds() <= 1.2 * seconds
    assert retry_delay(ATTEMPTS) is None
    assert len({retry_delay(6) for _ in range(20)}) > 1
    assert retry_delay(1, 60.0) == timedelta(seconds=60)
    assert retry_delay(1, 1e9) == timedelta(seconds=BACKOFF_SECONDS[-1])


def test_logs_hold_primary_keys_and_nothing_that_was_said(sent, session, caplog):
    sent.raises["my secret words"] = RuntimeError("5511999990000 is unknown")
    (one,) = queue(session, "my secret words")
    with caplog.at_level(logging.INFO, "falai"):
        send_due()
    told = json.dumps([caplog.text, [record.falai for record in caplog.records]])
    assert f"message.tried answer=Failed attempt=1 message={one.pk} session={session.pk}" in caplog.text
    assert "5511999990000" not in told
    assert "secret" not in told
