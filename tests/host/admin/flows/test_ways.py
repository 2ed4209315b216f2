"""From an agent to what it is made of and back, by links that the person's role may follow."""

from __future__ import annotations

import pytest

from falai_django.models import Agent, Field, Flow, Role, Step
from tests.host.admin.doors import url_of
from tests.host.admin.flows.editing import address, told
from tests.host.admin.posting import inputs_of, post_of


def ways(client, row):
    """Address -> what the link says."""
    return {url: str(title) for title, url in client.get(address(row)).context["ways"]}


@pytest.fixture
def other(tenant, agent):
    """A second agent, so that the first is no longer the only choice."""
    return Agent.objects.create(tenant=tenant, slug="zwei", name="Zwei")


def test_an_agent_leads_to_its_flows_and_fields_and_to_more_of_them(author, agent, other):
    assert ways(author, other) == {
        f"{url_of('flow', 'changelist')}?agent={other.pk}": "Flows",
        f"{url_of('field', 'changelist')}?agent={other.pk}": "Fields",
        f"{url_of('flow', 'add')}?agent={other.pk}": "Add flow",
        f"{url_of('field', 'add')}?agent={other.pk}": "Add field",
    }
    for url in ways(author, agent):
        page = author.get(url)
        assert page.status_code == 200
        if "/add/" in url:
            assert {"name", "label"} & {*inputs_of(page)}
        else:
            assert {row.agent for row in page.context["cl"].result_list} == {agent}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_only_look_is_offered_nothing_to_add(member, agent, flow, role):
    reader = member(role)
    assert list(ways(reader, agent).values()) == ["Flows", "Fields"]
    assert list(ways(reader, flow).values()) == [str(agent), "Check"]


@pytest.mark.parametrize("model", [Flow, Field, Step])
def test_what_lies_in_an_agent_leads_back_to_it_and_to_what_comes_next(member, agent, model):
    row = model.objects.filter(**{"flow__agent" if model is Step else "agent": agent}).first()
    found = ways(member(Role.PUBLISHER), row)
    assert found == {
        address(agent): str(agent),
        address(agent, "check"): "Check",
        address(agent, "publish"): "Publish",
    }


def test_a_page_without_a_row_leads_nowhere(author, agent):
    page = author.get(url_of("flow", "add"))
    assert page.context["ways"] == []
    assert "falai-nearby" not in page.content.decode()


def test_a_new_agent_opens_and_says_what_comes_next(author, agent):
    url = url_of("agent", "add")
    page = author.post(url, post_of(author.get(url), ("name", "Sol")), follow=True)
    assert page.redirect_chain[-1][0] == address(Agent.objects.get(name="Sol"))
    assert "What comes next: add its fields and its flows, then check and publish it." in told(page)


def test_who_saves_a_field_or_a_flow_stays_at_its_agent(author, agent, flow, other):
    url = f"{url_of('field', 'add')}?agent={other.pk}"
    assert author.post(url, post_of(author.get(url), ("label", "CNPJ"))).url == (
        f"{url_of('field', 'changelist')}?agent={other.pk}"
    )
    for row in (flow, Field.objects.filter(agent=agent).first()):
        saved = author.post(address(row), post_of(author.get(address(row))))
        assert saved.url == f"{url_of(row._meta.model_name, 'changelist')}?agent={agent.pk}"


@pytest.mark.parametrize("name", ["flow", "field"])
def test_the_slug_of_a_new_row_is_labelled_as_elsewhere(author, agent, name):
    """With a capital, as on the page of an agent."""
    assert ">Slug:</label>" in author.get(url_of(name, "add")).content.decode()


def test_who_came_from_a_filtered_list_goes_back_there(author, flow):
    url = f"{address(flow)}?_changelist_filters=is_enabled__exact%3D1"
    assert author.post(url, post_of(author.get(url))).url == f"{url_of('flow', 'changelist')}?is_enabled__exact=1"
