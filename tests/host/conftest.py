"""What holds for every test of the host."""

from __future__ import annotations

import os

import pytest
from django.db import connections
from django.utils import translation

_CHROMIUM = "/usr/bin/chromium"
_DATABASE = {"db", "transactional_db"}


def pytest_collection_modifyitems(config, items):
    """With ONLY_DATABASE set, what asks no database is left out: it is the same on each."""
    if os.environ.get("ONLY_DATABASE"):
        asks = [item.get_closest_marker("django_db") or _DATABASE & set(item.fixturenames) for item in items]
        config.hook.pytest_deselected(items=[item for item, asked in zip(items, asks, strict=True) if not asked])
        items[:] = [item for item, asked in zip(items, asks, strict=True) if asked]


@pytest.fixture(autouse=True)
def _empty_shelf():
    """No test takes an agent that another compiled: rows of one that was rolled back lend their keys to the next."""
    from falai_django.releases import forget_compiled  # noqa: PLC0415 - Django is set up by then

    forget_compiled()


@pytest.fixture(autouse=True)
def _english():
    """No test speaks the language of another's request, which Django leaves switched on in the thread."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def _no_open_connections():
    """What the process keeps open to other sites, here to a test's own server, ends with the test."""
    yield
    from falai_django.outgoing.network import close_connections  # noqa: PLC0415 - as above

    close_connections()


@pytest.fixture(scope="session")
def chromium():
    """One for all: a process has one Playwright."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only who runs these tests needs it

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def _one_connection(monkeypatch):
    """No request closes the connection that holds the transaction of the test. Django's own client sees to that."""
    for connection in connections.all():
        monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)
