"""A problem of the document lands on its row."""

from __future__ import annotations

import pytest

from falai_django.documents import draft_document, joined, path_parts
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from falai_engine.validation import validate_agent_all
from tests.host.documents.stored import a_tenant, store

DOCUMENT = {
    "goal": "{{nobody}}",
    "fields": {"nome": {"type": "string", "enum": []}, "a-b": {"type": "x"}},
    "flows": [
        {"id": "off", "steps": []},
        {
            "id": "on",
            "while": {"known": ["nmae"]},
            "on": [{"event": "gone"}, {"message": ["oi"]}],
            "steps": [
                {"id": "p", "prompt": "x", "branches": [{"when": "y", "then": {"step": "gone"}}]},
                {"id": "d", "do": "act", "with": {"a key": 1}},
            ],
        },
    ],
    "actions": {"act": {"parameters": {"p": {"type": "x"}}}},
    "events": {"ev": {"direction": "x"}},
    "conditions": {"cond": {"kind": "compare", "op": "x", "path": "data.x"}},
    "tools": [{"id": "one"}, {"id": "two", "parameters": []}],
    "variables": {"nome": {"type": "string"}},
}


@pytest.fixture
def draft(db):
    agent = store(DOCUMENT, a_tenant())
    Flow.objects.filter(slug="off").update(is_enabled=False)
    return draft_document(agent)


@pytest.mark.parametrize(
    ("path", "model", "name", "tail"),
    [
        ("", Agent, "agent", ""),
        ("goal", Agent, "agent", "goal"),
        ("variables.nome", Agent, "agent", "variables.nome"),
        ("fields", Agent, "agent", "fields"),
        ("fields.nome.enum", Field, "nome", "enum"),
        ("fields.a-b.type", Field, "a-b", "type"),
        ("flows[0].while.known[0]", Flow, "on", "while.known[0]"),
        ("flows[0]", Flow, "on", ""),
        ("flows[0].on[0].event", Trigger, "event", "event"),
        ("flows[0].steps[0].branches[0].then.step", Step, "p", "branches[0].then.step"),
        ('flows[0].steps[1].with["a key"]', Step, "d", 'with["a key"]'),
        ("actions.act.parameters.p.type", Action, "act", "parameters.p.type"),
        ("events.ev.direction", Event, "ev", "direction"),
        ("conditions.cond.op", Condition, "cond", "op"),
        ("tools[1].parameters", Tool, "two", "parameters"),
        ("tools[7].parameters", Agent, "agent", "tools[7].parameters"),
    ],
)
def test_a_path_leads_to_the_row_and_the_input(draft, path, model, name, tail):
    """Counted among the flows that take part, without those that are switched off."""
    place = draft.place(path)
    named = {Step: "step_id", Trigger: "kind"}.get(model, "slug")
    assert (type(place.row), getattr(place.row, named), place.path) == (model, name, tail)


def test_every_problem_of_the_engine_finds_its_row(draft):
    """No problem is left to the agent that belongs to one of its rows."""
    found = {(problem.path, type(draft.place(problem.path).row)) for problem in validate_agent_all(draft.document)}
    below = ("fields.", "flows[", "actions.", "events.", "conditions.", "tools[")
    assert len(found) > 12
    assert {path for path, model in found if path.startswith(below) and model is Agent} == set()
    assert {model for _, model in found} == {Agent, Field, Flow, Trigger, Step, Action, Event, Condition, Tool}


@pytest.mark.parametrize("parts", [("a", 0, "b-c"), ('we"ird ]', 3), ("é", "", "."), ("x.y", "z")], ids=range(4))
def test_a_path_is_taken_apart_as_it_was_put_together(parts):
    assert tuple(path_parts(joined("", *parts))) == parts
