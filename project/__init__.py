"""The demo site: a runnable Django project around falai_django."""

from __future__ import annotations

from importlib.util import find_spec

# Celery is an extra. Where it is there, its app must be known before anything asks it for a task.
if find_spec("celery") is not None:
    from project.celery import app as celery_app

    __all__ = ["celery_app"]
