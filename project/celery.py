"""The demo site's Celery app, used when CELERY_BROKER_URL names a broker (Redis or RabbitMQ).

    celery -A project worker
    celery -A project beat --schedule /tmp/falai-beat

Without one, `manage.py falai_worker` does the same work.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings
from django.utils.log import configure_logging

from falai_django.parts import beat_schedule

__all__ = ["app"]

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
app = Celery("project")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Asked for when it is needed: the settings are still being read when this module is.
app.add_defaults(lambda: {"beat_schedule": beat_schedule()})
app.autodiscover_tasks()


def _log_as_the_site_does(loglevel: int, **_more: Any) -> None:
    """Celery would give its loggers, and the root, handlers of its own; `--loglevel` still says how much it tells."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
    logging.getLogger("celery").setLevel(loglevel)


setup_logging.connect(_log_as_the_site_does)
