"""Rows are the document: nothing is lost on the way in, nothing is made up on the way out."""

from __future__ import annotations

import json

import pytest

from falai_django.documents import draft_document, rows_of
from falai_django.models import Field, Flow, Step, Trigger
from falai_engine.validation import validate_agent_all
from tests.host.documents.stored import a_tenant, examples, normal, store, vectors

EXAMPLES = examples()
VECTORS = vectors()

pytestmark = pytest.mark.django_db


def in_order(document):
    """The document as text: objects whose order means something are compared with it."""
    return json.dumps({key: document[key] for key in ("fields", "flows", "actions", "events", "tools", "conditions")})


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_comes_back_whole(name):
    """What an author exported is what is published."""
    tenant = a_tenant()
    back = draft_document(store(EXAMPLES[name], tenant)).document
    expected = normal(EXAMPLES[name], tenant)
    assert back == expected
    assert list(back["fields"]) == list(expected["fields"])


def test_there_are_many_vectors():
    assert len(VECTORS) > 150


@pytest.mark.parametrize("name", VECTORS)
def test_a_vector_comes_back_whole(name):
    """Every shape that the engine is held to fits into rows."""
    tenant = a_tenant()
    assert draft_document(store(VECTORS[name], tenant)).document == normal(VECTORS[name], tenant)


def test_the_second_way_round_changes_nothing_not_even_the_order():
    tenant = a_tenant()
    for number, document in enumerate((*EXAMPLES.values(), *list(VECTORS.values())[:20])):
        once = draft_document(store(document, tenant, f"once-{number}")).document
        twice = draft_document(store(once, tenant, f"twice-{number}")).document
        assert json.dumps(once) == json.dumps(twice)


def test_reading_a_document_leaves_it_alone():
    before = json.dumps(EXAMPLES["booking"])
    rows_of(EXAMPLES["booking"])
    assert json.dumps(EXAMPLES["booking"]) == before


ODD = {
    "specVersion": 1,
    "name": "x" * 300,
    "goal": 3,
    "persona": "",
    "note": {"kept": [1, None]},
    "variables": {"n": {"type": "integer", "initial": 0, "odd": True}},
    "idle": "silent",
    "maxToolLoops": 0,
    "compaction": {"maxTokens": 10},
    "instructions": [{"prompt": "p", "if": {"equals": {"a": 1}}}],
    "fields": {
        "a-b": {"type": "date", "enum": [], "label": "", "more": 1},
        "nul": {"type": "string", "ask": "a\x00b", "description": "\ud800"},
    },
    "flows": [
        {
            "id": "f",
            "name": "",
            "colour": "red",
            "on": [{"message": [], "colour": 2}],
            "steps": [
                {"id": "9:x", "kind": "say", "label": "l" * 500, "ui": {"x": 1}},
                {"id": "e", "kind": "do", "say": "two kinds"},
                {"id": "n", "kind": "say", "label": "\x00"},
            ],
        }
    ],
    "actions": {"a": {"kind": "http", "request": {"method": "POST", "body": {"none": None}}}},
    "events": {"e": {"odd": 1}},
    "conditions": {"c": {"kind": "compare", "path": "data.x", "op": "eq"}},
    "tools": [{"id": "t", "kind": "python", "parameters": {"type": "object", "properties": {"c": {"const": None}}}}],
}


def test_what_fits_no_column_is_kept_and_can_be_complained_of():
    """Unknown keys, texts too long, values of another type: nothing is cut or dropped."""
    tenant = a_tenant()
    back = draft_document(store(ODD, tenant)).document
    assert back == {**ODD, "locale": "pt-BR", "timezone": tenant.time_zone}
    assert {"not-text", "not-one-of", "unknown-key"} <= {problem.code for problem in validate_agent_all(back)}


def test_nulls_mean_not_set_and_are_not_written():
    """At any depth, but for those that validation has to see and those of other languages."""
    document = {
        "name": None,
        "fields": {"a": {"type": "string", "label": None}},
        "variables": {"v": {"type": "string", "initial": None}},
        "flows": [
            {
                "id": "f",
                "while": None,
                "steps": [
                    {"id": "s", "if": {"equals": {"a": None}, "known": None}, "then": {"step": "s", "clear": None}},
                    {"id": "t", "say": "x", "kind": None, "label": None, "ui": {"deep": {"if": None}}},
                ],
            }
        ],
        "actions": {"a": {"kind": None, "parameters": {"p": {"type": "string", "enum": None}}}},
    }
    back = draft_document(store(document, a_tenant())).document
    assert "name" not in back
    assert back["fields"] == {"a": {"type": "string"}}
    assert back["variables"] == {"v": {"type": "string"}}
    assert back["flows"][0]["steps"] == [
        {"id": "s", "kind": "if", "if": {"equals": {"a": None}}, "then": {"step": "s"}},
        {"id": "t", "kind": "say", "say": "x", "ui": {"deep": {}}},
    ]
    assert back["actions"] == {"a": {"kind": "python", "parameters": {"p": {"type": "string"}}}}


def test_only_enabled_flows_take_part():
    """A flow that is switched off is no part of the document, unless its own page asks for it."""
    agent = store(EXAMPLES["triage"], a_tenant())
    flow = Flow.objects.filter(agent=agent).first()
    Flow.objects.filter(pk=flow.pk).update(is_enabled=False)
    assert flow.slug not in [each["id"] for each in draft_document(agent).document["flows"]]
    assert flow.slug in [each["id"] for each in draft_document(agent, also=[flow.pk]).document["flows"]]


def test_what_only_rows_know_stays_out():
    """Labels of triggers, sensitivity and live settings are the host's affair."""
    agent = store(EXAMPLES["triage"], a_tenant())
    before = json.dumps(draft_document(agent).document)
    Trigger.objects.update(label="Só para nós")
    Field.objects.update(is_sensitive=True)
    agent.gather_ms, agent.apology = 500, "Desculpe!"
    agent.save()
    assert json.dumps(draft_document(agent).document) == before


def test_a_trigger_that_says_nothing_yet_is_an_error_and_no_catch_all():
    """An unfinished trigger must not start its flow on every message."""
    agent = store(EXAMPLES["triage"], a_tenant())
    flow = Flow.objects.filter(agent=agent).first()
    for number, kind in enumerate(Trigger.Kind.values):
        Trigger.objects.create(flow=flow, kind=kind, position=10 + number)
    draft = draft_document(agent)
    found = [each for each in validate_agent_all(draft.document) if str(each.severity) == "error"]
    kinds = {draft.place(each.path).row.kind for each in found if isinstance(draft.place(each.path).row, Trigger)}
    assert kinds == set(Trigger.Kind.values)


def test_the_number_of_queries_does_not_grow(django_assert_num_queries):
    """One query a table, for one flow as for a hundred."""
    agent = store(EXAMPLES["triage"], a_tenant())
    assert agent.tenant
    with django_assert_num_queries(8):
        draft_document(agent)
    for number in range(100):
        flow = Flow.objects.create(agent=agent, slug=f"more-{number}")
        Step.objects.create(flow=flow, step_id="s1", kind="say", body={"say": "x"})
        Field.objects.create(agent=agent, slug=f"more-{number}")
    with django_assert_num_queries(8):
        draft_document(agent)
