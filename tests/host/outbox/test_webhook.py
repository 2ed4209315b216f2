"""Messages are posted to a tenant's URL, signed; what the receiver answers decides."""

from __future__ import annotations

import json
import time

import pytest
from cryptography.fernet import Fernet
from django.utils import timezone

from falai_django.encryption import encrypt
from falai_django.models import Message, Secret
from falai_django.outbox import send_due
from falai_django.outbox.connection import ANSWER_BYTES
from falai_django.outbox.queue import leased
from falai_django.signing import SIGNATURE_HEADER, verify
from tests.host.loop_rows import ago, make_agent, make_session, queue, states
from tests.providers.local_server import ABORT, SILENCE, Dripping, LocalServer, Raw, Reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver():
    server = LocalServer()
    yield server
    server.close()


@pytest.fixture
def session(receiver, settings):
    settings.FALAI_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{receiver.port}"]
    settings.FALAI_WEBHOOK_SECONDS = 5
    agent = make_agent(kind="webhook")
    agent.sender.url = f"{receiver.url}/hook"
    agent.sender.secret = _secret(agent.tenant, "first")
    agent.sender.save()
    return make_session(agent, anchors={"lead": "7"})


def _secret(tenant, value):
    return Secret.objects.create(tenant=tenant, name=value, ciphertext=encrypt(value))


def _ok(body=b"", status=200, **headers):
    return Reply([body], status, headers)


def _sent_once(receiver, session, reply):
    receiver.say(reply)
    (row,) = queue(session, "hello")
    send_due()
    row.refresh_from_db()
    return row


def test_a_message_is_posted_as_signed_json(receiver, session):
    row = _sent_once(receiver, session, _ok())
    (asked,) = receiver.asked
    assert (asked.path, asked.headers["content-type"]) == ("/hook", "application/json")
    assert asked.headers["idempotency-key"] == asked.body["id"] == str(row.public_id)
    assert (asked.body["text"], asked.body["session"], asked.body["anchors"]) == ("hello", "s1", {"lead": "7"})
    assert asked.headers["falai-attempt"] == "1"
    assert verify(asked.headers[SIGNATURE_HEADER.lower()], asked.raw, ["first"], time.time())
    assert (row.state, row.error) == ("sent", "")


def test_the_signature_s_time_is_the_database_s(receiver, session, monkeypatch):
    """A worker whose clock is an hour ahead would else be refused by every receiver."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3_600)
    _sent_once(receiver, session, _ok())
    monkeypatch.undo()
    assert verify(receiver.asked[0].headers[SIGNATURE_HEADER.lower()], receiver.asked[0].raw, ["first"], time.time())


def test_while_a_secret_is_replaced_there_are_two_signatures(receiver, session):
    sender = session.agent.sender
    sender.next_secret = _secret(session.agent.tenant, "second")
    sender.save()
    _sent_once(receiver, session, _ok())
    header = receiver.asked[0].headers[SIGNATURE_HEADER.lower()]
    for secret in ("first", "second"):
        assert verify(header, receiver.asked[0].raw, [secret], time.time())


def test_the_same_message_comes_again_with_the_same_body_and_a_signature_of_its_own(receiver, session):
    receiver.say(_ok(status=500), _ok())
    (row,) = queue(session, "hello")
    send_due()
    Message.objects.filter(pk=row.pk).update(due=ago(seconds=1))
    send_due()
    first, second = receiver.asked
    assert first.raw == second.raw
    assert second.headers["falai-attempt"] == "2"
    assert states(session) == {"hello": "sent"}


@pytest.mark.parametrize(
    ("reply", "state", "error"),
    [
        (_ok(status=204), "sent", ""),
        (_ok(b'{"refused": "unknown-number"}'), "refused", "unknown-number"),
        (_ok(b'{"refused": ""}'), "sent", ""),
        (_ok(b'{"refused": null}'), "sent", ""),
        (_ok(b'{"refused": true}'), "sent", ""),
        (_ok(b'["refused"]'), "sent", ""),
        (_ok(b"<html>\xff"), "sent", ""),
        (_ok(b"[" * 5_000), "sent", ""),
        (_ok(b'{"refused": "gone"}', 404), "queued", "http-404"),
        (_ok(status=302, location="/hook"), "queued", "http-302"),
        (_ok(status=503), "queued", "http-503"),
        (Reply([b"x" * (ANSWER_BYTES + 1)]), "queued", "answer-too-large"),
        (Reply([ABORT], declared=10), "queued", "network"),
        (Raw([b"no HTTP at all\r\n\r\n"]), "queued", "network"),
    ],
    ids=[
        "no content",
        "refused",
        "refused empty",
        "refused null",
        "refused true",
        "a list",
        "no JSON",
        "deep JSON",
        "404",
        "a redirect",
        "503",
        "too large",
        "reset",
        "no HTTP",
    ],
)
def test_what_the_receiver_answers_decides(receiver, session, reply, state, error):
    """2xx: sent or refused; all else is tried again. A redirect is never followed."""
    row = _sent_once(receiver, session, reply)
    assert (row.state, row.error) == (state, error)
    assert len(receiver.asked) == 1


def test_a_receiver_that_asks_for_time_gets_it(receiver, session):
    row = _sent_once(receiver, session, Reply([], 429, {"retry-after": "300"}))
    assert 250 < (row.due - timezone.now()).total_seconds() <= 301
    assert row.state == "queued"


@pytest.mark.parametrize(
    "reply", [Raw([SILENCE]), Reply([Dripping(b"x" * 1_000)], declared=1_000)], ids=["silent", "dripping"]
)
def test_a_receiver_that_never_comes_to_an_end_is_a_timeout(receiver, session, settings, reply):
    settings.FALAI_WEBHOOK_SECONDS = 0.1
    row = _sent_once(receiver, session, reply)
    assert (row.state, row.error) == ("queued", "timeout")


def test_nobody_at_home_is_a_failure(receiver, session):
    receiver.close()
    (row,) = queue(session, "hello")
    send_due()
    row.refresh_from_db()
    assert (row.state, row.error) == ("queued", "network")


def test_nothing_of_the_environment_leads_it_elsewhere(receiver, session, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert _sent_once(receiver, session, _ok()).state == "sent"


def test_a_cookie_of_a_receiver_comes_back_to_nobody(receiver, session):
    receiver.say(Reply([], 200, {"set-cookie": "who=acme; Path=/"}), _ok())
    queue(session, "one", "two")
    send_due()
    send_due()
    assert "cookie" not in receiver.asked[1].headers


@pytest.mark.parametrize("allow", [[], ["127.0.0.1"], ["10.0.0.0/8"]], ids=str)
def test_a_receiver_that_the_site_does_not_allow_is_not_reached(receiver, session, settings, allow):
    """A webhook leads nowhere that an action could not go."""
    settings.FALAI_OUTGOING_ALLOW = allow
    row = _sent_once(receiver, session, _ok())
    assert (row.state, row.error, receiver.connections) == ("queued", "not-allowed", 0)


@pytest.mark.parametrize("url", ["", "no url", "ftp://example.com/", "http://"])
def test_a_url_that_cannot_be_called_is_a_failure_not_an_exception(session, url):
    sender = session.agent.sender
    sender.url = url
    sender.save()
    queue(session, "hello")
    assert send_due().tried == 1
    assert states(session) == {"hello": "queued"}


def test_a_secret_that_no_key_reads_is_a_failure_and_nothing_leaves_unsigned(receiver, session, settings):
    settings.FALAI_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    (row,) = queue(session, "hello")
    send_due()
    row.refresh_from_db()
    assert (row.error, receiver.asked) == ("unreadable-secret", [])


def test_right_to_left_and_emoji_arrive_as_they_were_written(receiver, session):
    receiver.say(_ok())
    queue(session, "שלום 👋🏽 \u202e olá")
    send_due()
    assert receiver.asked[0].body["text"] == "שלום 👋🏽 \u202e olá"
    assert json.loads(receiver.asked[0].raw.decode("ascii"))["text"].startswith("שלום")


def test_a_lease_outlasts_the_slowest_answer():
    """Else a second worker would send what the first one is still sending."""
    from falai_django.conf import Settings  # noqa: PLC0415 - the defaults, whatever the site says

    # Connecting and reading may each take the whole time.
    assert Settings().outbox_lease_seconds > 2 * Settings().webhook_seconds
    assert leased("x")["state"] == "sending"
