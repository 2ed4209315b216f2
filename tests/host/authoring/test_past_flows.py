"""A flow that is called like one of a release that is gone shares no step with it: runs may still stand there."""

from __future__ import annotations

import json

import pytest

from falai_django import authoring
from falai_django.authoring import ImportMode, run_import
from falai_django.authoring.publishing import activate, preview, publish
from falai_django.documents import document_bytes, export_document, export_flow
from falai_django.errors import AuthoringError
from falai_django.models import Flow, Session, SessionRun, Step
from falai_django.roles import Actor
from tests.host.documents.stored import a_tenant, store
from tests.host.releases.published import offline, said

pytestmark = pytest.mark.django_db
BOSS = Actor.command("test")
SAY = {"kind": "say", "body": {"say": "Oi."}}


@pytest.fixture
def agent():
    tenant = a_tenant()
    offline(tenant)
    return store(said("Olá.", name="Lia"), tenant, "lia")


def add_steps(flow, count):
    return [authoring.create_part(BOSS, flow, Step, version=None, values=SAY).step_id for _ in range(count)]


@pytest.fixture
def gone(agent):
    """The released steps of a flow `promo` that was deleted, and its export."""
    flow = authoring.create_row(BOSS, agent, Flow, slug="promo")
    ids = add_steps(flow, 3)
    publish(BOSS, agent)
    exported = export_flow(flow)
    authoring.delete(BOSS, flow, version=None)
    return set(ids), exported


def made_again(agent, exported, how):
    """Another flow of that slug, by each way to make one."""
    if how == "create":
        flow = authoring.create_row(BOSS, agent, Flow, slug="promo")
        add_steps(flow, 2)
    elif how == "duplicate":
        original = authoring.create_row(BOSS, agent, Flow, slug="other")
        add_steps(original, 2)
        flow = authoring.duplicate_flow(BOSS, original, slug="promo")
        authoring.change(BOSS, flow, {"is_enabled": True}, version=None)
    else:
        flow = run_import(BOSS, agent, exported, mode=ImportMode.ADD_FLOW)
    return flow


@pytest.mark.parametrize("how", ["create", "duplicate", "import"])
def test_its_steps_have_other_ids(agent, gone, how):
    released, exported = gone
    session = Session.objects.create(agent=agent, session_id="s")
    SessionRun.objects.create(session=session, run_id="r", flow="promo", step="s2", status="waiting")
    flow = made_again(agent, exported, how)
    made = set(flow.steps.values_list("step_id", flat=True))
    assert made
    assert not made & released
    assert "s2" in [touched.place.rsplit(".", 1)[-1] for touched in preview(BOSS, agent).touched]
    assert add_steps(flow, 1)[0] not in made | released


def test_a_release_from_long_ago_counts(agent, gone):
    """It may serve again."""
    publish(BOSS, agent)
    activate(BOSS, agent, 1)
    activate(BOSS, agent, 2)
    assert not set(add_steps(authoring.create_row(BOSS, agent, Flow, slug="promo"), 3)) & gone[0]


def test_a_replacing_document_brings_its_ids_and_what_is_made_later_lies_above(agent, gone):
    document = json.loads(document_bytes(export_document(agent)))
    document["flows"].append({"id": "promo", "steps": [{"id": "s2", "kind": "say", "say": "Oi."}]})
    run_import(BOSS, agent, document, mode=ImportMode.REPLACE)
    flow = agent.flows.get(slug="promo")
    assert list(flow.steps.values_list("step_id", flat=True)) == ["s2"]
    assert add_steps(flow, 1)[0] not in gone[0]


def test_no_flow_is_renamed_to_it(agent, gone):
    """The ids of its steps are given already."""
    flow = authoring.create_row(BOSS, agent, Flow, slug="summer")
    with pytest.raises(AuthoringError, match="Choose another"):
        authoring.rename(BOSS, flow, "promo", version=None)
    assert authoring.rename(BOSS, flow, "prom", version=None).slug == "prom"


def test_other_agents_and_flows_begin_at_one(agent, gone):
    """Of another agent with the same slug, and of a slug that begins like it."""
    other = store(said("Olá.", name="Lia"), a_tenant("other"), "lia")
    for where, slug in ((other, "promo"), (agent, "promo2"), (agent, "pro_o")):
        assert add_steps(authoring.create_row(BOSS, where, Flow, slug=slug), 1) == ["s1"]
