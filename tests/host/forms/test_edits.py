"""A change of one input changes that part of the body and nothing else."""

from __future__ import annotations

import json

import pytest

from falai_django import forms
from tests.host.forms.bodies import sampled_bodies
from tests.host.forms.browser import form_class, page, rendered, saved, sent

AGENT = {
    "fields": {
        "name": {"type": "string", "label": "Name"},
        "size": {"type": "integer", "enum": [1, 2]},
        "budget": {"type": "number"},
        "ok": {"type": "boolean"},
    },
    "variables": {"count": {"type": "integer", "initial": 0}},
    "actions": {
        "notify": {
            "parameters": {
                "to": {"type": "string"},
                "times": {"type": "integer", "optional": True},
                "tags": {"type": "array", "items": {"type": "string"}, "optional": True},
                "urgent": {"type": "boolean", "optional": True},
            }
        },
        "save": {"parameters": {"to": {"type": "string"}}},
    },
    "events": {"paid": {}, "booked": {}},
    "conditions": {
        "vip": {"argument": {"type": "boolean"}},
        "tagged": {"argument": {"type": "array", "items": {"type": "string"}}},
        "near": {"argument": {"type": "map", "items": {"type": "number"}}},
        "level": {"argument": {"type": "scalar"}},
    },
    "tools": [{"id": "search"}, {"id": "book"}],
    "flows": [{"id": "main", "steps": [{"id": "a", "say": "Hello"}, {"id": "b", "label": "Bye"}]}, {"id": "faq"}],
}
NAMES = forms.Names.of(AGENT, "main")


def step(kind, body):
    return forms.step_fields(kind, body, NAMES)


def trigger(kind, body):
    return forms.trigger_fields(kind, body, NAMES)


SAY = {"say": "Hi", "ui": {"x": 1}}
ASKS = {"collect": ["name"], "maxAsks": 3.0}
CALL = {"do": "notify", "with": {"to": "x", "times": 1.0, "deep": {"a": 1}}}
BRANCHES = {
    "prompt": "x",
    "branches": [
        {"when": "asks", "then": {"step": "a"}, "more": 1},
        {"if": {"equals": {"budget": 1.0}, "known": ["ok"]}, "then": {"flow": "faq", "input": {"n": None}}},
    ],
}
SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "format": "date"}, "w": {"type": "object"}}}


CASES = {
    "text": (step("say", SAY), [("say", "Ho")], {"say": "Ho", "ui": {"x": 1}}),
    "text over lines": (step("say", SAY), [("say", "a\nb")], {"say": "a\nb", "ui": {"x": 1}}),
    "cleared text": (step("say", SAY), [("say", " ")], {"ui": {"x": 1}}),
    "checked": (step("say", SAY), [("once", "on")], {**SAY, "once": True}),
    "media": (step("say", SAY), [("media-slug", "cat")], {**SAY, "media": {"slug": "cat"}}),
    "number": (step("collect", ASKS), [("maxAsks", "2")], {**ASKS, "maxAsks": 2}),
    "cleared number": (step("collect", ASKS), [("maxAsks", "")], {"collect": ["name"]}),
    "duration": (step("wait", {"wait": "1.50h"}), [("wait-unit", "d")], {"wait": "1.50d"}),
    "duration with a comma": (step("wait", {"wait": "5m"}), [("wait", "1,5")], {"wait": "1.5m"}),
    "then a step": (step("say", SAY), [("then", "step"), ("then-step", "b")], {**SAY, "then": "b"}),
    "then another step keeps its notation": (
        step("say", {**SAY, "then": {"step": "a"}}),
        [("then-step", "b")],
        {**SAY, "then": {"step": "b"}},
    ),
    "then end": (step("say", {**SAY, "then": {"step": "a"}}), [("then", "end")], {**SAY, "then": "end"}),
    "then the next step": (step("say", {**SAY, "then": "a"}), [("then", "")], SAY),
    "then a step that clears": (
        step("say", {**SAY, "then": {"step": "a", "clear": ["size", "name"]}}),
        [("then-clear-clear", "size"), ("then-clear-clear", "budget")],
        {**SAY, "then": {"step": "a", "clear": ["size", "budget"]}},
    ),
    "then a step that clears nothing": (
        step("say", SAY),
        [("then", "clear"), ("then-clear-step", "a")],
        {**SAY, "then": {"step": "a", "clear": []}},
    ),
    "another flow keeps what it is given": (
        step("say", {**SAY, "then": {"flow": "main", "input": {"n": [None]}}}),
        [("then-flow-flow", "faq")],
        {**SAY, "then": {"flow": "faq", "input": {"n": [None]}}},
    ),
    "a flow that a placeholder names": (
        step("say", {**SAY, "then": {"flow": "main", "input": 0}}),
        [("then", "template"), ("then-template-flow", "{{data.name}}")],
        {**SAY, "then": {"flow": "{{data.name}}", "input": 0}},
    ),
    "what cannot be shown is replaced": (step("say", {**SAY, "then": 5}), [("then", "end")], {**SAY, "then": "end"}),
    "what cannot be shown is taken out": (step("say", {**SAY, "then": 5}), [("then-drop", "on")], SAY),
    "an unknown key is taken out": (step("say", {**SAY, "sya": 1, "do": 2}), [("other", "0")], {**SAY, "do": 2}),
    "ordered names": (
        step("collect", {"collect": ["name", "size", "ok"]}),
        [("collect-2-order", "1"), ("collect-0-remove", "on"), ("collect-new0", "budget")],
        {"collect": ["ok", "size", "budget"]},
    ),
    "names moved down": (
        step("collect", {"collect": ["name", "size", "ok"]}),
        [("collect-0-order", "3")],
        {"collect": ["size", "ok", "name"]},
    ),
    "the last name goes": (step("collect", {"collect": ["name"]}), [("collect-0-remove", "on")], {}),
    "how to ask": (
        step("collect", {"ask": {"name": "Ask it"}}),
        [("ask-new0-name", "size"), ("ask-new0-value", "How big?")],
        {"ask": {"name": "Ask it", "size": "How big?"}},
    ),
    "one branch": (
        step("prompt", BRANCHES),
        [("branches-0-condition-when-when", "begs")],
        {**BRANCHES, "branches": [{"when": "begs", "then": {"step": "a"}, "more": 1}, BRANCHES["branches"][1]]},
    ),
    "one clause of a branch": (
        step("prompt", BRANCHES),
        [("branches-1-condition-if-if-1-field", "name")],
        {
            **BRANCHES,
            "branches": [
                BRANCHES["branches"][0],
                {**BRANCHES["branches"][1], "if": {"equals": {"budget": 1.0}, "known": ["name"]}},
            ],
        },
    ),
    "branches change places": (
        step("prompt", BRANCHES),
        [("branches-1-order", "1")],
        {**BRANCHES, "branches": BRANCHES["branches"][::-1]},
    ),
    "a branch of a wait": (
        step("wait", {"wait": "1h"}),
        [("branches-new0-condition", "if"), ("branches-new0-then", "end")],
        {"wait": "1h", "branches": [{"if": {}, "then": "end"}]},
    ),
    "a typed value": (
        step("if", {"if": {"equals": {"size": 1.0, "budget": 2.0}}}),
        [("if-0-value", "2")],
        {"if": {"equals": {"size": 2, "budget": 2.0}}},
    ),
    "a value of another type": (
        step("if", {"if": {"equals": {"size": 1}}}),
        [("if-0-field", "ok"), ("if-0-value", "yes")],
        {"if": {"equals": {"ok": True}}},
    ),
    "silenced": (
        step("if", {"if": {}}),
        [("if-new0-kind", "silenced"), ("if-new0-value", "no")],
        {"if": {"silenced": False}},
    ),
    "a registered condition": (
        step("if", {"if": {"known": ["name"]}}),
        [("if-new0-kind", "is:vip"), ("if-new0-value", "yes")],
        {"if": {"known": ["name"], "vip": True}},
    ),
    "a list for a condition": (
        step("if", {"if": {"tagged": ["a", "b"]}}),
        [("if-0-value", "a\n7")],
        {"if": {"tagged": ["a", "7"]}},
    ),
    "names with values for a condition": (
        step("if", {"if": {"near": {"x": 1.0, "y": 2}}}),
        [("if-0-value", "x: 1\ny: 2,5")],
        {"if": {"near": {"x": 1.0, "y": 2.5}}},
    ),
    "a number without a type": (step("if", {"if": {"level": "5"}}), [("if-0-value", "6")], {"if": {"level": 6}}),
    "a text in quotes": (step("if", {"if": {"level": 5}}), [("if-0-value", '"6"')], {"if": {"level": "6"}}),
    "a part of a condition that no input shows goes": (
        step("if", {"if": {"equals": 5, "known": ["name"]}}),
        [("if-0-remove", "on")],
        {"if": {"known": ["name"]}},
    ),
    "a condition that must be there": (step("if", {"if": {"known": ["name"]}}), [("if-0-remove", "on")], {"if": {}}),
    "a condition that need not": (
        trigger("message", {"message": ["x"], "if": {"known": ["name"]}}),
        [("if-0-remove", "on")],
        {"message": ["x"]},
    ),
    "a parameter": (
        step("do", CALL),
        [("do-with-to", "{{data.name}}"), ("do-with-tags", "a\n{{data.x}}")],
        {"do": "notify", "with": {**CALL["with"], "to": "{{data.name}}", "tags": ["a", "{{data.x}}"]}},
    ),
    "a cleared parameter": (
        step("do", CALL),
        [("do-with-times", "")],
        {"do": "notify", "with": {"to": "x", "deep": {"a": 1}}},
    ),
    "a value that no input shows goes": (
        step("do", CALL),
        [("do-with-deep-drop", "on")],
        {"do": "notify", "with": {"to": "x", "times": 1.0}},
    ),
    "a template for a number": (
        step("do", CALL),
        [("do-with-times", "{{data.n}}")],
        {"do": "notify", "with": {**CALL["with"], "times": "{{data.n}}"}},
    ),
    "another action": (step("do", CALL), [("do", "save")], {"do": "save", "with": {"to": "x"}}),
    "no action": (step("do", {**CALL, "onFail": "end"}), [("do", "")], {"onFail": "end"}),
    "an event to wait for": (
        step("waitEvent", {"wait": {"event": "paid", "more": 1}}),
        [("wait-upTo", "2")],
        {"wait": {"event": "paid", "more": 1, "upTo": "2d"}},
    ),
    "no tools": (step("prompt", {"prompt": "x"}), [("tools", "none")], {"prompt": "x", "tools": []}),
    "all tools again": (step("prompt", {"prompt": "x", "tools": []}), [("tools", "")], {"prompt": "x"}),
    "some tools": (
        step("prompt", {"prompt": "x", "tools": ["gone", "book"]}),
        [("tools-chosen", "gone"), ("tools-chosen", "search")],
        {"prompt": "x", "tools": ["gone", "search"]},
    ),
    "an instruction keeps its id": (
        step("prompt", {"prompt": "x", "instructions": [{"id": "i7", "when": "late", "prompt": "Be brief"}]}),
        [("instructions-0-kind", "must"), ("instructions-0-when", "late\nearly")],
        {
            "prompt": "x",
            "instructions": [{"id": "i7", "when": ["late", "early"], "prompt": "Be brief", "kind": "must"}],
        },
    ),
    "phrases": (
        trigger("message", {"message": ["a", "!b"]}),
        [("message", "a\n\n c \n!d")],
        {"message": ["a", "c", "!d"]},
    ),
    "no phrase is a catch-all": (trigger("message", {"message": ["a"]}), [("message", "")], {"message": []}),
    "repeat once": (
        trigger("message", {"message": [], "repeat": "always"}),
        [("repeat", "once")],
        {"message": [], "repeat": "once"},
    ),
    "repeat as usual": (trigger("message", {"message": [], "repeat": "always"}), [("repeat", "")], {"message": []}),
    "a pause": (
        trigger("event", {"event": "paid"}),
        [("repeat", "cooldown"), ("repeat-cooldown-cooldown", "7"), ("repeat-cooldown-cooldown-unit", "d")],
        {"event": "paid", "repeat": {"cooldown": "7d"}},
    ),
    "a delay": (
        trigger("event", {"event": "paid"}),
        [("after", "1"), ("event", "booked")],
        {"event": "booked", "after": "1m"},
    ),
    "opening hours no more": (trigger("silence", {"silence": "1h", "businessHours": True}), [], {"silence": "1h"}),
    "a new parameter": (
        trigger("mention", {"mention": ["x"], "extract": {"a": {"type": "string"}}}),
        [
            ("extract-new0-name", "b"),
            ("extract-new0-value-type", "array"),
            ("extract-new0-value-items-type", "integer"),
            ("extract-new0-value-items-enum", "1\n2"),
            ("extract-new0-value-optional", "on"),
        ],
        {
            "mention": ["x"],
            "extract": {
                "a": {"type": "string"},
                "b": {"type": "array", "items": {"type": "integer", "enum": [1, 2]}, "optional": True},
            },
        },
    ),
    "a parameter renamed": (
        trigger("mention", {"mention": ["x"], "extract": {"a": {"type": "string", "more": 1}}}),
        [("extract-0-name", "z")],
        {"mention": ["x"], "extract": {"z": {"type": "string", "more": 1}}},
    ),
    "the type of an enum": (
        forms.field_fields({"type": "string", "enum": ["1", "2"]}),
        [("value-type", "integer")],
        {"type": "integer", "enum": [1, 2]},
    ),
    "a value of an enum": (
        forms.field_fields({"type": "string", "enum": ["1", "1.0"], "more": 1}),
        [("value-enum", "5\n1.0")],
        {"type": "string", "enum": ["5", "1.0"], "more": 1},
    ),
    "a new variable": (
        forms.agent_head_fields({}, NAMES),
        [("variables-new0-name", "n")],
        {"variables": {"n": {}}},
    ),
    "guidance that was cleared": (
        step("collect", {"ask": {"name": "x", "ok": "y"}}),
        [("ask-0-value", "")],
        {"ask": {"ok": "y"}},
    ),
    "a variable's type": (
        forms.agent_head_fields({"variables": {"n": {"type": "string", "initial": "5"}}}, NAMES),
        [("variables-0-value-type", "integer")],
        {"variables": {"n": {"type": "integer", "initial": 5}}},
    ),
    "idle is silent": (
        forms.agent_head_fields({"idle": {"prompt": "x"}}, NAMES),
        [("idle", "silent")],
        {"idle": "silent"},
    ),
    "idle answers": (
        forms.agent_head_fields({"idle": "silent"}, NAMES),
        [("idle", "prompt")],
        {"idle": {"prompt": ""}},
    ),
    "compaction": (
        forms.agent_head_fields({"compaction": {"maxTokens": 9.0}}, NAMES),
        [("compaction-compactionThreshold", "0,7"), ("compaction-enabled", "no")],
        {"compaction": {"maxTokens": 9.0, "compactionThreshold": 0.7, "enabled": False}},
    ),
    "a property of a schema": (
        forms.tool_fields("python", {"parameters": SCHEMA}, NAMES),
        [("parameters-0-value-required", "on"), ("parameters-0-value-description", "Q")],
        {
            "parameters": {
                "type": "object",
                "properties": {"q": {"type": "string", "format": "date", "description": "Q"}, "w": {"type": "object"}},
                "required": ["q"],
            }
        },
    ),
    "a first parameter of a tool": (
        forms.tool_fields("python", {}, NAMES),
        [("parameters-new0-name", "q"), ("parameters-new0-value-type", "string")],
        {"parameters": {"type": "object", "properties": {"q": {"type": "string"}}}},
    ),
    "an argument": (
        forms.condition_fields("compare", {"path": "data.name", "op": "eq"}, NAMES),
        [("op", "in"), ("argument-type", "array")],
        {"path": "data.name", "op": "in", "argument": {"type": "array"}},
    ),
    "http stays": (
        forms.action_fields("http", {"request": {"url": "https://x"}, "answer": 5}, NAMES),
        [("idempotent", "no")],
        {"request": {"url": "https://x"}, "answer": 5, "idempotent": False},
    ),
    "a body that is no object": (step("say", ["x"]), [("say", "Hi")], {"say": "Hi"}),
}


@pytest.mark.parametrize("case", CASES)
def test_an_edit_changes_its_part_and_nothing_else(case):
    """Unknown keys, notations and the order of keys beside the edited input stay as they were."""
    assembly, changes, expected = CASES[case]
    without = ["businessHours"] if case == "opening hours no more" else []
    body = saved(assembly, *changes, without=without)
    assert json.dumps(body) == json.dumps(expected)


@pytest.mark.parametrize("part", range(2))
def test_a_change_of_one_field_leaves_the_others_of_any_body(part):
    """Whatever a body holds: another first text changes its own key alone."""
    for body, assembly in sampled_bodies(part, 20):
        name = next((name for name, field in assembly.fields.items() if type(field.part).__name__ == "Text"), None)
        if name is not None:
            assert saved(assembly, (name, "another text")) == {**body, name: "another text"}


def test_what_was_not_on_the_page_stays():
    """A post that lacks the inputs of a field, as from a program or a cut page, does not clear it."""
    assembly = step("say", {"say": "Hi", "then": "b"})
    form = form_class(assembly)({"say-shown": "1", "say": "Ho"})
    assert form.is_valid()
    assert assembly.body_of(form.cleaned_data) == {"say": "Ho", "then": "b"}
    assert assembly.body_of({}) == {"say": "Hi", "then": "b"}


def test_a_field_that_may_not_be_changed_is_not():
    """A disabled field shows its inputs, sends none and keeps its value."""
    assembly = step("say", SAY)
    assembly.fields["say"].disabled = True
    form, html = rendered(assembly)
    assert "say" not in dict(page(html).sent)
    assert "Hi" in html
    form = form_class(assembly)(sent(html, ("say", "Ho"), ("say-shown", "1")))
    assert form.is_valid()
    assert assembly.body_of(form.cleaned_data) == SAY


def test_the_inputs_of_another_action_are_at_hand():
    """A chosen action's parameters come at once with scripts, out of a template, under the names that are read."""
    _, html = rendered(step("do", {"do": "save"}))
    template = html.split('<template data-falai-of="notify">')[1].split("</template>")[0]
    assert 'name="do-with-times"' in template
    assert "do-with-times" not in dict(page(html).sent)


def test_an_unchanged_field_is_not_among_the_changed_ones():
    """The admin's history names what was changed, and nothing else."""
    assembly = step("say", {"say": "Hi", "then": {"step": "b"}})
    _, html = rendered(assembly)
    assert form_class(assembly)(sent(html, ("say", "Ho"))).changed_data == ["say"]
