"""A rename reaches every place where the format names something."""

from __future__ import annotations

import json

import pytest

from falai_django import authoring
from falai_django.authoring.names import Sort, names_in
from falai_django.documents import draft_document, row_spec
from falai_django.models import Action, Condition, Event, Field, Flow, Step, Tool
from falai_engine.validation import validate_agent_all
from tests.host.documents.stored import a_tenant, examples, store

COND = {"equals": {"alvo": "x"}, "known": ["alvo"], "cond": 1}
RULE = [{"prompt": "{{data.alvo}}", "if": COND}]
NEXT = {"step": "b", "clear": ["alvo"]}
CHAIN = {"flow": "fluxo", "input": {"x": "{{ data.alvo }}", "l": ["{{data.alvo.y}}"]}}
EXPRESSION = {
    "type": "conditional_operator",
    "condition": {"type": "and_operator", "children": [{"type": "dynamic_variable", "name": "alvo"}]},
    "trueExpression": {
        "type": "add_operator",
        "left": {"type": "dynamic_variable", "name": "alvo"},
        "right": {"type": "string_literal", "value": "alvo"},
    },
    "falseExpression": {"type": "null_literal"},
}
UPDATES = [{"variable": "alvo", "expression": EXPRESSION}]
REQUEST = {"method": "GET", "url": "https://example.com", "query": {"q": "{{data.alvo}}"}}

EVERYWHERE = {
    "goal": "{{data.alvo}}",
    "persona": "{{ data.alvo }}",
    "knowledgeBase": "{{data.alvo}}",
    "instructions": RULE,
    "idle": {"prompt": "{{data.alvo}}", "tools": ["tool"], "instructions": RULE},
    "fields": {"alvo": {"type": "string", "ask": "{{data.alvo}}?"}},
    "actions": {
        "act": {"kind": "update_state", "updates": UPDATES},
        "call": {"kind": "http", "request": REQUEST, "answer": {"set": {"alvo": "/x"}}},
    },
    "events": {"ev": {}},
    "conditions": {"cond": {"kind": "compare", "path": "data.alvo", "op": "eq"}},
    "tools": [{"id": "tool", "kind": "update_state", "updates": UPDATES}],
    "flows": [
        {
            "id": "fluxo",
            "description": "{{data.alvo}}",
            "while": COND,
            "collect": ["alvo"],
            "clearOnStart": ["alvo"],
            "instructions": RULE,
            "tools": ["tool"],
            "on": [
                {"message": ["{{data.alvo}}"], "if": COND},
                {"mention": ["!{{data.alvo}}"]},
                {"event": "ev"},
            ],
            "steps": [
                {
                    "id": "a",
                    "kind": "collect",
                    "collect": ["alvo"],
                    "prompt": "{{data.alvo}}",
                    "ask": {"alvo": "{{data.alvo}}"},
                    "branches": [{"when": "{{data.alvo}}", "then": NEXT}, {"if": COND, "then": CHAIN}],
                    "tools": ["tool"],
                    "instructions": RULE,
                },
                {"id": "b", "kind": "collect", "collect": ["alvo"], "question": "{{data.alvo}}"},
                {"id": "c", "kind": "say", "say": "{{data.alvo}}", "media": {"x": "{{data.alvo}}"}, "then": "b"},
                {"id": "d", "kind": "do", "do": "act", "with": {"p": ["{{data.alvo}}"]}, "onFail": CHAIN},
                {"id": "e", "kind": "if", "if": COND, "then": NEXT, "else": "b"},
                {"id": "f", "kind": "waitEvent", "wait": {"event": "ev"}, "else": "b"},
                {"id": "g", "kind": "wait", "wait": "1h", "branches": [{"if": COND, "then": "b"}]},
            ],
        }
    ],
}


def as_rows(text, tenant):
    """What a draft of this text says when it has been through rows."""
    return draft_document(store(json.loads(text), tenant, "other")).document


@pytest.mark.parametrize(
    ("model", "old"),
    [(Field, "alvo"), (Flow, "fluxo"), (Action, "act"), (Event, "ev"), (Condition, "cond"), (Tool, "tool")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_rename_is_written_wherever_the_format_names_it(author, tenant, model, old):
    """Just as if every name had been another one from the start; words that only look like it stay."""
    agent = store(EVERYWHERE, tenant, "everywhere")
    authoring.rename(author, model.objects.get(agent=agent, slug=old), "new-name", version=None)
    literal, text = '"value": "alvo"', json.dumps(EVERYWHERE)
    renamed = text.replace(literal, '"value": "literal"')
    for before, after in ((f'"{old}"', '"new-name"'), (f"data.{old}", "data.new-name")):
        renamed = renamed.replace(before, after) if model is Field or before[0] == '"' else renamed
    renamed = renamed.replace('"value": "literal"', literal)
    agent.refresh_from_db()
    assert draft_document(agent).document == as_rows(renamed, tenant)


def test_a_rename_leaves_no_name_dangling(author, tenant):
    """The draft is as sound after as before, in every example."""
    for name, document in examples().items():
        agent = store(document, tenant, name)
        before = [each.code for each in validate_agent_all(draft_document(agent).document)]
        for model in (Field, Flow, Action, Event, Condition, Tool):
            for row in model.objects.filter(agent=agent):
                authoring.rename(author, row, f"x-{row.slug}", version=None)
        agent.refresh_from_db()
        assert [each.code for each in validate_agent_all(draft_document(agent).document)] == before


def test_who_had_a_renamed_place_open_is_stale(author, tenant):
    """Saving it would bring the old name back."""
    agent = store(EVERYWHERE, tenant, "everywhere")
    authoring.rename(author, Field.objects.get(slug="alvo"), "new", version=1)
    agent.refresh_from_db()
    assert agent.version == 2
    for model in (Flow, Tool, Condition):
        assert model.objects.get().version == 2
    assert Event.objects.get().version == 1


def test_disabled_flows_are_renamed_too(author, tenant):
    agent = store(EVERYWHERE, tenant, "everywhere")
    Flow.objects.update(is_enabled=False)
    authoring.rename(author, Field.objects.get(slug="alvo"), "new", version=None)
    flow = Flow.objects.get(agent=agent)
    assert flow.head["collect"] == ["new"]


def test_a_rename_of_another_tenant_or_agent_is_no_matter(author, tenant):
    one, two = (store(EVERYWHERE, each, "agent") for each in (tenant, a_tenant("other")))
    before = draft_document(two).document
    authoring.rename(author, Field.objects.get(agent=one, slug="alvo"), "new", version=None)
    assert draft_document(two).document == before


@pytest.mark.django_db
def test_every_name_that_validation_looks_up_is_found():
    """A name in a place that the tables do not know would be one that a rename forgets.

    All names are made unknown; wherever validation then misses one, the tables know of it.
    """
    agent = store(EVERYWHERE, a_tenant(), "everywhere")
    draft = draft_document(agent)
    tools = [{**tool, "id": "other"} for tool in draft.document["tools"]]
    names = {"fields": {}, "actions": {}, "events": {}, "conditions": {}, "tools": tools}
    flows = [{**flow, "id": "other", "steps": _called_otherwise(flow["steps"])} for flow in draft.document["flows"]]
    problems = validate_agent_all({**draft.document, **names, "flows": flows})
    missed = {problem.path: problem.code for problem in problems if problem.code in UNKNOWN}
    assert set(missed.values()) == UNKNOWN
    assert len(missed) > 40
    for path in missed:
        place = draft.place(path)
        assert place.path in {name.path for name in names_in(type(place.row), row_spec(place.row))}


UNKNOWN = {f"unknown-{sort}" for sort in ("field", "flow", "step", "action", "event", "condition", "tool")}
UNKNOWN |= {"template-unknown-field", "expression-undeclared"}


def _called_otherwise(steps):
    return [{**step, "id": f"{step['id']}2"} for step in steps]


def test_names_are_found_with_their_places():
    """What a page of "who uses this" shows."""
    step = EVERYWHERE["flows"][0]["steps"][3]
    found = [(name.sort, name.name, name.path) for name in names_in(Step, step)]
    assert found == [
        (Sort.ACTION, "act", "do"),
        (Sort.FIELD, "alvo", "with.p[0]"),
        (Sort.FLOW, "fluxo", "onFail.flow"),
        (Sort.FIELD, "alvo", "onFail.input.x"),
        (Sort.FIELD, "alvo", "onFail.input.l[0]"),
    ]


@pytest.mark.parametrize(
    "odd", [None, 3, "x", [], [1], {"if": 3, "then": {"step": 1, "clear": 3}, "branches": "x"}], ids=range(6)
)
def test_what_has_no_shape_is_left_as_it_is(odd):
    """A draft may hold anything; a walk never raises."""
    spec = {"then": odd, "branches": odd, "if": odd, "ask": odd, "with": odd, "wait": odd, "instructions": [odd]}
    names_in(Step, spec)
    names_in(Tool, {"updates": odd})
    names_in(Condition, {"path": odd})
