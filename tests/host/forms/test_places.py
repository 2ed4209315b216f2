"""Every problem is shown beside the input that it is about, and what was typed stays."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from falai_django import forms
from falai_engine.spec.steps import step_kind
from falai_engine.validation import Registries, validate_agent_all, validate_flow_all
from tests.engine.agent_error_cases import AGENT_ERRORS, merged
from tests.engine.flow_error_cases import FLOW_ERRORS, NAMES, REGISTRIES
from tests.host.forms.bodies import TRIGGERS
from tests.host.forms.browser import form_class, page, rendered, sent
from tests.host.forms.test_edits import NAMES as EDITED
from tests.host.forms.test_edits import step, trigger

# The row itself, and what its own columns hold: nothing that a form of a body shows.
NOT_OF_THE_BODY = {"", "id", "kind", "label", "name", "description", "steps", "on"}


@dataclass(frozen=True)
class Shown:
    path: str
    text: str
    severity: str = "error"


def of_flow(flow, path):
    """The assembly that a path of flow validation belongs to, and the path below its body."""
    names = forms.Names.of({**NAMES, "flows": [flow]}, flow.get("id"))
    found = re.match(r"(steps|on)\[(\d+)\]\.?(.*)", path)
    if found is None:
        return forms.flow_head_fields(flow, names), path
    body = flow[found[1]][int(found[2])]
    there = body if isinstance(body, dict) else {}
    if found[1] == "steps":
        kind = there["kind"] if there.get("kind") in forms.STEP_KINDS else step_kind(there) or "prompt"
        return forms.step_fields(kind, body, names), found[3]
    return forms.trigger_fields(next((kind for kind in TRIGGERS if kind in there), "message"), body, names), found[3]


def is_beside(html, place, text):
    """Whether the text stands in the notes of that input or group, tied to it."""
    notes = re.search(rf'id="{re.escape("id_" + place)}_notes"(.*?)</ul>', html, re.DOTALL)
    return notes is not None and text in notes[1] and f"id_{place}_notes" in page(html).described


CASES = [
    pytest.param(flow, problem, id=f"{number}-{problem.code}-{problem.path.encode('ascii', 'replace').decode()}")
    for number, (_code, flow, *_rest) in enumerate(FLOW_ERRORS)
    if isinstance(flow, dict)
    for problem in validate_flow_all(flow, REGISTRIES)
]


@pytest.mark.parametrize(("flow", "problem"), CASES)
def test_each_problem_of_a_flow_stands_beside_its_input(flow, problem):
    """For every error and warning that validation knows: the page shows it, at the input or group that it names."""
    assembly, path = of_flow(flow, problem.path)
    place = assembly.place(path)
    if path.split(".")[0] in NOT_OF_THE_BODY:
        assert place is None
        return
    assert place is not None
    form = form_class(assembly)()
    assert assembly.note(form, [Shown(path, "Mend this.")]) == []
    assert str(form).count("Mend this.") == 1
    if place.inner or not form.fields[place.field].widget.use_fieldset:
        assert is_beside(str(form), place.field + place.inner, "Mend this.")


def of_agent(document, path):
    names = forms.Names.of(document)
    found = re.match(r"(fields|actions|events|conditions|variables)\.([^.]+)\.?(.*)|(tools)\[(\d+)\]\.?(.*)", path)
    if found is None or found[1] == "variables":
        return forms.agent_head_fields(document, names), path
    sort, key, below = (found[1], found[2], found[3]) if found[1] else (found[4], int(found[5]), found[6])
    body = document[sort][key]
    kind = body.get("kind", "python") if isinstance(body, dict) else "python"
    make = {
        "fields": lambda: forms.field_fields(body),
        "events": lambda: forms.event_fields(body),
        "actions": lambda: forms.action_fields(kind, body, names),
        "conditions": lambda: forms.condition_fields(kind, body, names),
        "tools": lambda: forms.tool_fields(kind, body, names),
    }
    try:
        return make[sort](), below
    except KeyError:
        return None, below


AGENT_CASES = [
    pytest.param(document, problem, id=f"{number}-{problem.code}-{problem.path}")
    for number, (_code, more, *_rest) in enumerate(AGENT_ERRORS)
    for document in [merged(more)]
    for problem in validate_agent_all(document)
    if not problem.path.startswith("flows")
]


@pytest.mark.parametrize(("document", "problem"), AGENT_CASES)
def test_each_problem_of_an_agent_stands_beside_its_input(document, problem):
    """The same for the agent and its registries."""
    assembly, path = of_agent(document, problem.path)
    head = path.split(".")[0]
    if assembly is None or head in NOT_OF_THE_BODY - {"name", "description", "label"} or assembly.place(path) is None:
        # No form has it: the row itself, its kind, or a registry that is no registry.
        assert assembly is None or head in {*NOT_OF_THE_BODY, *["fields", "tools", "flows", "timezone", "specVersion"]}
        return
    form = form_class(assembly)()
    assert assembly.note(form, [Shown(path, "Mend this.")]) == []
    assert str(form).count("Mend this.") == 1


PLACES = [
    (step("say", {"say": "x", "then": "gone"}), "then", "then-step"),
    (step("say", {"say": "x", "then": {"step": "gone"}}), "then.step", "then-step"),
    (step("say", {"say": "x", "then": {"step": "a", "clear": ["x"]}}), "then.clear[0]", "then-clear-clear"),
    (step("say", {"say": "x", "then": {"flow": "gone"}}), "then.flow", "then-flow-flow"),
    (step("say", {"say": "x", "then": {"flow": "{{x}}"}}), "then.flow", "then-template-flow"),
    (step("say", {"say": "x", "then": 5}), "then", "then"),
    (step("say", {"say": "x", "media": {}}), "media.slug", "media-slug"),
    (step("say", {"say": "x", "sya": 1}), "sya", "other"),
    (
        step("prompt", {"branches": [{}, {"when": "x", "then": {"step": "gone"}}]}),
        "branches[1].then.step",
        "branches-1-then-step",
    ),
    (step("prompt", {"branches": [{"when": "x"}]}), "branches[0].when", "branches-0-condition-when-when"),
    (step("prompt", {"branches": [{"when": "x"}]}), "branches[0].then", "branches-0-then"),
    (step("prompt", {"branches": [{}]}), "branches[0]", "branches-0"),
    (
        step("prompt", {"branches": [{"if": {"known": ["x"]}}]}),
        "branches[0].if.known[0]",
        "branches-0-condition-if-if-0-field",
    ),
    (step("prompt", {"instructions": [{"when": ["a", 5]}]}), "instructions[0].when[1]", "instructions-0-when"),
    (step("prompt", {"tools": ["gone"]}), "tools[0]", "tools-chosen"),
    (step("collect", {"collect": ["name", "gone"]}), "collect[1]", "collect-1"),
    (step("collect", {"collect": ["name"], "ask": {"name": "x", "gone": "y"}}), "ask.gone", "ask-1-name"),
    (step("if", {"if": {"equals": {"name": "x", "size": "y"}}}), "if.equals.size", "if-1-value"),
    (step("if", {"if": {"equals": {"gone": "x"}}}), "if.equals.gone", "if-0-field"),
    (step("if", {"if": {"known": ["name"], "vip": 5}}), "if.vip", "if-1-value"),
    (step("if", {"if": {"gone": 5}}), "if.gone", "if-0-kind"),
    (step("if", {"if": {"a b": 5}}), 'if["a b"]', "if-0-kind"),
    (step("if", {"if": {"equals": {"name": None}}}), "if.equals.name", "if-0"),
    (step("do", {"do": "notify"}), "with.to", "do-with-to"),
    (step("do", {"do": "notify", "with": {"gone": 1}}), "with.gone", "do-with-gone"),
    (step("do", {"do": "notify", "with": {"tags": ["a", 1]}}), "with.tags[1]", "do-with-tags"),
    (step("do", {"do": "gone"}), "do", "do"),
    (step("waitEvent", {"wait": {"event": "gone", "upTo": "x"}}), "wait.upTo", "wait-upTo"),
    (step("wait", {"wait": "5 min"}), "wait", "wait"),
    (trigger("message", {"message": ["a", 5]}), "message[1]", "message"),
    (
        trigger("message", {"message": ["a"], "repeat": {"cooldown": "x"}}),
        "repeat.cooldown",
        "repeat-cooldown-cooldown",
    ),
    (
        trigger("mention", {"mention": ["a"], "extract": {"q": {"type": "array", "items": {"enum": []}}}}),
        "extract.q.items.enum",
        "extract-0-value-items-enum",
    ),
    (forms.field_fields({"type": "integer", "enum": ["x"]}), "enum[0]", "value-enum"),
    (forms.agent_head_fields({"idle": {"tools": ["gone"]}}, EDITED), "idle.tools[0]", "idle-prompt-tools-chosen"),
    (forms.agent_head_fields({"variables": {"n": {}}}, EDITED), "variables.n.type", "variables-0-value-type"),
    (forms.action_fields("http", {}, EDITED), "request.url", "request-url"),
    (forms.action_fields("update_state", {}, EDITED), "updates[0].variable", "updates"),
    (
        forms.tool_fields(
            "python", {"parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}, EDITED
        ),
        "parameters.properties.q.type",
        "parameters-0-value-type",
    ),
]


@pytest.mark.parametrize(
    ("assembly", "path", "name"), PLACES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_input_of_a_path(assembly, path, name):
    """A machine path leads to the very input, and that input is on the page."""
    place = assembly.place(path)
    assert place.field + place.inner == name
    form = form_class(assembly)()
    assembly.note(form, [Shown(path, "Mend this.", "warning")])
    assert str(form).count("Mend this.") == 1


def test_a_problem_that_no_input_owns_is_given_back():
    """It goes into the list at the top of the form; a field that was left out of the form counts as none."""
    assembly = step("say", {"say": "x"})
    left = [Shown("", "a"), Shown("kind", "b"), Shown("gone[0]", "c"), Shown("then", "d")]
    form = form_class(assembly)()
    del form.fields["then"]
    assert assembly.note(form, [*left, Shown("say", "e")]) == left


def test_forms_do_not_share_notes():
    """A problem of one page is not shown on the next."""
    assembly = step("say", {"say": "x"})
    assembly.note(form_class(assembly)(), [Shown("say", "Mend this.")])
    assert "Mend this." not in rendered(assembly)[1]


OWN = [
    (step("wait", {"wait": "1h"}), [("wait", "soon")], {"wait": "as 30 or 1.5"}),
    (step("wait", {"wait": "1h"}), [("wait-unit", "weeks")], {"wait": "of the list"}),
    (step("collect", {}), [("maxAsks", "many")], {"maxAsks": "whole number"}),
    (step("collect", {}), [("maxAsks", "0")], {"maxAsks": "1 or more"}),
    (step("say", {}), [("then", "step")], {"then-step": "Choose the step"}),
    (step("say", {}), [("then", "clear")], {"then-clear-step": "Choose the step"}),
    (step("say", {}), [("then", "flow")], {"then-flow-flow": "Choose the flow"}),
    (step("say", {}), [("then", "nowhere")], {"then": "of the list"}),
    (step("prompt", {}), [("tools", "chosen")], {"tools-chosen": "Choose a tool"}),
    (step("collect", {}), [("ask-new0-value", "x")], {"ask-new0-name": "a name"}),
    (step("collect", {}), [("ask-new0-name", "name")], {"ask-new0-value": "Fill this in"}),
    (step("if", {"if": {}}), [("if-new0-kind", "equals")], {"if-new0-field": "Choose the field"}),
    (step("if", {"if": {}}), [("if-new0-kind", "is:vip")], {"if-new0-value": "Give the value"}),
    (
        step("if", {"if": {"equals": {"size": 1, "ok": True}}}),
        [("if-0-value", "big"), ("if-1-value", "maybe")],
        {"if-0-value": "whole number", "if-1-value": "yes or no"},
    ),
    (
        step("if", {"if": {"equals": {"size": 1, "ok": True}}}),
        [("if-1-field", "size"), ("if-1-value", "2")],
        {"if-1-field": "row above"},
    ),
    (step("if", {"if": {"near": {}}}), [("if-0-value", "x")], {"if-0-value": "a colon"}),
    (
        step("do", {"do": "notify", "with": {"times": 1}}),
        [("do-with-times", "often"), ("do-with-urgent", "perhaps")],
        {"do-with-times": "whole number", "do-with-urgent": "yes or no"},
    ),
    (
        trigger("mention", {"extract": {"a": {"type": "string"}}}),
        [("extract-new0-name", "a"), ("extract-new0-value-type", "integer"), ("extract-new0-value-enum", "1\nx")],
        {"extract-new0-name": "taken", "extract-new0-value-enum": "“x”"},
    ),
    (
        trigger("message", {}),
        [("repeat", "cooldown"), ("if-new0-kind", "known")],
        {"repeat-cooldown-cooldown": "how long", "if-new0-field": "Choose the field"},
    ),
]


@pytest.mark.parametrize(("assembly", "typed", "told"), OWN, ids=range(len(OWN)))
def test_what_cannot_be_read_is_told_at_its_input(assembly, typed, told):
    """All at once, each at its own input, and the page holds what was typed."""
    posted = sent(rendered(assembly)[1], *typed)
    form, html = rendered(assembly, posted)
    assert not form.is_valid()
    assert sorted(form.errors) == sorted({name.split("-")[0] for name in told})
    for name, text in told.items():
        if name in form.fields:
            assert text in str(form.errors[name])
            assert html.count(text) == 1
        else:
            assert is_beside(html, name, text)
    again = page(html).sent
    assert set(typed) - {("wait-unit", "weeks"), ("then", "nowhere")} <= set(again)


def test_registries_of_the_cases_are_those_of_the_names():
    """The names that the pickers offer are those that validation knows."""
    names = forms.Names.of(NAMES)
    known = Registries.from_spec(NAMES)
    assert [each.name for each in names.fields] == list(known.fields)
    assert [each.name for each in names.actions] == list(known.actions)
    assert [each.name for each in names.conditions] == ["vip", "tagged", "matches", "level"]
