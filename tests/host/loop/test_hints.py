"""Commits tell Celery's workers that there is work; whatever the broker does, no request notices."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading

import pytest
from django.db import transaction

from falai_django.hints import hint
from falai_django.hints import messenger as of_the_process
from falai_django.messenger import Messenger
from falai_django.parts import EVERY_SECONDS, beat_schedule, every_seconds, task_name


class Line:
    """A broker as a messenger sees it: what was said, and what it raises."""

    def __init__(self):
        self.said, self.rested, self.started, self.error = [], [], [], None

    def send(self, name):
        if self.error:
            raise self.error
        self.said.append(name)


@pytest.fixture
def line():
    return Line()


@pytest.fixture
def messenger(line):
    """One that runs nothing beside the test, which delivers itself."""
    return Messenger(line.send, line.rested.append, line.started.append)


@pytest.fixture
def told(monkeypatch):
    """What `hint` hands to the process's messenger."""
    names = []
    monkeypatch.setattr(of_the_process, "tell", names.append)
    return names


@pytest.mark.django_db
def test_a_hint_is_given_when_the_transaction_commits(settings, told, django_capture_on_commit_callbacks):
    """Earlier, a worker would look before there is something to see."""
    settings.FALAI_USE_CELERY = True
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        hint("outbox")
        assert told == []
    assert told == ["falai.outbox"]


@pytest.mark.django_db
def test_what_is_undone_gives_no_hint(settings, told, django_capture_on_commit_callbacks):
    settings.FALAI_USE_CELERY = True
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        hint("outbox")
        transaction.set_rollback(True)
    assert told == []


@pytest.mark.django_db
def test_without_celery_a_hint_does_nothing(told, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        hint("outbox")
    assert told == []


def test_many_hints_of_a_part_are_said_once(line, messenger):
    """A thousand commits a second are no thousand tasks."""
    for name in ("falai.outbox", "falai.sessions", "falai.outbox"):
        messenger.tell(name)
    messenger.deliver()
    messenger.deliver()
    assert line.said == ["falai.outbox", "falai.sessions"]


def test_a_broker_that_is_down_is_left_alone_for_a_while_and_logged_once_a_minute(line, messenger, caplog):
    line.error = ConnectionError("nobody at redis://:password@broker")
    with caplog.at_level(logging.WARNING, "falai"):
        for _ in range(3):
            messenger.tell("falai.outbox")
            messenger.deliver()
    assert line.rested == [10.0, 10.0, 10.0]
    (line_told,) = caplog.messages
    assert line_told.startswith("hint.failed error=ConnectionError at=")
    assert "password" not in line_told
    line.error = None
    messenger.tell("falai.outbox")
    messenger.deliver()
    assert line.said == ["falai.outbox"]


def test_the_caller_does_not_wait_for_the_broker(line):
    """Saying it hangs until the test lets it go; telling comes back at once all the same."""
    begun, let_go = threading.Event(), threading.Event()

    def hang(name):
        begun.set()
        let_go.wait(10)
        line.said.append(name)

    messenger = Messenger(hang)
    messenger.tell("falai.outbox")
    assert begun.wait(10)
    messenger.tell("falai.sessions")
    assert line.said == []
    let_go.set()


def test_the_thread_is_begun_by_the_first_hint_and_anew_in_a_forked_process(line, messenger):
    """A thread does not survive a fork: without a new one, no worker of a pre-forking server would ever hint."""
    assert line.started == []
    messenger.tell("falai.outbox")
    messenger.tell("falai.outbox")
    assert len(line.started) == 1
    messenger.forget()
    messenger.tell("falai.outbox")
    assert len(line.started) == 2


def test_beat_says_each_part_with_an_expiry():
    schedule = beat_schedule()
    assert set(schedule) == {task_name(part) for part in EVERY_SECONDS}
    for part in EVERY_SECONDS:
        entry = schedule[task_name(part)]
        assert entry["task"] == f"falai.{part}"
        assert entry["schedule"] == every_seconds(part)
        assert entry["options"]["expires"] >= entry["schedule"]
    assert schedule["falai.wakes"]["schedule"] == 1.0


def test_a_site_s_celery_app_can_ask_for_the_schedule_before_django_is_set_up():
    """It does so while Django reads the settings: nothing of ours may need the models by then."""
    code = "from falai_django.parts import beat_schedule; print(len(beat_schedule()))"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.django_settings"}
    done = subprocess.run(  # noqa: S603 - our own line
        [sys.executable, "-c", code], env=environment, check=True, timeout=60, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(len(EVERY_SECONDS))
