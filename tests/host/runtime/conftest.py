"""A stage for tests of the runtime; each test has registrations of its own."""

from __future__ import annotations

import pytest

from falai_django import registry
from tests.host.runtime.flows import SAY
from tests.host.runtime.stage import Stage, document


@pytest.fixture
def stage(db, monkeypatch):
    with registry.isolated():
        yield Stage(monkeypatch)


@pytest.fixture
def transactional_stage(transactional_db, monkeypatch):
    """Without the transaction of a test case around it."""
    with registry.isolated():
        yield Stage(monkeypatch).publish(document(SAY))
