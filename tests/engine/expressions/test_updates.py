"""Updates at work: what the model is asked for, and what one call writes (spec: update-state.md, rules)."""

from __future__ import annotations

import copy

import jsonschema
import pytest

from falai_engine.expressions import (
    Update,
    UpdateOutcome,
    apply_updates,
    parameter_names,
    parameter_schema,
    parse_expression,
    state_reader,
)
from falai_engine.flows import Field, Variable

DECLARED = {
    "a": Field("string"),
    "b": Field("string"),
    "a_2": Field("boolean"),
    "plan": Field("string", enum=["basic", "gold"]),
    "people": Field("integer"),
    "should_escalate": Variable("boolean"),
    "retry_count": Variable("integer", initial=0),
    "score": Variable("number"),
}


def updates(**texts):
    return [Update(variable, parse_expression(text)) for variable, text in texts.items()]


def optional(variable, text):
    return Update(variable, parse_expression(text), required=False)


def apply(given, data=None, arguments=None):
    return apply_updates(given, data or {}, {} if arguments is None else arguments, DECLARED)


def test_the_model_has_one_parameter_for_each_llm_node():
    """Named after the variable that is set, typed and described as the node, closed; constants add none."""
    given = [
        *updates(should_escalate='(llm: "the customer sounds frustrated") OR (retry_count > 3)', a='"x"'),
        optional("plan", 'llm string("basic", "gold"): "which plan"'),
    ]
    assert parameter_schema(given) == {
        "type": "object",
        "properties": {
            "should_escalate": {"type": "boolean", "description": "the customer sounds frustrated"},
            "plan": {"type": "string", "description": "which plan", "enum": ["basic", "gold"]},
        },
        "required": ["should_escalate"],
        "additionalProperties": False,
    }
    jsonschema.Draft202012Validator.check_schema(parameter_schema(given))


def test_a_tool_without_llm_nodes_has_an_empty_parameter_list():
    """Constants and variables alone ask nothing of the model."""
    assert parameter_schema(updates(a="b", retry_count="retry_count + 1"))["properties"] == {}


def test_several_llm_nodes_of_one_update_are_numbered():
    """The first has the plain name, the next `_2`, `_3`; all of a required update are required."""
    given = updates(a='(llm string: "x") + (llm string: "y") + (llm string: "z")')
    assert parameter_names(given) == (("a", "a_2", "a_3"),)
    assert parameter_schema(given)["required"] == ["a", "a_2", "a_3"]


@pytest.mark.parametrize("order", [1, -1])
def test_a_number_skips_names_in_use(order):
    """A variable's own name is its parameter's, whichever update stands first; the numbered one moves on."""
    given = updates(a='(llm string: "x") + (llm string: "y")', a_2='llm: "z"')[::order]
    assert parameter_names(given) == (("a", "a_3"), ("a_2",))[::order]


def test_a_variable_that_asks_nothing_keeps_no_parameter_name():
    """Only names of parameters are in use: a constant set to `a_2` does not push the number on."""
    assert parameter_names(updates(a='llm: "x" AND llm: "y"', a_2="true")) == (("a", "a_2"), ())


def test_the_example_of_the_spec():
    """`should_escalate = (llm) OR (retry_count > 3)`, by the model and by the count."""
    given = updates(should_escalate='(llm: "the customer sounds frustrated") OR (retry_count > 3)')
    assert apply(given, {}, {"should_escalate": True}) == UpdateOutcome({"should_escalate": True})
    assert apply(given, {"retry_count": 4}, {"should_escalate": False}).written == {"should_escalate": True}
    assert apply(given, {"retry_count": 3}, {"should_escalate": False}).written == {"should_escalate": False}


def test_a_swap_works():
    """Every expression sees the state before the call, so the order of updates does not matter."""
    for given in (updates(a="b", b="a"), updates(b="a", a="b")):
        assert apply(given, {"a": "1", "b": "2"}).written == {"a": "2", "b": "1"}
    assert apply(updates(a="b", b="a"), {"a": "1"}).written == {"a": None, "b": "1"}


@pytest.mark.parametrize(("data", "value"), [({}, 1), ({"retry_count": None}, 1), ({"retry_count": 4}, 5)])
def test_a_counter_starts_from_its_initial(data, value):
    """A variable without a value reads as its initial: `retry_count + 1` is 1 in a fresh session."""
    assert apply(updates(retry_count="retry_count + 1"), data).written == {"retry_count": value}


def test_the_initial_is_only_read():
    """Reading a variable stores nothing; a field has no initial; a name that nobody declared is null."""
    data = {"people": 3}
    read = state_reader(data, DECLARED)
    assert [read(name) for name in ("retry_count", "people", "plan", "stranger")] == [0, 3, None, None]
    assert data == {"people": 3}


@pytest.mark.parametrize("arguments", [{}, {"people": 3}, {"people": 3, "plan": None}])
def test_a_required_value_left_out_makes_the_call_invalid(arguments):
    """Missing or null: nothing is written, and the model reads which one it owes."""
    given = updates(people='llm integer: "how many"', plan='llm string: "which"', retry_count="7")
    outcome = apply(given, {}, arguments)
    assert outcome.written == outcome.skipped == {}
    assert outcome.invalid is not None
    assert "plan" in outcome.invalid
    assert ("people" in outcome.invalid) is ("people" not in arguments)


@pytest.mark.parametrize("arguments", [None, [], "people", 3])
def test_arguments_that_are_no_object_make_the_call_invalid(arguments):
    """Whatever the model sends in place of an object, nothing is written."""
    outcome = apply_updates(updates(retry_count="7"), {}, arguments, DECLARED)
    assert outcome == UpdateOutcome(invalid="the arguments must be an object")


@pytest.mark.parametrize("arguments", [{}, {"people": None}, {"people": 3}])
def test_an_optional_value_left_out_skips_its_update(arguments):
    """The variable keeps its value, the other updates are written; so when one of two values is missing."""
    given = [optional("people", '(llm integer: "adults") + (llm integer: "children")'), *updates(retry_count="7")]
    assert apply(given, {"people": 1}, arguments) == UpdateOutcome({"retry_count": 7}, {"people": "left out"})


def test_a_value_is_coerced_to_what_its_node_and_its_variable_take():
    """As any value of a model: text to a number by the node, a number to text or a whole number by the variable."""
    given = updates(score='(llm number: "score") * 2', people='llm number: "people"', a='llm integer: "code"')
    arguments = {"score": " 1,5 ", "people": 3.9, "a": "12"}
    assert apply(given, {}, arguments) == UpdateOutcome({"score": 3, "people": 3, "a": "12"})


def test_a_bad_value_leaves_its_variable_alone_and_says_why():
    """By the node's type or choices, or by the variable's; the rest of the call is written."""
    given = updates(
        people='llm integer: "people"',
        plan='llm string: "plan"',
        a='llm string("x", "y"): "letter"',
        should_escalate='"maybe"',
        score="score + 1",
        retry_count="7",
    )
    outcome = apply(given, {}, {"people": "many", "plan": "silver", "a": "z"})
    assert outcome == UpdateOutcome(
        {"retry_count": 7},
        {
            "people": 'bad-value: "many" is no integer',
            "plan": 'not-in-enum: "silver" is none of "basic", "gold"',
            "a": 'not-in-enum: "z" is none of "x", "y"',
            "should_escalate": 'bad-value: "maybe" is no boolean',
            "score": '"+" needs numbers, not null and number',
        },
    )


def test_null_takes_a_value_away():
    """A null constant is written whatever the type, so a variable goes back to its initial."""
    assert apply(updates(people="null", plan="null"), {"people": 3}).written == {"people": None, "plan": None}


def test_a_value_that_is_false_or_zero_or_empty_is_a_value():
    """Only null and a missing key count as left out."""
    given = updates(should_escalate='llm: "x"', people='llm integer: "y"', a='llm string: "z"')
    arguments = {"should_escalate": False, "people": 0, "a": ""}
    assert apply(given, {}, arguments).written == arguments


def test_other_arguments_are_ignored():
    """A model that sends more than it was asked for has still answered."""
    assert apply(updates(people='llm integer: "x"'), {}, {"people": 3, "mood": "fine"}).written == {"people": 3}


def test_an_undeclared_variable_is_never_written():
    """Saving refuses it; should it come through all the same, it is skipped."""
    assert apply(updates(stranger="1")) == UpdateOutcome({}, {"stranger": "no field or variable of the agent"})


def test_the_state_and_the_arguments_are_only_read():
    """What is written comes back; nothing that was given changes."""
    data, arguments = {"a": "1", "people": [1]}, {"b": "x"}
    before = copy.deepcopy((data, arguments))
    apply(updates(b='a + (llm string: "x")', people="null"), data, arguments)
    assert (data, arguments) == before
