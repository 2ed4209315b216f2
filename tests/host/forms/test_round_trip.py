"""A page that is opened and saved changes nothing, whatever it shows."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falai_django import forms
from tests.engine.junk import JSON
from tests.engine.made_agents import made_flows
from tests.host.forms.bodies import flow_bodies, sampled_bodies
from tests.host.forms.browser import form_class, rendered, sent

NAMES = {
    "fields": {"name": {"type": "string"}, "ok": {"type": "boolean"}, "stage": {"type": "string", "enum": ["new"]}},
    "variables": {"count": {"type": "integer"}},
    "actions": {"flaky": {"parameters": {"to": {"type": "string"}, "tags": {"type": "array", "items": {}}}}},
    "events": {"booked": {}},
    "conditions": {
        "tagsAny": {"argument": {"type": "array"}},
        "contextEquals": {"argument": {"type": "map"}},
        "always": {"argument": {"type": "boolean"}},
    },
    "tools": [{"id": "price"}],
}


def assert_kept(body, assembly):
    before = json.dumps(body)
    _, html = rendered(assembly)
    form = form_class(assembly)(sent(html))
    assert form.is_valid(), (form.errors, before)
    assert form.changed_data == []
    assert json.dumps(assembly.body_of(form.cleaned_data)) == before


PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_a_page_saved_as_it_came_changes_nothing_of_the_vectors(part):
    """Every kind of body that the vectors and examples hold comes back as it was, its notation and key order too."""
    for body, assembly in sampled_bodies(part, PARTS):
        assert_kept(body, assembly)


@settings(max_examples=20)
@given(flow=made_flows())
def test_a_page_saved_as_it_came_changes_nothing_of_any_flow(flow):
    """The same for flows made of every kind of step and trigger."""
    for body, assembly in flow_bodies(flow, {**NAMES, "flows": [flow]}):
        assert_kept(body, assembly)


def assemblies(body):
    """The body read as each kind of thing that has a form."""
    names = forms.Names.of({**NAMES, "flows": [{"id": "f", "steps": [body]}]}, "f")
    yield from (forms.step_fields(kind, body, names) for kind in forms.STEP_KINDS)
    yield from (forms.trigger_fields(kind, body, names) for kind in forms.TRIGGER_KINDS)
    yield forms.flow_head_fields(body, names)
    yield forms.agent_head_fields(body, names)
    yield forms.field_fields(body)
    yield forms.event_fields(body)
    yield from (forms.action_fields(kind, body, names) for kind in forms.ACTION_KINDS)
    yield from (forms.condition_fields(kind, body, names) for kind in forms.CONDITION_KINDS)
    yield from (forms.tool_fields(kind, body, names) for kind in forms.TOOL_KINDS)


WORDS = """
then else if when wait upTo event do with onFail collect ask tools branches instructions prompt say media slug equals
known silenced vip name step clear flow input message mention extract repeat cooldown silence after type enum items
initial variables idle compaction maxTokens parameters properties required path op argument ui
request answer method url query headers body secrets timeout as prefix ok skipped detail value status updates variable
expression left right
"""
KEYS = st.sampled_from(WORDS.split())
ODD = st.sampled_from(
    ["", "end", "30s", "a\r\nb", " x ", "\x00", "\ud800", "1.0", "yes", "<script>", "string", "object", 'say "x"']
)
BODIES = st.recursive(
    JSON | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | ODD, inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=12)
@given(body=st.dictionaries(KEYS, BODIES, max_size=6) | BODIES)
def test_any_json_is_shown_and_kept(body):
    """Whatever an import left in a body: the page opens, and saving it unchanged loses nothing."""
    for assembly in assemblies(body):
        assert_kept(body, assembly)


@pytest.mark.parametrize(
    "body",
    [
        {"then": {"step": "x"}},
        {"then": {"step": "x", "clear": []}},
        {"then": {"step": "", "clear": ["a", "a"]}},
        {"then": {"step": "x", "flow": "y"}},
        {"then": {"flow": "y", "input": {"deep": [{"n": None}]}}},
        {"then": {"flow": "{{data.name}}", "input": 0}},
        {"then": None, "else": None, "onFail": ""},
        {"if": {"equals": {"name": 1.0, "ok": True, "gone": None}, "known": ["name", 5, "name"], "vip": {"a": [1]}}},
        {"if": {"equals": [], "known": "name", "silenced": 1, "": 2}},
        {"if": {"contextEquals": {"a: b": 1}, "tagsAny": ["x\ny", ""], "always": "yes"}},
        {"branches": [{"when": "x", "if": {}}, {}, None, 5, {"then": "end"}, {"if": {}, "then": {"step": 3}}]},
        {"instructions": [{"id": "i", "when": ["a", " "], "kind": "maybe"}, {"when": "a\nb"}, "x"]},
        {"tools": []},
        {"tools": None},
        {"tools": ["gone", "gone", "price"]},
        {"do": "flaky", "with": {}},
        {"do": "flaky", "with": {"to": "a\rb", "tags": ["x", 1, 1.0], "extra": {"deep": 1}, "name-0-row": "x"}},
        {"do": "gone", "with": {"n": "5", "m": 5, "b": True, "t": "true", "q": '"5"'}},
        {"do": 5, "with": [1]},
        {"wait": {"event": "booked", "upTo": "1.50h", "more": 1}, "maxAsks": 3.0, "businessHours": False},
        {"prompt": "\n\nHello\r\n", "say": "", "once": False, "media": {}},
        {"message": []},
        {"message": ["", "!x"], "repeat": {"cooldown": "5 min"}},
        {"message": "hi", "repeat": {"cooldown": "1h", "more": 1}},
        {"extract": {"n": {"type": "array", "items": {"type": "integer", "enum": [1, 1.0]}}, "m": {"type": "text"}}},
        {"variables": {"n": {"type": "integer", "initial": "0"}, "m": {"initial": None}}, "knowledgeBase": {"a": 1}},
        {"idle": "silent"},
        {"idle": {"prompt": "", "tools": []}},
        {"parameters": {"type": "object", "properties": {"a": {"type": "string", "required": True}}}},
        {"parameters": {"type": "object", "properties": {"a": {"type": ["string"]}, "b": {"type": "object"}}}},
        {"parameters": {"type": "object", "required": ["gone", "a"], "properties": {"a": {"type": "string"}}}},
        {"compaction": {"maxTokens": 8000.0, "enabled": 1}},
        {"maxAsks": 10**400, "knowledgeBase": float(10**22)},
    ],
    ids=lambda body: json.dumps(body)[:70].encode("ascii", "backslashreplace").decode(),
)
def test_shapes_that_the_inputs_would_write_otherwise_are_kept(body):
    """A notation of its own, a mistake, an unknown key: untouched, it stays to the letter."""
    for assembly in assemblies(body):
        assert_kept(body, assembly)
