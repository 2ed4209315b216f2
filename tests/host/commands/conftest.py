"""A tenant with an agent, and commands called like from a shell."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from tests.host.documents.stored import a_tenant, store
from tests.host.releases.published import offline, said


@pytest.fixture
def tenant(db):
    tenant = a_tenant("acme")
    offline(tenant)
    return tenant


@pytest.fixture
def agent(tenant):
    return store(said("Olá.", name="Lia"), tenant, "lia")


@pytest.fixture
def run():
    """`run(command, *args)`: what it prints."""

    def call(*args):
        out = StringIO()
        call_command(*args, stdout=out)
        return out.getvalue()

    return call
