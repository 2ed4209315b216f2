"""A database that several processes share, and ways to start them; PostgreSQL only."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import uuid
from urllib.parse import quote

import pytest
from django.db import connection

from falai_django import registry
from falai_django.databases import now_and
from falai_django.faults import ENVIRONMENT_NAME
from falai_django.inbox import message, start, take
from falai_django.models import Agent, ModelProvider, Release, Sender, Tenant, Wake
from falai_django.turns.drain import drain
from tests.host.processes import scene
from tests.host.processes.site_processes import RedisServer, SiteProcesses
from tests.host.processes.talk import Caller


def _url():
    told = connection.settings_dict
    user = quote(told["USER"]) + (f":{quote(told['PASSWORD'])}" if told["PASSWORD"] else "")
    return f"postgres://{user}@{told['HOST']}:{told['PORT'] or 5432}/{told['NAME']}"


class Arena:
    """One agent with two sessions begun, and processes that meet in its database."""

    def __init__(self, log):
        self.log = log
        tenant = Tenant.objects.create(slug="acme", name="acme")
        ModelProvider.objects.create(tenant=tenant, kind="offline")
        sender = Sender.objects.create(tenant=tenant, name="out", kind="python", python_name="out")
        self.agent = Agent.objects.create(tenant=tenant, slug="lia", sender=sender)
        self.agent.active_release = Release.objects.create(
            agent=self.agent, number=1, document=scene.DOCUMENT, spec_version=1, digest="d"
        )
        self.agent.save()

    def begin(self):
        """What `play` finds: `s3` waits for a wake that is due, `s4` is to be erased, in `s5` a person will write."""
        for name, given in (
            ("s3", start("later", key="l1")),
            ("s4", message("oi", id="m1")),
            ("s5", message("oi", id="m1")),
        ):
            take(self.agent, name, given)
            drain(scene.pk(self.agent, name))
        Wake.objects.update(due=now_and(-1))

    def started(self, *command, **environment):
        """A process of its own."""
        told = {**os.environ, "DATABASE_URL": _url(), "DJANGO_SETTINGS_MODULE": "tests.django_settings", **environment}
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "tests.host.processes.child", *command],
            env=told,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def killed_at(self, point):
        """Play in a process that ends itself at a fault point; its exit code."""
        process = self.started("play", **{ENVIRONMENT_NAME: point})
        process.communicate(timeout=60)
        return process.returncode

    def posted(self, *shares):
        """Each share of `session|key|text` by a process of its own, at once; `[name, outcome, response]` of each."""
        processes = [self.started("post", *share) for share in shares]
        told = []
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            out, _ = process.communicate(timeout=120)
            assert process.returncode == 0
            told += json.loads(out)
        return told


@pytest.fixture
def on_postgres():
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL (DATABASE_URL): SQLite in memory belongs to one process")


@pytest.fixture
def site(tmp_path):
    """`site(broker)` makes processes that end with the test; `receiver`: what they may send to."""
    made = []

    def make(broker=None, receiver=""):
        found = SiteProcesses(tmp_path, broker, f"falai-{uuid.uuid4().hex}", receiver)
        made.append(found)
        return found

    yield make
    for each in made:
        each.close()


@pytest.fixture
def redis(tmp_path):
    server = RedisServer(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def caller():
    """`caller(url, secret, session)`: a Caller whose connection ends with the test."""
    with contextlib.ExitStack() as made:

        def make(*told, **headers):
            found = Caller(*told, **headers)
            made.enter_context(found.client)
            return found

        yield make


@pytest.fixture
def arena(on_postgres, transactional_db, monkeypatch, tmp_path):
    log = tmp_path / "log"
    monkeypatch.setenv(scene.LOG, str(log))
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda tenant: scene.LoggedModel())
    with registry.isolated():
        scene.register()
        yield Arena(log)
