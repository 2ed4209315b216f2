"""A Chromium, and people who are logged in there."""

from __future__ import annotations

import os

import pytest
from django.conf import settings as django_settings
from django.test import Client

# Playwright's own loop runs in the thread of the tests; nothing of Django's is asynchronous here.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture
def open_browser(chromium, live_server):
    """`open_browser(user, locale="pt-BR", width=390)`: an empty page of a browser in which the user has logged in."""
    opened = []

    def open_for(user, *, locale="en", width=1280, height=900, **options):
        client = Client()
        client.force_login(user)
        context = chromium.new_context(
            base_url=live_server.url, locale=locale, viewport={"width": width, "height": height}, **options
        )
        cookie = client.cookies[django_settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": django_settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
        opened.append(context)
        return context.new_page()

    yield open_for
    for context in opened:
        context.close()
