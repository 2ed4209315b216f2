"""Times are the database's, whatever the clock of a worker says (spec: host.md section 3; README, if two meet)."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import DateTimeField
from django.utils import timezone

import falai_django
from falai_django import registry
from falai_django.conversations.people import write
from falai_django.databases import Now
from falai_django.inbox import event
from falai_django.loop import tick
from falai_django.models import Message, Receipt, Sender, Session, Turn, Wake
from falai_django.roles import Actor
from falai_django.rows import rows
from tests.host.runtime.flows import ACTIONS, EVENTS, NUDGE, acting
from tests.host.runtime.stage import document

SOURCE = Path(falai_django.__file__).parent
AHEAD = timedelta(hours=1)


class Ahead(datetime):
    """A clock that is an hour ahead."""

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + AHEAD


@pytest.fixture
def ahead(stage, monkeypatch):
    """A worker whose clock is an hour ahead of the database's; its agent acts, waits and sends."""
    told = []
    registry.action("act", parameters={})(lambda params, call: None)
    registry.sender("test")(told.append)
    sender = Sender.objects.create(tenant=stage.tenant, name="out", kind="python", python_name="test")
    stage.set_agent(sender=sender, deliver="sender").publish(document(NUDGE, acting(), actions=ACTIONS, events=EVENTS))
    real = time.time
    monkeypatch.setattr("django.utils.timezone.datetime", Ahead)
    monkeypatch.setattr(time, "time", lambda: real() + AHEAD.total_seconds())
    assert timezone.now() > datetime.now(UTC) + AHEAD / 2
    stage.sent = told
    return stage


def _times():
    """Every time that a runtime row holds, but for those that are to come."""
    to_come = {"due", "waiting_until", "expires_at", "silenced_until", "lease_until"}
    for model in (Session, Turn, Message, Wake, Receipt):
        names = [
            each.name
            for each in model._meta.concrete_fields
            if isinstance(each, DateTimeField) and each.name not in to_come
        ]
        for row in model.objects.values_list(*names):
            yield from ((f"{model.__name__}.{name}", at) for name, at in zip(names, row, strict=True) if at is not None)


def test_a_worker_whose_clock_is_an_hour_ahead_writes_no_time_of_its_own(ahead):
    """Message, action, wait, a person's message: nothing in the database lies ahead of it, and the wait is an hour."""
    began = datetime.now(UTC)
    ahead.says("oi")
    ahead.takes(event("go"), "other")
    tick()
    write(Actor.command("test"), ahead.session("other"), "Sou a Bia.", send=True)
    tick()
    late = {name for name, at in _times() if not began - timedelta(seconds=5) < at < began + AHEAD / 2}
    assert late == set()
    (due,) = ahead.wakes().values()
    assert timedelta(minutes=59) < due - began < timedelta(minutes=61)
    assert sorted(message.text for message in ahead.sent) == ["Feito.", "Oi!", "Sou a Bia."]
    assert Receipt.objects.get().started_at <= Receipt.objects.get().done_at


def test_it_runs_no_wake_before_its_time(ahead):
    """What is due in half an hour is due for none."""
    ahead.answers("oi")
    Wake.objects.update(due=datetime.now(UTC) + AHEAD / 2)
    assert tick().done["wakes"] == 0
    assert len(ahead.wakes()) == 1


def test_nobody_asks_for_the_time_by_djangos_function():
    """On SQLite it has fewer digits than a stored time: as texts, a time of the same millisecond lies after it."""
    wanted = re.compile(r"^from django\.db\.models\.functions import .*\bNow\b", re.MULTILINE)
    found = [path for path in SOURCE.rglob("*.py") if wanted.search(path.read_text(encoding="utf-8"))]
    assert [path.name for path in found] == ["databases.py"]


def test_the_time_of_a_statement_has_the_digits_of_a_stored_time(stage):
    """A row that was written with it is due by it at once."""
    stage.publish().says("oi")
    rows(Session).update(due=Now())
    assert rows(Session).filter(due__lte=Now()).count() == 1
    assert rows(Session).annotate(now=Now()).get().now >= stage.session().due
