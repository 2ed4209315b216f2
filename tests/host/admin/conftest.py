"""Two tenants full of rows, and people of the first at the admin's doors."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.host.worlds import make_world


@pytest.fixture(autouse=True)
def _settings(settings):
    settings.FALAI_BASE_URL = "https://example.com"
    settings.FALAI_ENCRYPTION_KEYS = ("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",)


@pytest.fixture
def alpha(db):
    return make_world("Alphaword")


@pytest.fixture
def beta(db):
    return make_world("Betaword")


@pytest.fixture
def enter():
    """`enter(user)`: a browser in which the user has logged in."""

    def entered(user):
        client = Client()
        client.force_login(user)
        return client

    return entered
