"""An export holds all of an agent but its secrets, and an import reads all of it."""

from __future__ import annotations

import json

import pytest

from falai_django.documents import document_bytes, draft_document, export_document, export_flow, flow_rows_of, rows_of
from falai_django.errors import DocumentError
from falai_django.models import Action, Field, Flow, ModelProvider, Secret, Sender, Trigger
from falai_engine.validation import validate_agent_all
from tests.host.documents.stored import a_tenant, examples, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent():
    tenant = a_tenant()
    agent = store(examples()["triage"], tenant, "triagem")
    secret = Secret.objects.create(tenant=tenant, name="crm", ciphertext="gAAAA-cipher", allowed_hosts=["example.com"])
    ModelProvider.objects.create(tenant=tenant, kind="openai", model="some-model", secret=secret)
    agent.sender = Sender.objects.create(tenant=tenant, name="zap", kind="webhook", url="https://hook.example.com")
    agent.gather_ms, agent.is_active, agent.apology, agent.close_after_days = 1500, False, "Desculpe!", 30
    agent.save()
    request = {"method": "POST", "url": "https://example.com", "secrets": {"crm": {"in": "header", "as": "X"}}}
    Action.objects.create(agent=agent, slug="call", kind="http", body={"request": request}, position=50)
    Flow.objects.create(agent=agent, slug="off", is_enabled=False, position=0, head={"onEnd": "stay"})
    Field.objects.filter(agent=agent, slug=agent.fields.first().slug).update(is_sensitive=True)
    Trigger.objects.filter(pk=Trigger.objects.filter(flow__agent=agent).first().pk).update(label="Início")
    return agent


def test_the_document_is_the_drafts(agent):
    """Who reads it as an agent document finds just what would be published."""
    exported = export_document(agent)
    host = exported.pop("host")
    assert exported == draft_document(agent).document
    assert host["slug"] == "triagem"
    assert host["settings"] == {
        "isActive": False,
        "gatherMs": 1500,
        "closeAfterDays": 30,
        "apology": "Desculpe!",
        "sender": "zap",
    }
    assert host["needs"] == {"secrets": ["crm"], "providers": ["openai some-model"]}


def test_the_engine_reads_an_export(agent):
    """`host` is a key of its own: all it means to the engine is a warning that it is none of its words."""
    exported, draft = export_document(agent), draft_document(agent).document
    more = {each.path for each in validate_agent_all(exported)} - {each.path for each in validate_agent_all(draft)}
    assert more == {"host"}


def test_nothing_of_a_secret_leaves_but_its_name(agent):
    assert b"gAAAA" not in document_bytes(export_document(agent))
    assert b"hook.example.com" not in document_bytes(export_document(agent))


def test_all_of_it_comes_back(agent):
    """Flows that are switched off, labels, what is sensitive, settings: an export is a whole backup of a draft."""
    exported = json.loads(document_bytes(export_document(agent)))
    rows = rows_of(exported)
    assert [(each.flow["slug"], each.flow["is_enabled"]) for each in rows.flows] == [
        (flow.slug, flow.is_enabled) for flow in agent.flows.order_by("position", "pk")
    ]
    labels = [trigger.get("label", "") for each in rows.flows for trigger in each.triggers]
    assert labels == list(
        Trigger.objects.filter(flow__agent=agent)
        .order_by("flow__position", "flow__pk", "position", "pk")
        .values_list("label", flat=True)
    )
    assert [each["slug"] for each in rows.fields if each["is_sensitive"]] == list(
        agent.fields.filter(is_sensitive=True).values_list("slug", flat=True)
    )
    assert rows.host.settings == {
        "is_active": False,
        "gather_ms": 1500,
        "close_after_days": 30,
        "apology": "Desculpe!",
    }
    assert (rows.host.sender, rows.host.slug) == ("zap", "triagem")
    again = store({**exported, "name": "again"}, agent.tenant, "again")
    assert draft_document(again).document == {**draft_document(agent).document, "name": "again"}


def test_the_same_draft_makes_the_same_bytes(agent):
    """A version control sees a change only where there is one; halves of pairs and accents survive."""
    Field.objects.filter(agent=agent).update(ask="")
    agent.head_rest = {"odd": "\ud800 é \x00"}
    agent.save()
    first = document_bytes(export_document(agent))
    assert first == document_bytes(export_document(type(agent).objects.get(pk=agent.pk)))
    assert first.endswith(b"}\n")
    assert "é".encode() in first
    assert rows_of(json.loads(first)).agent["head_rest"] == {"odd": "\ud800 é \x00"}


def test_a_flow_by_itself(agent):
    """It is a flow of flow-spec.md, and comes back with its labels."""
    trigger = Trigger.objects.exclude(label="").get()
    exported = json.loads(document_bytes(export_flow(trigger.flow)))
    rows = flow_rows_of(exported)
    assert rows.flow["slug"] == trigger.flow.slug
    assert rows.triggers[0]["label"] == "Início"
    draft = {each["id"]: each for each in draft_document(agent).document["flows"]}
    assert {key: value for key, value in exported.items() if key not in ("host", "specVersion")} == draft[
        trigger.flow.slug
    ]


def test_a_document_that_is_no_export_says_nothing_of_the_host():
    """So that reading one changes no settings, labels or sensitivity."""
    rows = rows_of(examples()["triage"])
    assert not rows.host.is_given
    assert rows.host.sensitive is None
    assert not any("is_sensitive" in each for each in rows.fields)
    assert not any("label" in trigger for each in rows.flows for trigger in each.triggers)


def test_a_broken_host_is_told_whole():
    host = {
        "slug": 3,
        "settings": {"gatherMs": -1, "colour": "red", "humanSilence": "x" * 20, "deliver": "pigeon"},
        "sensitive": "all",
        "triggerLabels": {"f": [1]},
        "disabledFlows": [3],
        "flowOrder": {},
    }
    with pytest.raises(DocumentError) as caught:
        rows_of({"host": host})
    assert {problem.path for problem in caught.value.problems} == {
        "host.slug",
        "host.settings.gatherMs",
        "host.settings.colour",
        "host.settings.humanSilence",
        "host.settings.deliver",
        "host.sensitive",
        "host.triggerLabels.f[0]",
        "host.disabledFlows[0]",
        "host.flowOrder",
    }
