"""The pages: nothing authored is markup, every input has a name that is said, ids are the same every time."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from django.template.loader import get_template

from falai_django import forms
from tests.host.forms.bodies import sampled_bodies
from tests.host.forms.browser import form_class, page, rendered
from tests.host.forms.test_edits import AGENT, step
from tests.host.forms.test_round_trip import assemblies

EVIL = '<script>alert("x")</script>\'"><img src=x>'
EVIL_AGENT = {
    "fields": {EVIL: {"type": "string", "label": EVIL, "enum": [EVIL]}},
    "variables": {EVIL: {"type": EVIL}},
    "actions": {
        EVIL: {"description": EVIL, "parameters": {EVIL: {"type": "string", "description": EVIL, "enum": [EVIL]}}}
    },
    "events": {EVIL: {}},
    "conditions": {EVIL: {"argument": {"type": "scalar", "enum": [EVIL]}}},
    "tools": [{"id": EVIL}],
    "flows": [{"id": EVIL, "name": EVIL, "steps": [{"id": EVIL, "label": EVIL}]}],
}
EVIL_BODY = {
    "say": EVIL,
    "prompt": EVIL,
    "collect": [EVIL],
    "ask": {EVIL: EVIL},
    "branches": [{"when": EVIL, "then": EVIL}, {"if": {"equals": {EVIL: EVIL}, EVIL: EVIL, "known": [{EVIL: EVIL}]}}],
    "then": {"flow": EVIL, "input": {EVIL: EVIL}},
    "else": {"step": EVIL, "clear": [EVIL]},
    "do": EVIL,
    "with": {EVIL: EVIL, EVIL + "2": {EVIL: EVIL}},
    "wait": {"event": EVIL, "upTo": EVIL},
    "message": [EVIL],
    "extract": {EVIL: {"type": EVIL, "enum": [EVIL]}},
    "instructions": [{"kind": EVIL, "prompt": EVIL}],
    "tools": [EVIL],
    EVIL: EVIL,
}


class _Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags = Counter()
        self.handlers = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


def evil_assemblies():
    names = forms.Names.of(EVIL_AGENT, EVIL)
    yield from (forms.step_fields(kind, EVIL_BODY, names) for kind in forms.STEP_KINDS)
    yield from (forms.trigger_fields(kind, EVIL_BODY, names) for kind in forms.TRIGGER_KINDS)
    yield forms.flow_head_fields(EVIL_BODY, names)
    yield from assemblies(EVIL_BODY)


def test_nothing_authored_is_markup():
    """Names, labels, descriptions, values, unknown keys and problems: text, wherever they are shown."""
    for assembly in evil_assemblies():
        form = form_class(assembly)()
        for name in assembly.fields:
            form.fields[name].note((), EVIL)
        html = str(form)
        found = _Tags(html)
        assert not {"script", "img"} & found.tags.keys()
        assert found.handlers == []
        assert "alert" in html


def test_no_textarea_holds_json():
    """Text areas hold what people write: texts and lines, never objects or lists; nor does any other input."""
    for body in (
        EVIL_BODY,
        {"if": {"vip": {"a": {"b": 1}}}, "do": "notify", "with": {"to": {"deep": [1]}}, "prompt": {"a": 1}},
    ):
        for assembly in assemblies(body):
            for _name, value in page(rendered(assembly)[1]).sent:
                assert not re.match(r"\s*[\[{]\s*[\"\]}]", value)


def labelled(found):
    """The controls that no label, legend or `aria-label` names."""
    named = set(found.labels)
    return [
        attrs.get("name")
        for _tag, attrs in found.controls
        if attrs.get("type") != "hidden"
        and attrs.get("id") not in named
        and "aria-label" not in attrs
        and "id" in attrs
    ]


@pytest.mark.parametrize("part", range(2))
def test_ids_are_unique_and_every_input_has_a_label(part):
    """What a screen reader says of an input is there once, and every description that an input names exists."""
    for _body, assembly in sampled_bodies(part, 20):
        _, html = rendered(assembly)
        found = page(html)
        assert [id_ for id_, count in Counter(found.ids).items() if count > 1] == []
        roots = {f"id_{name}" for name in assembly.fields}
        assert {name for name in labelled(found) if f"id_{name}" not in roots} == set()
        assert set(found.described) <= set(found.ids)


def test_a_page_is_the_same_every_time():
    """Names and ids of inputs follow from the body alone, so that a page can be read, cached and tested."""
    body = {"collect": ["name"], "branches": [{"when": "x", "then": "b"}], "then": "b"}
    assert rendered(step("collect", body))[1] == rendered(step("collect", json.loads(json.dumps(body))))[1]


def test_a_prefix_keeps_two_forms_apart():
    """Two bodies on one page, as in a formset, do not mix."""
    assembly = step("say", {"say": "x", "then": "b"})
    found = page(str(form_class(assembly)(prefix="s1")))
    assert all(name.startswith("s1-") for name, _ in found.sent)
    assert all(id_.startswith("id_s1-") for id_ in found.ids)


def test_an_unknown_name_stays_selectable_and_says_so():
    """What was renamed or deleted elsewhere is seen, and not lost by saving."""
    _, html = rendered(step("collect", {"collect": ["gone"], "then": "gone", "tools": ["gone"]}))
    assert html.count("gone (unknown)") == 3


def test_step_pickers_show_the_order_and_the_words_of_the_steps():
    """Labels that are given go before those of the document; a step without any is told by what it says."""
    names = forms.Names.of(AGENT, "main", step_labels={"b": "Goodbye"})
    assert [each.label for each in names.steps] == ["1. Hello", "2. Goodbye"]


@pytest.mark.parametrize(
    "document", [None, [], "x", {"fields": [], "flows": {}, "tools": 5, "actions": {"": 1, "a": None}}]
)
def test_names_of_a_broken_document(document):
    """Names come from whatever can be read."""
    names = forms.Names.of(document, "x")
    assert names.fields == names.steps == names.tools == ()


def test_the_script_and_style_come_along():
    """A ModelAdmin that shows such a field loads both by the form's media, the script as a module and none inline."""
    media = str(form_class(step("say", {})).base_fields["say"].widget.media)
    assert 'type="module"' in media
    assert "falai_django/forms.js" in media
    assert "falai_django/forms.css" in media
    assert get_template("falai_django/forms/widget.html")
