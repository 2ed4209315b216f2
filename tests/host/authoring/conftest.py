"""A tenant with an agent, and people who may do more or less."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from falai_django.models import Flow, Membership, Role
from falai_django.roles import Actor
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
def member(tenant):
    """`member(role)`: an actor with that role in the tenant."""

    def make(role):
        user = User.objects.create_user(f"ana-{role}")
        Membership.objects.create(user=user, tenant=tenant, role=role)
        return Actor.of_user(user)

    return make


@pytest.fixture
def author(member):
    return member(Role.AUTHOR)
