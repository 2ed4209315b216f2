"""Updates of the state are lines of text: what is typed is kept, all that is wrong is told with its line and column."""

from __future__ import annotations

import json

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from falai_django import forms
from falai_django.forms.syntax_words import SYNTAX_TEXTS, syntax_words
from falai_engine.expressions import ExpressionSyntaxError, parse_expression
from falai_engine.validation import validate_agent_all
from tests.engine.junk import JSON
from tests.host.forms.browser import form_class, rendered, saved, sent
from tests.host.forms.test_round_trip import assert_kept

DATA = {
    "fields": {"plan": {"type": "string", "label": "Plano", "enum": ["basic", "pro"]}},
    "variables": {"count": {"type": "integer"}, "angry": {"type": "boolean"}},
}
NAMES = forms.Names.of(DATA)
ANGRY = {
    "type": "or_operator",
    "children": [
        {"type": "llm", "prompt": "the customer sounds frustrated"},
        {
            "type": "gt_operator",
            "left": {"type": "dynamic_variable", "name": "count"},
            "right": {"type": "number_literal", "value": 3},
        },
    ],
}
ONE = {"type": "number_literal", "value": 1}


def tool(*updates):
    return forms.tool_fields("update_state", {"updates": list(updates)} if updates else {}, NAMES)


def typed(text, *updates):
    return saved(tool(*updates), ("updates", text))


def shown(*updates):
    _, html = rendered(tool(*updates))
    return html


def test_lines_are_updates():
    made = typed('angry = (llm: "the customer sounds frustrated") OR (count > 3)\n\n  count ?= 1\n`a b` = "x"')
    assert made["updates"] == [
        {"variable": "angry", "expression": ANGRY},
        {"variable": "count", "expression": ONE, "required": False},
        {"variable": "a b", "expression": {"type": "string_literal", "value": "x"}},
    ]


def test_updates_are_shown_as_lines_and_no_json():
    html = shown(
        {"variable": "angry", "expression": ANGRY}, {"variable": "count", "expression": ONE, "required": False}
    )
    assert "angry = (llm: &quot;the customer sounds frustrated&quot;) OR (count &gt; 3)\ncount ?= 1</textarea>" in html
    assert "or_operator" not in html


def test_a_line_that_was_not_touched_keeps_its_notation():
    """An explicit `required`, nulls, the order of keys."""
    old = {"required": True, "expression": {"value": None, "type": "null_literal"}, "variable": "plan"}
    made = typed("plan = null\ncount = 1", old)
    assert json.dumps(made["updates"][0]) == json.dumps(old)
    assert made["updates"][1] == {"variable": "count", "expression": ONE}


ODD = [
    [{"variable": "plan", "expression": {"type": "string_literal", "value": 'a\n"b"\\ \u2028 \u0000'}}],
    [{"variable": "a = b", "expression": ONE}, {"variable": "x`y", "expression": ONE, "required": False}],
    [{"variable": "if", "expression": ONE}, {"variable": "?", "expression": ONE}],
    [{"variable": "plan", "expression": ONE, "more": 1}],
    [{"variable": "plan", "expression": {"type": "gone"}}],
    [{"variable": "plan", "expression": {"type": "number_literal", "value": "1"}}],
    [{"variable": "plan"}],
    [5, None],
    "count = 1",
    {"count": 1},
    [{"variable": "plan", "expression": ONE}] * 12,
    [{"variable": "plan", "expression": {"type": "and_operator", "children": [ONE]}, "required": None}],
]


@pytest.mark.parametrize("updates", ODD, ids=lambda each: json.dumps(each)[-60:])
def test_whatever_is_stored_is_shown_and_kept(updates):
    for make in (forms.tool_fields, forms.action_fields):
        assert_kept({"updates": updates}, make("update_state", {"updates": updates}, NAMES))


def test_what_lines_cannot_say_is_shown_to_read_and_can_be_replaced():
    broken = {"variable": "plan", "expression": {"type": "gone"}}
    assert "These inputs cannot show what is stored here" in shown(broken)
    assert typed("count = 1", broken)["updates"] == [{"variable": "count", "expression": ONE}]


NODES = st.recursive(
    st.sampled_from(
        [
            ONE,
            {"type": "dynamic_variable", "name": "count"},
            {"type": "llm", "prompt": "is it?"},
            {"type": "null_literal"},
        ]
    )
    | st.text(max_size=5).map(lambda text: {"type": "string_literal", "value": text}),
    lambda inner: st.one_of(
        st.builds(lambda a, b: {"type": "add_operator", "left": a, "right": b}, inner, inner),
        st.builds(lambda a: {"type": "and_operator", "children": a}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda a, b, c: {"type": "conditional_operator", "condition": a, "trueExpression": b, "falseExpression": c},
            inner,
            inner,
            inner,
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=40)
@given(node=NODES | JSON, variable=st.text(min_size=1, max_size=5))
def test_any_update_is_kept(node, variable):
    updates = {"updates": [{"variable": variable, "expression": node}]}
    assert_kept(updates, forms.tool_fields("update_state", updates, NAMES))


WRONG = "count = 1 +\nangry = llm\nplan == 3\n= 1\n  5 = 1\ncount = 'x'\nplan = \"ok\""
PLACES = ["1, column 12", "2, column 12", "3, column 1", "4, column 1", "5, column 3", "6, column 9"]


def test_all_that_is_wrong_is_told_at_once_with_line_and_column_and_what_was_typed_is_kept():
    assembly = tool({"variable": "count", "expression": ONE})
    _, html = rendered(assembly)
    form = form_class(assembly)(sent(html, ("updates", WRONG)))
    assert not form.is_valid()
    told = form.errors["updates"]
    assert [each.split(":")[0].removeprefix("Line ") for each in told] == PLACES
    page = str(form).replace("&quot;", '"').replace("&#x27;", "'")
    assert f"{WRONG}</textarea>" in page


BROKEN = [
    "", "1 +", "(1", "llm", "llm: 5", 'llm text: "x"', "llm string(", 'llm string(1): "x"', "AND(1", "AND 1",
    "if 1 then 2", "if 1", "1 + if 1 then 2 else 3", "then", "1 == 2 == 3", "1 2", "- x", "'x'", "“x”", '"x', "`x",
    "a = 1", "!a", "a & b", "a | b", ".5", "5a", "1e999", '"\\q"', "#", "` `", 'llm:""', "(" * 80, "1 + " * 60 + "1",
    '"\\ud800"', '"' + "x" * 10_001 + '"', "AND(" * 21 + "1" + ")" * 21,
]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:20].encode("ascii", "backslashreplace").decode())
def test_each_sentence_about_a_text_is_in_the_table_of_translations(text, monkeypatch):
    """A marked catalogue translates every part but what was typed."""
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_expression(text)
    monkeypatch.setattr("falai_django.forms.syntax_words._", lambda each: f"<{each}>")
    for said in (caught.value.what, caught.value.fix):
        assert syntax_words(said).startswith("<"), said


def test_sentences_stay_as_the_engine_writes_them_in_english():
    with translation.override("en"):
        assert [syntax_words(text) for text in SYNTAX_TEXTS] == list(SYNTAX_TEXTS)


SEMANTIC = [
    ({"variable": "cont", "expression": ONE}, 1),
    ({"variable": "plan", "expression": {"type": "string_literal", "value": "gold"}}, 8),
    ({"variable": "count", "expression": {"type": "dynamic_variable", "name": "cuont"}}, 9),
    (
        {
            "variable": "angry",
            "required": False,
            "expression": {**ANGRY, "children": [ANGRY["children"][1], {"type": "dynamic_variable", "name": "angri"}]},
        },
        25,
    ),
]


@pytest.mark.parametrize(("update", "column"), SEMANTIC, ids=["name", "constant", "variable", "nested"])
def test_what_validation_finds_is_told_with_line_and_column(update, column):
    """The draft was saved; its page says where in the text the problem is."""
    spec = {"id": "t", "kind": "update_state", "updates": [{"variable": "count", "expression": ONE}, update]}
    if update["variable"] == "count":
        spec["updates"][0] = {"variable": "angry", "expression": {"type": "boolean_literal", "value": True}}
    found = validate_agent_all({"specVersion": 1, "name": "a", "flows": [], "tools": [spec], **DATA})
    (problem,) = [each for each in found if each.path.startswith("tools")]
    assembly = forms.tool_fields("update_state", spec, NAMES)
    form = form_class(assembly)()

    class Found:
        path, text, severity = problem.path.removeprefix("tools[0]."), "Mend this.", "error"

    assert assembly.note(form, [Found()]) == []
    assert f"Line 2, column {column}: Mend this." in str(form)
    line = str(form["updates"]).split("</textarea>")[0].splitlines()[-1]
    assert line.replace("&gt;", ">")[column - 1 :].startswith(("cont", "&quot;gold", "cuont", "angri"))


def test_beside_the_lines_stand_the_names_and_the_words():
    html = shown()
    assert all(each in html for each in ("<code>plan</code>", "Plano", "<code>count</code>", "llm number"))
    action = str(form_class(forms.action_fields("update_state", {}, NAMES))())
    assert "llm" not in action
