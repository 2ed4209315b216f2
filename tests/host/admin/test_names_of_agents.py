"""Agents of two tenants may have one name: who sees both is told which is whose, where one is chosen."""

from __future__ import annotations

import pytest

from falai_django.models import Agent, Membership, Role
from tests.host.admin.doors import url_of

pytestmark = pytest.mark.django_db

LISTS = ["flow", "field", "step", "turn"]


@pytest.fixture
def ana(alpha):
    """Works for the first tenant; her agents all have one name."""
    Agent.objects.update(name="Nina")
    return alpha.user(Role.AUTHOR)


def join(user, world, role):
    Agent.objects.update(name="Nina")
    Membership.objects.create(user=user, tenant=world.tenant, role=role)


def offered(client, name):
    """What the filter by agent of a list says."""
    specs = client.get(url_of(name, "changelist")).context["cl"].filter_specs
    return [
        words for spec in specs if getattr(spec, "parameter_name", "") == "agent" for _key, words in spec.lookup_choices
    ]


def asked(client, name, field):
    """What the page that asks where to add says, without the empty choice."""
    return [str(words) for _key, words in client.get(url_of(name, "add")).context["form"].fields[field].choices][1:]


@pytest.mark.parametrize("name", LISTS)
def test_who_sees_one_tenant_reads_names_alone(ana, beta, enter, name):
    assert offered(enter(ana), name) == ["Nina", "Nina"]


@pytest.mark.parametrize("name", LISTS)
def test_a_filter_tells_the_tenants_of_who_sees_several(ana, beta, enter, name):
    join(ana, beta, Role.VIEWER)
    told = ["Nina (Alphaword company)"] * 2 + ["Nina (Betaword company)"] * 2
    assert sorted(offered(enter(ana), name)) == told


@pytest.mark.parametrize("name", ["flow", "field"])
def test_what_is_added_is_put_into_an_agent_told_with_its_tenant(ana, beta, enter, name):
    assert asked(enter(ana), name, "agent") == ["Nina", "Nina"]
    join(ana, beta, Role.VIEWER)
    # Only where she may edit, as before.
    assert asked(enter(ana), name, "agent") == ["Nina (Alphaword company)"] * 2
    Membership.objects.filter(user=ana).update(role=Role.AUTHOR)
    assert len({*asked(enter(ana), name, "agent")}) == 2


def test_a_flow_to_add_to_is_told_with_its_agent_and_tenant(ana, alpha, beta, enter):
    flow = str(alpha.flow)
    assert f"Nina: {flow}" in asked(enter(ana), "step", "flow")
    join(ana, beta, Role.AUTHOR)
    assert {f"Nina (Alphaword company): {flow}", f"Nina (Betaword company): {beta.flow}"} <= {
        *asked(enter(ana), "step", "flow")
    }
