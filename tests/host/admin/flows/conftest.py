"""An agent to edit, and people at its pages."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from falai_django.models import Flow, Membership, Role
from tests.host.documents.stored import a_tenant, examples, store


@pytest.fixture
def tenant(db):
    return a_tenant()


@pytest.fixture
def agent(tenant):
    return store(examples()["booking"], tenant, "teo")


@pytest.fixture
def flow(agent):
    return Flow.objects.get(agent=agent)


@pytest.fixture
def member(tenant, enter):
    """`member(role)`: a browser of somebody of this role."""

    def make(role, name=""):
        user = User.objects.create_user(name or f"ana-{role}", is_staff=True)
        Membership.objects.create(user=user, tenant=tenant, role=role)
        return enter(user)

    return make


@pytest.fixture
def author(member):
    return member(Role.AUTHOR)
