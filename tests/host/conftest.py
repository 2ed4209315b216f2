"""What holds for every test of the host."""

from __future__ import annotations

import pytest
from django.utils import translation


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
