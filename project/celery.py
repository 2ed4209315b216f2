"""The demo site's Celery app, used when CELERY_BROKER_URL names a broker (Redis or RabbitMQ).

    celery -A project worker
    celery -A project beat

Without one, `manage.py falai_worker` does the same work.
"""

from __future__ import annotations

import os

from celery import Celery

from falai_django.parts import beat_schedule

__all__ = ["app"]

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
app = Celery("project")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Asked for when it is needed: the settings are still being read when this module is.
app.add_defaults(lambda: {"beat_schedule": beat_schedule()})
app.autodiscover_tasks()
