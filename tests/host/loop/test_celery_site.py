"""The demo site's Celery app knows our tasks and says them each second."""

from __future__ import annotations

import builtins
import importlib
import sys

import pytest

from falai_django import tasks
from falai_django.parts import EVERY_SECONDS, beat_schedule, task_name
from project.celery import app


def test_it_knows_every_task():
    app.loader.import_default_modules()
    assert {task_name(part) for part in EVERY_SECONDS} <= set(app.tasks)


def test_it_says_every_part_on_time():
    assert app.conf.beat_schedule == beat_schedule()


@pytest.fixture
def no_celery(monkeypatch):
    """As if Celery was not installed; the tasks module is as it was afterwards."""
    import_anything = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.partition(".")[0] == "celery":
            raise ImportError(name)
        return import_anything(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.delitem(sys.modules, "celery")
    yield
    monkeypatch.undo()
    importlib.reload(tasks)


@pytest.mark.django_db
def test_without_celery_the_tasks_are_plain_functions(no_celery):
    """The extra is optional: a site that runs falai_worker installs no Celery, and nothing of ours fails to import."""
    plain = importlib.reload(tasks)
    assert plain.wakes() == 0
    assert not hasattr(plain.wakes, "delay")
