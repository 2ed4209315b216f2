"""A stage for tests of the runtime; each test has registrations of its own."""

from __future__ import annotations

import pytest

from falai_django import registry
from tests.host.runtime.stage import Stage


@pytest.fixture
def stage(db, monkeypatch):
    with registry.isolated():
        yield Stage(monkeypatch)
