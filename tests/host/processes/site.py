"""The demo site's settings for processes of tests: with Celery, and with leases that are short enough to wait for."""

from __future__ import annotations

import os

from tests.django_settings import *  # noqa: F403 - all of them, but for what follows

FALAI_USE_CELERY = "CELERY_BROKER_URL" in os.environ
FALAI_WORKER_BUDGET_SECONDS = 2
FALAI_REQUEST_BUDGET_SECONDS = 2
FALAI_REQUESTS_PER_KEY = 0
FALAI_REQUESTS_PER_SESSION = 0
FALAI_LEASE_MARGIN_SECONDS = 1
FALAI_OUTBOX_LEASE_SECONDS = 8
FALAI_WEBHOOK_SECONDS = 3
FALAI_OUTGOING_ALLOW = os.environ.get("TEST_RECEIVER", "").split()
# Longer than any caller of a test is patient: who waits for a broker that hangs is found out.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 100}
