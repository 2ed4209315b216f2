"""The demo's rows in a test's database, and the command as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.test import Client

from project.demo.setting_up import set_up

ROOT = Path(__file__).resolve().parents[3]
CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="session")
def kept():
    """The rows of the first set-up of a run, which the other tests begin with: importing takes its time."""
    return {}


@pytest.fixture
def demo(db, settings, kept):
    """Set up, with DEBUG on."""
    settings.DEBUG = True
    if not kept:
        kept["made"] = set_up()
        kept["rows"] = {model: list(model.objects.all()) for model in (get_user_model(), *_models())}
    else:
        for model, rows in kept["rows"].items():
            QuerySet(model).bulk_create(rows)
    return kept["made"]


def _models():
    return apps.get_app_config("falai").get_models()


class Visitor(Client):
    """Somebody at this machine with a browser."""

    def does(self, slug, what, **data):
        """An act on the conversation; where it stands then."""
        answer = self.post(f"/demo/{slug}/{what}", data)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def says(self, slug, text, **data):
        return self.does(slug, "say", text=text, **data)

    def sees(self, slug):
        return self.get(f"/demo/{slug}/state").json()


@pytest.fixture
def visitor(demo):
    return Visitor()


class Quickstart:
    """`manage.py quickstart` on a database of its own; `url` when it is ready."""

    def __init__(self, database, *arguments):
        environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{database}",
            "DJANGO_SETTINGS_MODULE": "project.settings",
            "DEBUG": "true",
            "PYTHONUNBUFFERED": "1",
        }
        for name in ("CELERY_BROKER_URL", "LANGUAGE_CODE", "SECRET_KEY"):
            environment.pop(name, None)
        self.lines = []
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "manage.py", "quickstart", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def ready(self):
        """Read what it prints until it has said all; its end before that is a failure."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if "make run ARGS=" in line:
                return self
        raise AssertionError("\n".join(self.lines))

    @property
    def url(self):
        line = next(line for line in self.lines if "/api/docs" in line)
        return line.split()[-1].removesuffix("/api/docs")

    def answers(self, path="/", seconds=30):
        """Ask until it answers, as whoever starts a server does."""
        end = time.monotonic() + seconds
        while True:
            try:
                return httpx.get(self.url + path, trust_env=False)
            except httpx.TransportError:
                assert time.monotonic() < end, "it does not answer"

    def stop(self, how=signal.SIGTERM):
        """Ask it to stop; all that it printed."""
        self.process.send_signal(how)
        with self.process.stdout as rest:
            self.lines += rest.read().splitlines()
        self.process.wait(timeout=60)
        return "\n".join(self.lines)


@pytest.fixture
def starting(tmp_path):
    """`starting(*arguments)`: the command, begun; those that still run at the end are killed."""
    begun = []

    def start(*arguments, database=tmp_path / "db.sqlite3"):
        begun.append(Quickstart(database, *arguments))
        return begun[-1]

    yield start
    for each in begun:
        each.process.kill()
        each.process.wait()
        each.process.stdout.close()
