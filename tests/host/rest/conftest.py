"""A stage with programs that call the API; each test counts its requests anew."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from falai_django import registry
from falai_django.readiness import forget_readiness
from tests.host.rest.callers import Program
from tests.host.runtime.flows import SAY
from tests.host.runtime.stage import Stage, document


@pytest.fixture(autouse=True)
def _new_counts():
    cache.clear()
    forget_readiness()


@pytest.fixture
def stage(db, monkeypatch):
    with registry.isolated():
        yield Stage(monkeypatch).publish(document(SAY))


@pytest.fixture
def program(stage):
    return Program(stage.tenant)


@pytest.fixture
def transactional_stage(transactional_db, monkeypatch):
    """Without the transaction of a test case around it: threads see it."""
    with registry.isolated():
        yield Stage(monkeypatch).publish(document(SAY))
