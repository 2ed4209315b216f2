"""Before another release serves, it is told how many live runs notice."""

from __future__ import annotations

import pytest

from falai_django.authoring.publishing import preview, publish
from falai_django.authoring.touched_runs import touched_runs
from falai_django.models import Agent, Role, Session, SessionRun, Step
from tests.host.documents.stored import a_tenant, store
from tests.host.links.owners import actor_in
from tests.host.releases.published import offline

pytestmark = pytest.mark.django_db


def flow(name, *steps, **more):
    return {"id": name, "name": name.title(), "steps": list(steps), **more}


def say(step_id, text="Oi.", **more):
    return {"id": step_id, "kind": "say", "say": text, **more}


def document(*flows, **fields):
    return {"fields": {slug: {"type": type_, "label": slug.title()} for slug, type_ in fields.items()}, "flows": flows}


@pytest.fixture
def agent():
    return Agent.objects.create(tenant=a_tenant(), slug="lia", name="Lia")


def runs(agent, *places):
    """A conversation with a live run at each of these places."""
    for number, (flow_id, step) in enumerate(places):
        session = Session.objects.create(agent=agent, session_id=f"s{Session.objects.count()}")
        SessionRun.objects.create(session=session, run_id=f"r{number}", flow=flow_id, step=step, status="waiting")


def told(agent, before, after):
    return [(each.place, each.count, each.sentence) for each in touched_runs(agent, before, after)]


def test_a_flow_that_disappears_ends_its_runs(agent):
    runs(agent, ("sale", "a"), ("sale", ""), ("other", "a"))
    before = document(flow("sale", say("a")), flow("other", say("a")))
    ((place, count, sentence),) = told(agent, before, document(flow("other", say("a"))))
    assert (place, count) == ("flows.sale", 2)
    assert sentence == "2 live runs of flow “Sale” end with their next turn: the flow is not there any more."


def test_a_step_that_disappears_ends_the_runs_on_it(agent):
    runs(agent, ("sale", "a"), ("sale", "b"), ("sale", ""))
    before = document(flow("sale", say("a"), say("b", label="Bye")))
    ((place, count, sentence),) = told(agent, before, document(flow("sale", say("a"))))
    assert (place, count) == ("flows.sale.steps.b", 1)
    assert sentence == "1 live run of flow “Sale” stands on step “Bye”, which is not there any more: it ends."


@pytest.mark.parametrize(
    "user",
    [
        flow("sale", {"id": "a", "kind": "collect", "collect": ["age"]}),
        flow("sale", say("a"), collect=["age"]),
        flow("sale", say("a", "You are {{ data.age }}.")),
        flow("sale", {"id": "a", "kind": "if", "if": {"equals": {"age": 3}}}),
        flow("sale", {"id": "a", "kind": "say", "say": "x", "then": {"step": "a", "clear": ["age"]}}),
    ],
    ids=["collect", "flow", "text", "condition", "clear"],
)
def test_a_field_of_another_type_touches_the_runs_of_flows_that_use_it(agent, user):
    runs(agent, ("sale", "a"), ("sale", "a"), ("other", "a"))
    before, after = (document(user, flow("other", say("a")), age=type_) for type_ in ("string", "number"))
    ((place, count, sentence),) = told(agent, before, after)
    assert (place, count) == ("fields.age", 2)
    assert "field “Age”, whose type changes" in sentence


def test_what_nobody_notices_is_not_told(agent):
    runs(agent, ("sale", "a"))
    before = document(flow("sale", say("a"), say("b")), flow("idle", say("a")), age="string", name="string")
    after = document(flow("sale", say("a", "Olá.")), age="number", name="string", new="string")
    assert told(agent, before, after) == []


def test_before_a_first_release_nothing_is_touched(agent, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert told(agent, None, document(flow("sale", say("a")))) == []


def test_runs_of_another_agent_do_not_count(agent):
    other = Agent.objects.create(tenant=agent.tenant, slug="other", name="Other")
    runs(other, ("sale", "a"))
    assert told(agent, document(flow("sale", say("a"))), document()) == []


def test_one_query_however_many_runs_there_are(agent, django_assert_num_queries):
    runs(agent, *[("sale", f"s{number}") for number in range(20)])
    with django_assert_num_queries(1):
        assert len(told(agent, document(flow("sale")), document(flow("sale", say("a"))))) == 20


def test_publishing_tells_them_before_and_after():
    tenant = a_tenant()
    offline(tenant)
    publisher = actor_in(tenant, Role.PUBLISHER)
    agent = store({**document(flow("sale", say("a"), say("b"))), "idle": "silent"}, tenant)
    publish(publisher, agent)
    runs(agent, ("sale", "b"))
    Step.objects.get(step_id="b").delete()
    assert [each.place for each in preview(publisher, agent).touched] == ["flows.sale.steps.b"]
    assert [each.place for each in publish(publisher, agent).touched] == ["flows.sale.steps.b"]
