"""Flows as JSON: what is read is what is written, exactly."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine import flows
from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import (
    Branch,
    Chain,
    Collect,
    Cooldown,
    Do,
    EventTrigger,
    Field,
    Flow,
    GoTo,
    Idle,
    If,
    Instruction,
    MentionTrigger,
    MessageTrigger,
    OnEnd,
    Prompt,
    Repeat,
    Say,
    SilenceTrigger,
    Variable,
    Wait,
    WaitEvent,
)
from falai_engine.registry import Action, Event, Tool
from falai_engine.spec import (
    MAX_DEPTH,
    event_from_spec,
    event_to_spec,
    field_from_spec,
    field_to_spec,
    flow_from_spec,
    flow_to_spec,
    idle_from_spec,
    idle_to_spec,
    instruction_from_spec,
    instruction_to_spec,
    variable_from_spec,
    variable_to_spec,
)
from falai_engine.spec.declarations import EVENT, FIELD, IDLE, INSTRUCTION, VARIABLE
from falai_engine.spec.flow import FLOW
from falai_engine.spec.steps import STEPS
from falai_engine.spec.targets import BRANCH, CHAIN, GO_TO
from falai_engine.spec.triggers import TRIGGERS

UNITS = json.loads((Path(__file__).parent.parent / "vectors" / "units.json").read_text(encoding="utf-8"))

CONDITION = {"equals": {"ok": True, "n": 1}, "known": ["name"], "silenced": False, "vip": {"level": [1, 2.5]}}
INSTRUCTIONS = [
    {"id": "i", "kind": "must", "when": ["a", "b"], "if": CONDITION, "prompt": "be brief"},
    {"when": "always", "prompt": "be kind"},
]
BRANCHES = [
    {"when": "wants to leave", "then": "end"},
    {"if": CONDITION, "then": {"step": "a", "clear": ["name"]}},
    {"when": "has questions", "then": {"flow": "faq", "input": {"from": "{{data.name}}", "deep": [{"x": 1}]}}},
]
TALK = {"ask": {"name": "the name"}, "maxAsks": 2, "branches": BRANCHES, "tools": ["t"], "instructions": INSTRUCTIONS}
COMMON = {"label": "L", "then": {"step": "a", "clear": []}, "ui": {"x": 1.5, "pinned": True, "tags": [0, False]}}
EVERYTHING = {
    "id": "f",
    "name": "F",
    "description": "about it",
    "on": [
        {"message": ["hi", "!bye"], "repeat": "always", "if": CONDITION},
        {"message": []},
        {"mention": ["rival"], "extract": {"who": {"type": "string", "enum": ["a"], "optional": True}}},
        {"silence": "24h", "businessHours": True, "repeat": {"cooldown": "3d"}},
        {"event": "paid", "after": "5m", "businessHours": False, "repeat": "once"},
    ],
    "anchor": "lead",
    "while": CONDITION,
    "collect": ["name"],
    "clearOnStart": ["n"],
    "steps": [
        {"id": "a", "kind": "prompt", "prompt": "help", **TALK, **COMMON},
        {"id": "b", "kind": "collect", "collect": ["name"], "prompt": "p", "question": "q?", **TALK, **COMMON},
        {"id": "c", "kind": "say", "say": "hello", "media": {"slug": "m"}, "once": True, **COMMON},
        {"id": "d", "kind": "do", "do": "act", "with": {"n": 1, "b": True, "l": ["x"]}, "onFail": "end", **COMMON},
        {
            "id": "e",
            "kind": "wait",
            "wait": "1h",
            "businessHours": True,
            "else": "a",
            "branches": BRANCHES[1:2],
            **COMMON,
        },
        {"id": "g", "kind": "waitEvent", "wait": {"event": "paid", "upTo": "2d"}, "else": "end", **COMMON},
        {"id": "h", "kind": "if", "if": CONDITION, "else": {"flow": "{{input.next}}"}, **COMMON},
    ],
    "onEnd": "stay",
    "instructions": INSTRUCTIONS,
    "tools": ["t"],
}


def text(value):
    """JSON as text: tells True from 1 and 1 from 1.0, and not the order of keys."""
    return json.dumps(value, sort_keys=True)


def with_nulls(value):
    """The same with a null-valued key in every object, but for those in `equals`, which mean something."""
    if isinstance(value, list):
        return [with_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: part if key == "equals" else with_nulls(part) for key, part in value.items()} | {"nothing": None}


@pytest.mark.parametrize("case", UNITS["roundTrip"], ids=lambda case: text(case["spec"]))
def test_vectors_of_the_round_trip(case):
    """Every vector comes back as it says."""
    assert text(flow_to_spec(flow_from_spec(case["spec"]))) == text(case["out"])


def test_every_word_of_the_format_survives_the_round_trip():
    """A flow that uses every key comes back exactly: no value coerced, none lost, none added."""
    assert text(flow_to_spec(flow_from_spec(EVERYTHING))) == text(EVERYTHING)


def test_a_flow_read_twice_is_the_same_flow():
    """The dataclasses of one spec are equal, and so are those of what they write."""
    flow = flow_from_spec(EVERYTHING)
    assert flow == flow_from_spec(EVERYTHING) == flow_from_spec(flow_to_spec(flow))


def test_nulls_are_dropped_at_every_depth():
    """A null means "not set" wherever an object may have one: in ui, with, input, conditions, extract too."""
    assert text(flow_to_spec(flow_from_spec(with_nulls(EVERYTHING)))) == text(EVERYTHING)


def test_a_null_in_equals_stays_for_validation_to_see():
    """`equals` with null is a mistake to be told, not to be hidden by dropping the null."""
    spec = {"id": "f", "steps": [{"id": "a", "if": {"equals": {"ok": None}}}], "while": {"known": None}}
    flow = flow_from_spec(spec)
    assert flow.steps[0].if_ == {"equals": {"ok": None}}
    assert flow.while_ == {}


def test_items_of_a_list_keep_their_places():
    """Only keys are optional; a null in a list is a value in a place."""
    flow = flow_from_spec({"id": "f", "steps": [{"id": "a", "do": "x", "with": {"l": [None, {"y": None}]}}]})
    assert flow.steps[0].with_ == {"l": [None, {}]}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"prompt": "x"}, "prompt"),
        ({"collect": ["name"]}, "collect"),
        ({"collect": ["name"], "prompt": "x"}, "collect"),
        ({"say": "x"}, "say"),
        ({"do": "x"}, "do"),
        ({"wait": "5m"}, "wait"),
        ({"wait": {"event": "e"}}, "waitEvent"),
        ({"if": {}}, "if"),
    ],
)
def test_the_kind_is_derived_from_the_body_and_always_written(body, kind):
    """A step may come without its kind, and leaves with it."""
    assert flow_to_spec(flow_from_spec({"id": "f", "steps": [{"id": "a", **body}]}))["steps"] == [
        {"id": "a", "kind": kind, **body}
    ]


@pytest.mark.parametrize("given", [0, False, "", [], {}, {"a": 1}])
def test_chain_input_that_is_given_is_kept(given):
    """Only an absent input means the run's own; every other one is the child's."""
    step = {"id": "a", "kind": "say", "say": "x", "then": {"flow": "g", "input": given}}
    flow = flow_from_spec({"id": "f", "steps": [step]})
    assert text(flow.steps[0].then.input) == text(given)
    assert text(flow_to_spec(flow)["steps"]) == text([step])


@pytest.mark.parametrize("then", [{"flow": "g"}, {"flow": "g", "input": None}])
def test_chain_input_that_is_not_given_stays_so(then):
    """Absent and null are the same: not given."""
    flow = flow_from_spec({"id": "f", "steps": [{"id": "a", "say": "x", "then": then}]})
    assert flow.steps[0].then == Chain("g")
    assert flow_to_spec(flow)["steps"][0]["then"] == {"flow": "g"}


def test_reading_makes_the_types_that_the_engine_runs():
    """Each piece of JSON becomes the dataclass or enum of its own, sequences become tuples."""
    flow = flow_from_spec(EVERYTHING)
    message, catch_all, mention, silence, event = flow.on
    assert message == MessageTrigger(phrases=("hi", "!bye"), repeat=Repeat.ALWAYS, if_=CONDITION)
    assert catch_all == MessageTrigger()
    assert isinstance(mention, MentionTrigger)
    assert silence == SilenceTrigger(after="24h", business_hours=True, repeat=Cooldown("3d"))
    assert event == EventTrigger(event="paid", after="5m", business_hours=False, repeat=Repeat.ONCE)
    assert [type(step) for step in flow.steps] == [Prompt, Collect, Say, Do, Wait, WaitEvent, If]
    assert flow.on_end is OnEnd.STAY
    assert flow.steps[0].branches[1] == Branch(GoTo("a", ("name",)), if_=CONDITION)
    assert flow.steps[0].instructions[1] == Instruction("be kind", when="always")


def test_a_flow_written_in_python_becomes_its_json():
    """Lists and tuples, enums and dataclasses are written as plain JSON."""
    flow = Flow(
        id="f",
        on=[MessageTrigger(phrases=["hi"], repeat=Cooldown("1d"))],
        steps=[
            Collect(id="a", collect=["name"], branches=(Branch("end", when="stop"),)),
            WaitEvent(id="b", event="paid", then=GoTo("a", ["name"])),
            Say(id="c", say="x", then=Chain("g", {"k": ("v", None), "n": None})),
        ],
        on_end=OnEnd.RESET,
    )
    assert flow_to_spec(flow) == {
        "id": "f",
        "on": [{"message": ["hi"], "repeat": {"cooldown": "1d"}}],
        "steps": [
            {"id": "a", "kind": "collect", "collect": ["name"], "branches": [{"when": "stop", "then": "end"}]},
            {"id": "b", "kind": "waitEvent", "wait": {"event": "paid"}, "then": {"step": "a", "clear": ["name"]}},
            {"id": "c", "kind": "say", "say": "x", "then": {"flow": "g", "input": {"k": ["v", None]}}},
        ],
        "onEnd": "reset",
    }


def always(scope):
    return True


ACTION = Action(lambda params, call: None)
TOOL = Tool(id="t", handler=lambda arguments, request: None)


@pytest.mark.parametrize(
    ("flow", "where", "path"),
    [
        (Flow(id="f", steps=[], while_=always), 'flow "f"', "while"),
        (Flow(id="f", steps=[], tools=["t", TOOL]), 'flow "f"', "tools[1]"),
        (Flow(id="f", steps=[], instructions=[Instruction("x", if_=always)]), 'flow "f"', "instructions[0].if"),
        (Flow(id="f", on=[MessageTrigger(if_=always)], steps=[]), 'flow "f", trigger #1', "if"),
        (Flow(id="f", steps=[Do(id="a", do=ACTION)]), 'flow "f", step "a"', "do"),
        (Flow(id="f", steps=[If(id="a", if_=always)]), 'flow "f", step "a"', "if"),
        (
            Flow(id="f", steps=[Prompt(id="a", prompt="x", branches=[Branch("end", if_=always)])]),
            'flow "f", step "a"',
            "branches[0].if",
        ),
        (Flow(id="f", steps=[Say(id="a", say="x", ui={"at": {1}})]), 'flow "f", step "a"', "ui.at"),
    ],
)
def test_what_has_no_json_form_is_refused_with_its_place(flow, where, path):
    """A predicate, an Action or a Tool given as a value cannot be exported, and the message says where it is."""
    with pytest.raises(FlowConfigurationError) as caught:
        flow_to_spec(flow)
    assert caught.value.where == where
    assert caught.value.what.startswith(f"`{path}` ")


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        (None, "flow"),
        ([], "flow"),
        ({}, "flow"),
        ({"id": 5, "steps": []}, "flow"),
        ({"id": "f"}, 'flow "f"'),
        ({"id": "f", "steps": {}}, 'flow "f"'),
    ],
)
def test_what_cannot_be_a_flow_is_refused(spec, where):
    """Without an id or a list of steps there is nothing to hold on to."""
    with pytest.raises(FlowConfigurationError) as caught:
        flow_from_spec(spec)
    assert caught.value.where == where


def test_nesting_has_a_limit_and_no_stack_overflows():
    """A document nested without end is refused, on the way in and on the way out."""
    deep = {}
    for _ in range(MAX_DEPTH):
        deep = {"x": deep}
    with pytest.raises(FlowConfigurationError, match="nested deeper"):
        flow_from_spec({"id": "f", "steps": [{"id": "a", "say": "x", "ui": deep}]})
    circle = []
    circle.append(circle)
    with pytest.raises(FlowConfigurationError, match="holds itself"):
        flow_to_spec(Flow(id="f", steps=[Say(id="a", say="x", ui=circle)]))


def test_reading_copies_and_changes_nothing():
    """The flow does not share lists or objects with the spec it came from."""
    spec = json.loads(json.dumps(EVERYTHING))
    flow = flow_from_spec(spec)
    spec["steps"][3]["with"]["n"] = 2
    spec["on"].clear()
    assert flow == flow_from_spec(EVERYTHING)


def test_every_attribute_has_a_row():
    """The tables of the translation are complete: no attribute of any dataclass is left behind."""
    shapes = [
        FLOW,
        FIELD,
        VARIABLE,
        EVENT,
        IDLE,
        INSTRUCTION,
        BRANCH,
        GO_TO,
        CHAIN,
        *STEPS.values(),
        *TRIGGERS.values(),
    ]
    for shape in shapes:
        assert {row.attribute for row in shape.rows} == {part.name for part in fields(shape.make)}
    told = {shape.make.__name__ for shape in shapes} | {"Cooldown", "OnEnd", "Repeat", "END", "Step", "Trigger"}
    assert set(flows.__all__) <= told


@pytest.mark.parametrize(
    ("read", "write", "spec", "value"),
    [
        (
            field_from_spec,
            field_to_spec,
            {"type": "string", "enum": ["a", "b"], "label": "L", "description": "d", "ask": "?", "extract": "asked"},
            Field("string", ("a", "b"), "L", "d", "?", "asked"),
        ),
        (variable_from_spec, variable_to_spec, {"type": "integer", "initial": 0}, Variable("integer", 0)),
        (variable_from_spec, variable_to_spec, {"type": "boolean", "shown": True}, Variable("boolean", shown=True)),
        (event_from_spec, event_to_spec, {"direction": "inbound"}, Event("inbound")),
        (event_from_spec, event_to_spec, {}, Event()),
        (idle_from_spec, idle_to_spec, "silent", "silent"),
        (idle_from_spec, idle_to_spec, {"prompt": "help", "tools": []}, Idle("help", ())),
        (instruction_from_spec, instruction_to_spec, INSTRUCTIONS[1], Instruction("be kind", when="always")),
    ],
)
def test_declarations_of_an_agent_both_ways(read, write, spec, value):
    """Fields, variables, events, idle and instructions are read and written like flows."""
    assert read(spec) == value
    assert text(write(value)) == text(spec)


@pytest.mark.parametrize(
    "read", [field_from_spec, variable_from_spec, event_from_spec, idle_from_spec, instruction_from_spec]
)
def test_a_declaration_that_is_no_object_is_refused(read):
    """The error is named after the place that the caller gives."""
    with pytest.raises(FlowConfigurationError) as caught:
        read(5, 'field "x"')
    assert caught.value.where == 'field "x"'


def test_a_declaration_without_what_it_needs_is_refused():
    """A field without a type cannot be."""
    with pytest.raises(FlowConfigurationError, match="`type` is missing"):
        field_from_spec({"type": None})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@given(ui=JSON, given_=JSON, input_=JSON)
def test_any_json_in_the_free_places_survives(ui, given_, input_):
    """ui, with and input hold whatever a host puts there, and it comes back without nulls and otherwise exact."""
    step = {"id": "a", "kind": "do", "do": "x", "with": {"p": given_}, "ui": ui, "then": {"flow": "g", "input": input_}}
    flow = flow_from_spec({"id": "f", "steps": [step]})
    assert text(flow_to_spec(flow)["steps"]) == text([without_nulls(step)])


@given(key=st.sampled_from(sorted(set(EVERYTHING) - {"id", "steps"})), junk=JSON)
def test_reading_keeps_what_it_cannot_read(key, junk):
    """A value of the wrong shape is neither lost nor an exception: an import can show it with its problem."""
    flow = flow_from_spec({**EVERYTHING, key: junk})
    assert replace(flow, id="g").id == "g"
    if not isinstance(junk, list | dict):
        assert flow_to_spec(flow).get(key) == junk
