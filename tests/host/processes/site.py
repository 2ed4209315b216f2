"""The demo site's settings for processes of tests: with Celery, and with leases that are short enough to wait for."""

from __future__ import annotations

import os

from tests.django_settings import *  # noqa: F403 - all of them, but for what follows

FALAI_USE_CELERY = "CELERY_BROKER_URL" in os.environ
FALAI_WORKER_BUDGET_SECONDS = 2
FALAI_LEASE_MARGIN_SECONDS = 1
FALAI_OUTBOX_LEASE_SECONDS = 8
FALAI_WEBHOOK_SECONDS = 3
FALAI_OUTGOING_ALLOW = os.environ.get("TEST_RECEIVER", "").split()
