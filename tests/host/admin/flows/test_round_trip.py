"""Every page, opened and saved as it came, leaves the draft as it was: byte for byte, its order too."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from falai_django.documents import row_spec
from tests.engine.made_agents import made_flows
from tests.host.admin.flows.editing import address, document_of, rows_of_agent, save
from tests.host.admin.posting import form_of
from tests.host.documents.stored import ROOT, examples, store, vectors
from tests.host.forms.browser import sent

NAMED = len(json.loads((ROOT / "tests/vectors/scenarios-named.json").read_text("utf-8")))
PARTS = 8
RANDOM = 25


def documents():
    """All named vectors, every 25th of the random ones, the examples; the same one once."""
    found = list(vectors().values())
    chosen = [*found[:NAMED], *found[NAMED::RANDOM], *examples().values()]
    return list({json.dumps(each): each for each in chosen}.values())


def assert_saved_as_it_was(client, agent, seen):
    """What was looked at in another draft already is left out."""
    before = document_of(agent)
    for row in rows_of_agent(agent):
        key = json.dumps([row._meta.model_name, row_spec(row)])
        if key not in seen:
            seen.add(key)
            response = save(client, row)
            assert response.status_code == 302, (row, response.context["errors"])
    assert document_of(agent) == before


@pytest.mark.parametrize("part", range(PARTS))
def test_a_page_saved_as_it_came_changes_nothing(author, tenant, part):
    """Of every kind of row that the vectors and the examples hold."""
    seen = set()
    for number, document in enumerate(documents()[part::PARTS]):
        assert_saved_as_it_was(author, store(document, tenant, f"agent-{number}"), seen)
    assert len(seen) > 50


NAMES = {
    "fields": {"name": {"type": "string"}, "ok": {"type": "boolean"}, "stage": {"type": "string", "enum": ["new"]}},
    "variables": {"count": {"type": "integer"}},
    "actions": {"flaky": {"parameters": {"to": {"type": "string"}, "tags": {"type": "array", "items": {}}}}},
    "events": {"booked": {}},
    "conditions": {"always": {"kind": "python", "name": "always", "argument": {"type": "boolean"}}},
    "tools": [{"id": "price", "kind": "python", "name": "price"}],
}


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flow=made_flows())
def test_a_page_saved_as_it_came_changes_nothing_of_any_flow(author, tenant, flow):
    """The same for flows made of every kind of step and trigger."""
    tenant.agents.all().delete()
    agent = store({**NAMES, "flows": [flow]}, tenant)
    assert_saved_as_it_was(author, agent, set())


def test_no_page_takes_json(author, tenant):
    """No input of any page of a draft holds an object or a list in brackets."""
    for name, document in examples().items():
        for row in rows_of_agent(store(document, tenant, name)):
            for input_name, value in sent(form_of(author.get(address(row)))).items():
                assert not value.lstrip().startswith(('{"', '["', "[{", "{}", "[]")), (row, input_name)
