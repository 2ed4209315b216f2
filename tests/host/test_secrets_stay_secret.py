"""A secret is used by everything that may use it, and told by nothing: no log, row, answer, page, export or prompt.

One test uses it everywhere at once, against receivers that send back what they are sent, and then reads all that is
left; it can fail, for another one looks for what is no secret by the same eyes.
"""

from __future__ import annotations

import base64
import json
import logging
import time
from io import StringIO
from urllib.parse import quote

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from falai_django import registry
from falai_django.authoring.exporting import export_draft
from falai_django.authoring.senders import change_sender
from falai_django.authoring.tenant_secrets import make_secret
from falai_django.models import Action, Delivery, Message, Sender, Session, Tool
from falai_django.outbox import send_due
from falai_django.outgoing.network import close_connections
from falai_django.releases import forget_compiled
from falai_django.roles import Actor
from falai_django.signing import SIGNATURE_HEADER, verify
from tests.host.admin.doors import DOORS, registered, url_of
from tests.host.admin.posting import post_of
from tests.host.loop_rows import ago, queue
from tests.host.rest.callers import Program
from tests.host.runtime.stage import Stage, document
from tests.host.worlds import all_models
from tests.providers.local_server import LocalServer, Reply

pytestmark = pytest.mark.django_db

CRM, FIRST, SECOND = 'crm "hush"/7+7=', "signs-first-/8", "signs-second+9"
OLD, NEW = (Fernet.generate_key().decode() for _ in range(2))
NO_SECRET = "seen-by-everybody"


def forms_of(secret):
    """How it may look where it lies."""
    return {
        secret,
        quote(secret),
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        base64.b64encode(secret.encode()).decode(),
        secret.replace('"', "&quot;"),
    }


SECRETS = {form for secret in (CRM, FIRST, SECOND, OLD, NEW) for form in forms_of(secret)}


@pytest.fixture
def server(settings):
    started = LocalServer()
    settings.FALAI_ENCRYPTION_KEYS = [OLD]
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{started.port}"]
    yield started
    close_connections()
    started.close()


@pytest.fixture
def told(caplog):
    """Everything that was logged, at the lowest level of all, with tracebacks."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.connection", "httpcore.http11", "falai_django", "django"):
        caplog.set_level(logging.DEBUG, logger=name)
    return lambda: caplog.text


def echo(asked):
    """A receiver that sends back all that it got, as JSON, in a header, and says no."""
    given = dict(asked.headers)
    body = {"price": 5, "echo": given, "path": asked.path, "note": f"{NO_SECRET} {given.get('x-key')}"}
    return Reply([json.dumps(body, ensure_ascii=False).encode()], 200, {"x-echo": "x"})


def failing(asked):
    return Reply([f"no: {dict(asked.headers)} {asked.path}".encode()], 500)


def request_of(server, path):
    places = {"crm": {"in": "header", "as": "X-Key", "prefix": "Key "}}
    return {"method": "POST", "url": f"{server.url}{path}", "body": {}, "secrets": places}


def tool_of(server):
    schema = {"type": "object", "properties": {}}
    answer = {"value": "", "detail": "/note", "set": {"nome": "/note"}}
    return {"kind": "http", "parameters": schema, "request": request_of(server, "/tool"), "answer": answer}


def action_of(server):
    request = request_of(server, "/action")
    request["secrets"] = {"crm": {"in": "query", "as": "key"}}
    return {"kind": "http", "request": request, "answer": {"detail": "/note"}, "idempotent": False}


@pytest.fixture
def stage(db, monkeypatch, server):
    """An agent that uses a secret in a tool, in an action, and two to sign with."""
    with registry.isolated():
        stage = Stage(monkeypatch, deliver="sender")
        owner = Actor.command("test")
        stage.secrets = {
            name: make_secret(owner, stage.tenant, name, value, ["127.0.0.1"])
            for name, value in (("crm", CRM), ("first", FIRST), ("second", SECOND))
        }
        stage.agent.sender = Sender.objects.create(
            tenant=stage.tenant,
            name="Gate",
            kind="webhook",
            url=f"{server.url}/hook",
            secret=stage.secrets["first"],
            next_secret=stage.secrets["second"],
        )
        stage.agent.save()
        flow = {
            "id": "f",
            "on": [{"message": [], "repeat": "always"}],
            "steps": [
                {"id": "do", "do": "save"},
                {"id": "talk", "kind": "prompt", "prompt": "Tell the price.", "tools": ["price"]},
            ],
        }
        tool, action = tool_of(server), action_of(server)
        for model, slug, spec in ((Tool, "price", tool), (Action, "save", action)):
            body = {key: value for key, value in spec.items() if key != "kind"}
            model.objects.create(agent=stage.agent, slug=slug, kind="http", body=body)
        yield stage.publish(document(flow, tools=[{"id": "price", **tool}], actions={"save": action}))


def converse(stage, server):
    """One turn through the API: the action fails, the tool answers, the message leaves and comes back refused."""
    server.say(failing, echo)
    asks = {"message": "", "toolCalls": [{"toolName": "price", "arguments": {}}]}
    stage.script(speak=[asks, {"message": f"It is 5. {NO_SECRET}"}])
    program = Program(stage.tenant)
    answer = program.says("how much?")
    assert answer.status_code == 200, answer.content
    server.say(failing, lambda asked: Reply.of_json({"refused": str(dict(asked.headers))}))
    for _ in range(2):
        send_due()
        Message.objects.update(due=ago(seconds=1))
    return program, [answer.content.decode()]


def rows_told():
    """All that is stored, but for what is encrypted; read as JSON so that escapes are what they are."""
    for name, model in all_models().items():
        for row in model.objects.values():
            yield name, repr(row) + json.dumps(row, default=str, ensure_ascii=False)


def pages_told(client):
    """Every page of the admin, of every row."""
    for name, model_admin in registered().items():
        yield name, client.get(url_of(name, "changelist")).content.decode()
        for row in model_admin.model.objects.all():
            for page in ("change", "history", *DOORS[name].pages):
                response = client.get(url_of(name, page, row))
                content = b"".join(response) if response.streaming else response.content
                yield f"{name} {page}", content.decode()


def tried(client, server, row):
    """The page on which a request is tried: shown, sent, and sent in vain."""
    url = url_of(row._meta.model_name, "try", row)
    page = client.get(url)
    yield client.post(url, post_of(page, ("show", "x")))
    for reply in (echo, failing):
        server.say(reply)
        yield client.post(url, post_of(page, ("send", "x")))


def answers_told(program):
    """What the API tells of it."""
    for path in ("", "turns", "messages", "wakes"):
        yield program.get(path).content.decode()
    for path in ("draft", "releases"):
        yield program.get(program.of_agent(path)).content.decode()


def found_in(texts, words=SECRETS):
    return [(name, word) for name, text in texts for word in words if word in text]


def assert_used(server):
    """In the conversation and on the pages, in a header, in a query, and to sign with: two at once."""
    keys = [asked.headers.get("x-key") for asked in server.asked if asked.path == "/tool"]
    assert keys == [f"Key {CRM}"] * 3
    assert [asked.path for asked in server.asked].count(f"/action?key={quote(CRM, safe='')}") == 3
    hooks = [asked for asked in server.asked if asked.path == "/hook"]
    assert len(hooks) == 2
    for asked in hooks:
        for secret in (FIRST, SECOND):
            assert verify(asked.headers[SIGNATURE_HEADER.lower()], asked.raw, [secret], time.time())


def test_no_secret_is_told_anywhere(stage, server, told):
    program, answers = converse(stage, server)
    client = Client()
    client.force_login(User.objects.create_superuser("root", "root@example.com", "x"))
    shown = [each for row in (Tool.objects.get(), Action.objects.get()) for each in tried(client, server, row)]
    assert all(each.status_code == 200 for each in shown)

    assert_used(server)
    everything = [
        *rows_told(),
        *pages_told(client),
        *(("try", each.content.decode()) for each in shown),
        *(("answer", each) for each in (*answers, *answers_told(program))),
        ("export", repr(export_draft(Actor.command("test"), stage.agent))),
        ("prompts", "".join(map(repr, stage.provider.requests))),
        ("log", told()),
    ]
    assert found_in(everything) == []
    places = {name for name, _word in found_in(everything, [NO_SECRET])}
    assert {"prompts", "Turn", "turn change", "answer", "try", "Delivery", "delivery change"} <= places


def test_the_site_s_key_is_replaced_while_conversations_go_on(stage, server, settings, told):
    """The old key goes when the command has run; what it prints tells no secret."""
    converse(stage, server)
    settings.FALAI_ENCRYPTION_KEYS = [NEW, OLD]
    out, err = StringIO(), StringIO()
    call_command("falai_rotate_secrets", stdout=out, stderr=err)
    settings.FALAI_ENCRYPTION_KEYS = [NEW]
    forget_compiled()
    converse(stage, server)
    used = [asked.headers.get("x-key") for asked in server.asked if asked.path == "/tool"]
    assert used == [f"Key {CRM}"] * 2
    assert "3 secrets" in out.getvalue()
    assert found_in([("command", out.getvalue() + err.getvalue()), ("log", told()), *rows_told()]) == []


def test_a_receiver_changes_to_the_next_signing_secret_without_missing_a_message(stage, server):
    """First one secret, then both, then the other one alone: each message is verified by what the receiver has."""
    sender, owner = stage.agent.sender, Actor.command("test")
    change_sender(owner, sender, next_secret=None)
    for values, known in (
        ({}, FIRST),
        ({"next_secret": stage.secrets["second"]}, FIRST),
        ({}, SECOND),
        ({"secret": stage.secrets["second"], "next_secret": None}, SECOND),
    ):
        change_sender(owner, sender, **values)
        server.say(Reply([b""]))
        queue(stage_session(stage), "hello")
        send_due()
        asked = server.asked[-1]
        assert verify(asked.headers[SIGNATURE_HEADER.lower()], asked.raw, [known], time.time())
    last = server.asked[-1]
    assert not verify(last.headers[SIGNATURE_HEADER.lower()], last.raw, [FIRST], time.time())
    assert Delivery.objects.filter(outcome="sent").count() == 4


def stage_session(stage):
    return Session.objects.get_or_create(agent=stage.agent, session_id="5511")[0]
