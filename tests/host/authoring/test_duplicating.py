"""Copies say the same, under names and ids of their own."""

from __future__ import annotations

import pytest

from falai_django import authoring
from falai_django.documents import draft_document
from falai_django.errors import AuthoringError, StaleEditError
from falai_django.models import Agent, Condition, Event, Field, Flow, Release, Step, Trigger
from falai_engine.validation import validate_agent_all
from tests.host.documents.stored import examples, store


def test_a_copy_of_a_field_stands_behind_it(author, agent):
    """With a free slug, and a label that says what it is; what a release uses is the original."""
    Field.objects.filter(slug="nome").update(is_released=True, is_sensitive=True)
    copy = authoring.duplicate(author, Field.objects.get(slug="nome"))
    assert (copy.slug, copy.label, copy.is_released, copy.is_sensitive) == ("nome_2", "Nome (copy)", False, True)
    slugs = list(Field.objects.filter(agent=agent).order_by("position").values_list("slug", flat=True))
    assert slugs == ["nome", "nome_2", "queixa", "dia", "horario"]
    assert authoring.duplicate(author, copy, slug="outro").slug == "outro"
    with pytest.raises(AuthoringError):
        authoring.duplicate(author, copy, slug="nome")


def test_a_copy_of_each_registry(author, agent):
    for model in (Condition, Event):
        row = authoring.create_row(author, agent, model, slug="x", values={"body": {"description": "d"}})
        copy = authoring.duplicate(author, row)
        assert (copy.slug, copy.body) == ("x_2", {"description": "d"})


def test_a_copy_of_a_step_leads_to_itself_where_the_original_does(author, flow):
    """And elsewhere as the original; the flow's token is raised."""
    body = {"collect": ["nome"], "then": "marcado"}
    step = authoring.create_part(author, flow, Step, version=None, values={"kind": "collect", "body": body}, position=1)
    branches = [{"when": "não entendi", "then": {"step": step.step_id, "clear": ["nome"]}}]
    step = authoring.change(author, step, {"body": {**body, "branches": branches}}, version=None)
    copy = authoring.duplicate(author, step, version=step.flow.version)
    assert copy.step_id == "s2"
    assert copy.body["branches"][0]["then"]["step"] == "s2"
    assert copy.body["then"] == "marcado"
    ids = list(flow.steps.order_by("position").values_list("step_id", flat=True))
    assert ids[1:3] == [step.step_id, "s2"]
    with pytest.raises(StaleEditError):
        authoring.duplicate(author, step, version=step.flow.version)


def test_a_copy_of_a_trigger(author, flow):
    copy = authoring.duplicate(author, flow.triggers.get(), version=flow.version)
    assert copy.body == flow.triggers.first().body
    assert Flow.objects.get().version == flow.version + 1


@pytest.mark.parametrize("name", examples())
def test_a_copy_of_a_flow_works_as_its_original(author, tenant, name):
    """Off at first, with step ids of its own; chains to itself lead to the copy, others where they led."""
    agent = store(examples()[name], tenant, name)
    for flow in list(Flow.objects.filter(agent=agent)):
        copy = authoring.duplicate_flow(author, flow)
        assert (copy.is_enabled, copy.slug) == (False, f"{flow.slug}_2")
        assert list(copy.steps.order_by("position").values_list("step_id", flat=True)) == [
            f"s{number + 1}" for number in range(flow.steps.count())
        ]
        assert copy.next_step == flow.steps.count() + 1
    Flow.objects.filter(agent=agent).update(is_enabled=True)
    document = draft_document(agent).document
    errors = [each for each in validate_agent_all(document) if each.severity == "error"]
    assert errors == []
    own = {flow["id"]: flow for flow in document["flows"]}
    for slug, flow in own.items():
        if slug.endswith("_2"):
            original = own[slug.removesuffix("_2")]
            assert [step["kind"] for step in flow["steps"]] == [step["kind"] for step in original["steps"]]


def test_a_target_that_led_nowhere_does_not_lead_somewhere_by_accident(author, agent):
    """An unfinished flow whose dangling target has the name that a step gets in the copy."""
    flow = authoring.create_row(author, agent, Flow, slug="a")
    Step.objects.create(flow=flow, step_id="x", kind="say", body={"say": "x", "then": "s1"})
    copy = authoring.duplicate_flow(author, flow)
    step = copy.steps.get()
    assert step.step_id == "s1"
    assert step.body["then"] == "s1_gone"


def test_a_copy_of_an_agent(author, agent, flow):
    """The whole draft and its settings, no release, no conversation; the original is as it was."""
    off = authoring.create_row(author, agent, Flow, slug="off", values={"is_enabled": False})
    release = Release.objects.create(agent=agent, number=1, document={}, spec_version=1, digest="d")
    Agent.objects.filter(pk=agent.pk).update(active_release=None, trouble="model", gather_ms=900)
    agent.refresh_from_db()
    agent.active_release, agent.is_released = release, True
    agent.save()
    Trigger.objects.update(label="Início")
    before = draft_document(agent).document
    copy = authoring.duplicate_agent(author, agent)
    copy = Agent.objects.get(pk=copy.pk)
    assert (copy.slug, copy.name, copy.gather_ms, copy.trouble) == ("teo_2", "Téo (copy)", 900, "")
    assert (copy.active_release, copy.is_released, copy.version) == (None, False, 1)
    assert Flow.objects.get(agent=copy, slug=off.slug).is_enabled is False
    assert Trigger.objects.get(flow__agent=copy).label == "Início"
    document = draft_document(copy).document
    assert [each.code for each in validate_agent_all(document)] == [each.code for each in validate_agent_all(before)]
    assert document["fields"] == before["fields"]
    assert draft_document(agent).document == before
