"""Each try to send leaves a row: when, how long, what was posted and answered, and nothing in it is secret."""

from __future__ import annotations

import json

import pytest
from cryptography.fernet import Fernet

from falai_django import registry
from falai_django.conversations.erasing import erase
from falai_django.encryption import encrypt
from falai_django.models import Delivery, Field, Message, Release, Secret
from falai_django.outbox import Refused, send_due
from falai_django.outbox.deliveries import BODY_CHARACTERS
from falai_django.retention import forget_old
from falai_django.roles import Actor
from falai_django.signing import SIGNATURE_HEADER
from tests.host.loop_rows import ago, make_agent, make_session, queue
from tests.providers.local_server import LocalServer, Reply

pytestmark = pytest.mark.django_db
SECRET = "signs-it-all"
NUMBER = "123.456.789-00"


@pytest.fixture
def receiver():
    server = LocalServer()
    yield server
    server.close()


@pytest.fixture
def session(receiver, settings):
    settings.FALAI_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{receiver.port}"]
    agent = make_agent(kind="webhook")
    secret = Secret.objects.create(tenant=agent.tenant, name="first", ciphertext=encrypt(SECRET))
    agent.sender.url, agent.sender.secret = f"{receiver.url}/hook", secret
    agent.sender.save()
    return make_session(agent)


def tried(receiver, session, *replies, text="hello"):
    """The log after so many tries of one message."""
    receiver.say(*replies)
    (row,) = queue(session, text)
    for _ in replies:
        send_due()
        Message.objects.filter(pk=row.pk).update(due=ago(seconds=1))
    return list(row.deliveries.order_by("pk"))


def test_each_try_is_a_row_with_its_outcome(receiver, session):
    replies = [Reply([b"busy"], 503), Reply.of_json({"refused": "unknown-number"})]
    first, second = tried(receiver, session, *replies)
    assert (first.attempt, first.outcome, first.code, first.status, first.response) == (
        1,
        "failed",
        "http-503",
        503,
        "busy",
    )
    assert (second.attempt, second.outcome, second.code, second.status) == (2, "refused", "unknown-number", 200)
    assert json.loads(first.request) == receiver.asked[0].body
    assert json.loads(second.response) == {"refused": "unknown-number"}
    assert (first.sender, first.milliseconds >= 0) == ("out", True)
    assert first.at < second.at


def test_a_try_without_an_answer_has_no_status(receiver, session):
    receiver.close()
    queue(session, "hello")
    send_due()
    row = Delivery.objects.get()
    assert (row.outcome, row.code, row.status, row.response) == ("failed", "network", None, "")
    assert json.loads(row.request)["text"] == "hello"


def test_long_bodies_are_cut_and_odd_ones_kept(receiver, session):
    (row,) = tried(receiver, session, Reply([b"\xff\x00<b>" + b"x" * 9_000]), text="y" * 9_000)
    assert [len(row.request), len(row.response)] == [BODY_CHARACTERS + 1] * 2
    assert row.response.startswith("\ufffd\ufffd<b>xxx")
    assert row.response.endswith("…")


def test_neither_secrets_nor_sensitive_values_are_in_it(receiver, session):
    """Whatever the receiver sends back, under whatever name, in whatever groups; what left was whole."""
    agent = session.agent
    Field.objects.create(agent=agent, slug="cpf", is_sensitive=True)
    session.blob = {"data": {"cpf": NUMBER}}
    session.save()
    echo = [
        lambda asked: Reply.of_json({"cpf": "other", "said": f"{NUMBER} and 12345678900", "key": SECRET}, 500),
        lambda asked: Reply([f'{{"broken": "{NUMBER}" "{SECRET}"'.encode()], 400),
        Reply.of_json({"refused": f"no {NUMBER} {SECRET}"}),
    ]
    rows = tried(receiver, session, *echo, text=f"Your number is {NUMBER}.")
    assert receiver.asked[0].body["text"] == f"Your number is {NUMBER}."
    assert len(rows) == 3
    for row in rows:
        kept = f"{row.request} {row.response} {row.code}"
        assert not [word for word in (NUMBER, "12345678900", "other", SECRET) if word in kept]
    assert "Your number is ***." in rows[0].request


def test_what_was_sensitive_in_the_release_stays_hidden(receiver, session):
    Release.objects.update(sensitive=["cpf"])
    session.blob = {"data": {"cpf": NUMBER}}
    session.save()
    (row,) = tried(receiver, session, Reply([NUMBER.encode()]), text="hi")
    assert row.response == "***"


def test_no_header_is_kept(receiver, session):
    (row,) = tried(receiver, session, Reply([b""], 200, {"x-echo": "in a header"}))
    given = receiver.asked[0].headers[SIGNATURE_HEADER.lower()]
    assert not [
        word for word in (given, "in a header") if word in json.dumps(list(Delivery.objects.values()), default=str)
    ]
    assert row.outcome == "sent"


@pytest.mark.parametrize(
    ("said", "outcome", "code"),
    [
        (lambda message: None, "sent", ""),
        (lambda message: Refused("unknown-number"), "refused", "unknown-number"),
        (lambda message: 1 / 0, "failed", "raised ZeroDivisionError"),
    ],
    ids=["sent", "refused", "raised"],
)
def test_tries_of_a_registered_sender_are_logged_too(said, outcome, code):
    session = make_session(make_agent(kind="python"))
    queue(session, "hello")
    with registry.isolated():
        registry.sender("test")(said)
        send_due()
    row = Delivery.objects.get()
    assert (row.outcome, row.code, row.status, row.request, row.response) == (outcome, code, None, "", "")


def test_a_message_that_is_erased_while_it_leaves_leaves_no_row(receiver, session):
    def erased(_asked):
        Message.objects.all().delete()
        return Reply([b""])

    receiver.say(Reply([b""]))
    queue(session, "hello")
    with registry.isolated():
        session.agent.sender.kind = "python"
        session.agent.sender.save()
        registry.sender("test")(erased)
        send_due()
    assert not Delivery.objects.exists()


def test_the_log_goes_with_its_conversation(receiver, session):
    tried(receiver, session, Reply([b""]))
    erase(Actor.command("shell"), session)
    assert not Delivery.objects.exists()


def test_old_tries_are_forgotten_and_their_messages_stay(receiver, session, settings):
    settings.FALAI_RETENTION_DELIVERY_DAYS = 7
    old, new = tried(receiver, session, Reply([b""], 500), Reply([b""]))
    Delivery.objects.filter(pk=old.pk).update(at=ago(days=8))
    assert forget_old() == 1
    assert list(Delivery.objects.values_list("pk", flat=True)) == [new.pk]
    assert Message.objects.get().state == "sent"
