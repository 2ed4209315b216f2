"""The lists: found by words, filtered by agent, ordered, switched, by as many queries however long they are."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from falai_django.admin.ordering import moved
from falai_django.models import Agent, Field, Flow, Step
from tests.host.admin.doors import url_of
from tests.host.admin.flows.editing import BODIES, document_of, told
from tests.host.documents.stored import examples, store

NAMES = [model._meta.model_name for model in BODIES]


def listed(client, name, **query):
    response = client.get(url_of(name, "changelist"), query)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def act(client, name, action, rows):
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(url_of(name, "changelist"), data, follow=True)


@pytest.fixture
def many(tenant):
    """Several agents with all kinds of rows."""
    return [store(document, tenant, f"{name}-{turn}") for turn in range(2) for name, document in examples().items()]


@pytest.mark.parametrize("name", NAMES)
def test_a_list_costs_as_many_queries_however_long_it_is(author, agent, tenant, name):
    counts = []
    for turn in range(3):
        for number in range(turn):
            store(examples()["triage"], tenant, f"a{turn}-{number}")
        with CaptureQueriesContext(connection) as caught:
            listed(author, name)
        counts.append(len(caught))
    assert counts[1] == counts[2]
    assert counts[2] < 15


@pytest.mark.parametrize("name", NAMES)
def test_a_list_is_filtered_by_agent(author, many, name):
    agent = many[0]
    found = listed(author, name, agent=agent.pk)
    assert {getattr(row, "flow", row).agent for row in found} <= {agent}
    assert len(found) <= len(listed(author, name))


def test_filters_by_column_still_work(author, many):
    assert {row.kind for row in listed(author, "step", kind__exact="do")} == {"do"}
    assert {row.is_enabled for row in listed(author, "flow", is_enabled__exact="1")} == {True}


def test_agents_in_trouble_are_filtered(author, agent, tenant):
    Agent.objects.create(tenant=tenant, slug="ill", trouble="model")
    assert {row.slug for row in listed(author, "agent", trouble__isempty="0")} == {"ill"}


def test_rows_are_found_by_what_they_are_called(author, many):
    assert {row.slug for row in listed(author, "flow", q="triagem")} == {"triagem"}
    assert {row.slug for row in listed(author, "field", q="nome")} >= {"nome"}
    found = listed(author, "step", q="acolher")
    assert found
    assert all("acolher" in f"{row.label} {row.step_id}".lower() for row in found)


def test_the_list_of_one_agent_counts_the_problems_of_its_flows(author, agent, flow):
    Step.objects.filter(flow=flow, step_id="acolher").update(body={})
    html = author.get(url_of("flow", "changelist"), {"agent": agent.pk}).content.decode()
    assert "column-problem_count" in html
    assert "field-problem_count" in html
    assert '<td class="field-problem_count">–</td>' not in html


def test_flows_are_switched_in_the_list(author, agent, flow):
    response = act(author, "flow", "disable", [flow])
    assert not Flow.objects.get(pk=flow.pk).is_enabled
    assert told(response)
    act(author, "flow", "enable", [flow])
    assert Flow.objects.get(pk=flow.pk).is_enabled


def test_flows_are_copied_in_the_list(author, agent, flow):
    act(author, "flow", "copy_them", [flow])
    assert Flow.objects.filter(agent=agent).count() == 2


def test_rows_move_in_the_list_of_their_agent(author, agent):
    """Chosen rows move as a block; the document follows."""
    slugs = list(agent.fields.order_by("position").values_list("slug", flat=True))
    last_two = list(Field.objects.filter(agent=agent, slug__in=slugs[-2:]))
    before = document_of(agent)
    act(author, "field", "move_up", last_two)
    order = list(agent.fields.order_by("position").values_list("slug", flat=True))
    assert order == [*slugs[:-3], *slugs[-2:], slugs[-3]]
    assert document_of(agent) != before
    act(author, "field", "move_down", last_two)
    assert list(agent.fields.order_by("position").values_list("slug", flat=True)) == slugs
    assert document_of(agent) == before


@given(keys=st.lists(st.integers(0, 30), unique=True), chosen=st.sets(st.integers(0, 30)), by=st.sampled_from([-1, 1]))
def test_a_move_keeps_every_row_and_the_order_of_those_that_move_and_of_those_that_stay(keys, chosen, by):
    order = moved(keys, chosen, by)
    assert sorted(order) == sorted(keys)
    for kept in (True, False):
        assert [key for key in order if (key in chosen) is kept] == [key for key in keys if (key in chosen) is kept]
    steps = {key: order.index(key) - keys.index(key) for key in keys if key in chosen}
    assert set(steps.values()) <= {0, by}


def test_one_agent_only_is_no_question(author, agent):
    """A new field begins at once; with two agents the page asks first."""
    assert "label" in author.get(url_of("field", "add")).content.decode()
    Agent.objects.create(tenant=agent.tenant, slug="zwei")
    assert "Go on" in author.get(url_of("field", "add")).content.decode()
