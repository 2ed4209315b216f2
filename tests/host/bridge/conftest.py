"""A bridge between a fake WhatsApp and the real API, in one process."""

from __future__ import annotations

import time

import httpx
import pytest
from cryptography.fernet import Fernet
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler

from examples.whatsapp_bridge.bridge import Bridge
from examples.whatsapp_bridge.configuration import Configuration
from falai_django import authoring
from falai_django.authoring.publishing import publish
from falai_django.models import Scope, Sender
from falai_django.outgoing.connection import Answered
from falai_django.roles import Actor
from tests.host.bridge.channel import SECRET, FakeChannel

ACTOR = Actor.command("test")
DOCUMENT = {
    "specVersion": 1,
    "name": "Lia",
    "idle": "silent",
    "flows": [
        {
            "id": "hello",
            "on": [{"message": [], "repeat": "always"}],
            "steps": [{"id": "s1", "kind": "say", "say": "Oi! {{context.message.text}}"}],
        }
    ],
}


def configuration(folder, **changes):
    told = {
        "falai_url": "http://127.0.0.1/",
        "falai_key": "falai_key",
        "falai_agent": "lia",
        "falai_secrets": ("hook-secret",),
        "whatsapp_number_id": "4711",
        "whatsapp_token": "token",
        "whatsapp_secret": SECRET,
        "verify_token": "a-word",
        "database": str(folder / "sent.sqlite3"),
    }
    return Configuration(**{**told, **changes})


@pytest.fixture
def channel():
    return FakeChannel()


def dialled(application):
    """A client that speaks to a WSGI application."""
    return httpx.Client(transport=httpx.WSGITransport(app=application), base_url="http://127.0.0.1")


class Falai:
    """What the bridge tests alone against: it keeps what was posted, and answers as it is told."""

    def __init__(self):
        self.requests = []
        self.answers = []

    def handle(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else httpx.Response(202, json={})
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def falai():
    return Falai()


@pytest.fixture
def bridge(tmp_path, channel, falai):
    """A client of the bridge, which meets a falai of the test's own."""

    def handle(request):
        return (channel if request.url.host == "graph.facebook.com" else falai).handle(request)

    client = httpx.Client(transport=httpx.MockTransport(handle))
    with client, dialled(Bridge(configuration(tmp_path), client)) as caller:
        yield caller


@pytest.fixture
def site(db, settings):
    """A tenant whose agent sends by a webhook, and its API key."""
    cache.clear()
    settings.FALAI_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    settings.FALAI_OUTGOING_ALLOW = ["bridge.test"]
    tenant = authoring.create_tenant(ACTOR, "acme", "Acme")
    authoring.add_provider(ACTOR, tenant, kind="offline")
    secret = authoring.make_secret(ACTOR, tenant, "hook", "hook-secret", ["bridge.test"])
    sender = authoring.add_sender(
        ACTOR, tenant, name="whatsapp", kind=Sender.Kind.WEBHOOK, url="https://bridge.test/falai", secret=secret
    )
    agent = authoring.run_import(ACTOR, tenant, DOCUMENT, mode=authoring.ImportMode.COPY, slug="lia")
    values = {"sender": sender, "off_text": "Voltamos amanhã."}
    agent = authoring.change_agent_settings(ACTOR, agent, values, version=None)
    publish(ACTOR, agent)
    agent.refresh_from_db()
    return agent, authoring.make_api_key(ACTOR, tenant, "bridge", [Scope.TURNS]).secret


@pytest.fixture
def joined(_one_connection, site, tmp_path, channel, monkeypatch):
    """The bridge with the real API before it, and the real outbox behind it."""
    django = httpx.WSGITransport(app=WSGIHandler())

    class Both(httpx.BaseTransport):
        def handle_request(self, request):
            if request.url.host == "graph.facebook.com":
                return channel.handle(request)
            return django.handle_request(request)

    with httpx.Client(transport=Both()) as client:
        told = configuration(tmp_path, falai_key=site[1])
        with dialled(Bridge(told, client, time.time)) as caller:

            def post(url, body, headers, seconds):
                assert url == "https://bridge.test/falai"
                answer = caller.post("/falai", content=body, headers=dict(headers))
                return Answered(answer.status_code, dict(answer.headers), answer.content)

            monkeypatch.setattr("falai_django.outbox.webhook.post", post)
            yield caller
