"""A stage with a published agent, for tests of the loop that take turns."""

from __future__ import annotations

import pytest

from falai_django import registry
from tests.host.runtime.stage import Stage, document

SAYS = {"id": "f", "on": [{"message": [], "repeat": "always"}], "steps": [{"id": "s", "kind": "say", "say": "Oi."}]}


@pytest.fixture
def stage(db, monkeypatch):
    """One whose only flow answers every message with a fixed text, without a model."""
    with registry.isolated():
        yield Stage(monkeypatch).publish(document(SAYS))
