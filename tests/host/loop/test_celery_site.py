"""The demo site's Celery app knows our tasks and says them each second."""

from __future__ import annotations

import builtins
import importlib.util

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
def tasks_without_celery(monkeypatch):
    """The tasks module as it is where Celery is not installed: a copy, so that the real one stays as it is."""
    import_anything = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.partition(".")[0] == "celery":
            raise ImportError(name)
        return import_anything(name, *args, **kwargs)

    spec = importlib.util.spec_from_file_location("tasks_without_celery", tasks.__file__)
    plain = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "__import__", refuse)
        spec.loader.exec_module(plain)
    return plain


@pytest.mark.django_db
def test_without_celery_the_tasks_are_plain_functions(tasks_without_celery):
    """The extra is optional: a site that runs falai_worker installs no Celery, and nothing of ours fails to import."""
    assert tasks_without_celery.wakes() == 0
    assert not hasattr(tasks_without_celery.wakes, "delay")
