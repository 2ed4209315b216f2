"""Expressions and updates as JSON: what is read, what is written, and every problem with its path."""

from __future__ import annotations

import pytest

from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import (
    DEPTH_LIMIT,
    EXPRESSION_RULES,
    LITERAL_KINDS,
    NODE_LIMIT,
    Kind,
    Operator,
    check_updates,
    expression_from_json,
    expression_to_json,
    updates_from_json,
    updates_to_json,
)
from falai_engine.flows import Field, Variable

ONE = {"type": "number_literal", "value": 1}
DECLARED = {
    "name": Field("string"),
    "plan": Field("string", enum=["basic", "gold"]),
    "age": Field("integer"),
    "vip": Field("boolean"),
    "retry_count": Variable("integer", initial=0),
    "ratio": Variable("number"),
}

VALID = [
    {"type": "string_literal", "value": ""},
    {"type": "number_literal", "value": 1.5},
    {"type": "boolean_literal", "value": False},
    {"type": "null_literal", "value": None},
    {"type": "dynamic_variable", "name": "any name at all"},
    {"type": "llm", "prompt": "the customer sounds frustrated"},
    {"type": "llm", "value_schema": {"type": "boolean", "description": "frustrated"}},
    {"type": "llm", "value_schema": {"type": "integer", "description": "how many", "enum": [1, 2.0]}},
    {"type": "and_operator", "children": [ONE]},
    {"type": "or_operator", "children": [ONE, {"type": "and_operator", "children": [ONE, ONE]}]},
    *({"type": operator.value, "left": ONE, "right": ONE} for operator in list(Operator)[2:]),
    {"type": "conditional_operator", "condition": ONE, "trueExpression": ONE, "falseExpression": ONE},
]


def nested(depth):
    """An expression of AND inside AND, `depth` deep."""
    value = ONE
    for _ in range(depth - 1):
        value = {"type": "and_operator", "children": [value]}
    return value


def of(expression, variable="vip", **more):
    return [{"variable": variable, "expression": expression, **more}]


def problems(value, **options):
    return [(problem.path, problem.code) for problem in check_updates(value, DECLARED, **options)]


@pytest.mark.parametrize("value", VALID, ids=lambda value: f"{value['type']} {len(str(value))}")
def test_an_expression_comes_back_as_it_came_in(value):
    """What is written equals what was read, an `llm` in the same of its two forms."""
    assert expression_to_json(expression_from_json(value)) == value


def test_every_type_of_the_spec_is_read():
    """The examples above hold each type of node once, so none is forgotten in the table of forms."""
    others = {"dynamic_variable", "llm", "conditional_operator"}
    assert {value["type"] for value in VALID} == set(Operator) | set(LITERAL_KINDS) | others
    assert set(LITERAL_KINDS.values()) == set(Kind) - {Kind.OTHER}


def test_null_keys_count_as_not_given():
    """A writer that fills every key with null says nothing by it; a null constant may come without its value."""
    full = {"type": "llm", "prompt": "x", "value_schema": None, "left": None}
    assert expression_to_json(expression_from_json(full)) == {"type": "llm", "prompt": "x"}
    assert expression_to_json(expression_from_json({"type": "null_literal"})) == VALID[3]


@pytest.mark.parametrize("required", [{}, {"required": True}, {"required": False}])
def test_updates_come_back_as_they_came_in(required):
    """An explicit `required` stays, an absent one stays absent; absent means required."""
    value = of(ONE, **required)
    updates = updates_from_json(value)
    assert updates_to_json(updates) == value
    assert updates[0].is_required is required.get("required", True)


PROBLEMS = [
    # updates
    (None, "updates", "not-a-list"),
    ({}, "updates", "not-a-list"),
    ([], "updates", "not-a-list"),
    (["x"], "updates[0]", "not-an-object"),
    ([{}], "updates[0].variable", "missing"),
    ([{}], "updates[0].expression", "missing"),
    (of(None), "updates[0].expression", "missing"),
    (of(ONE, variable=3), "updates[0].variable", "not-text"),
    (of(ONE, variable=" "), "updates[0].variable", "blank"),
    (of(ONE, variable="agee"), "updates[0].variable", "undeclared"),
    (of(ONE, variable="age", required="no"), "updates[0].required", "not-a-boolean"),
    (of(ONE, variable="age", requried=False), "updates[0]", "unknown-key"),
    ([*of(ONE, "age"), *of(ONE, "age")], "updates[1].variable", "set-twice"),
    (of(ONE, "age") * 11, "updates", "too-many-updates"),
    # constants that can never be what the variable holds
    (of({"type": "string_literal", "value": "x"}, "age"), "updates[0].expression.value", "literal-misfit"),
    (of({"type": "string_literal", "value": "silver"}, "plan"), "updates[0].expression.value", "literal-misfit"),
    (of(ONE, "vip"), "updates[0].expression.value", "literal-misfit"),
    (
        of({**VALID[-1], "trueExpression": {"type": "boolean_literal", "value": True}}, "age"),
        "updates[0].expression.trueExpression.value",
        "literal-misfit",
    ),
    (
        of({**VALID[-1], "condition": {}, "falseExpression": {"type": "string_literal", "value": ""}}, "age"),
        "updates[0].expression.falseExpression.value",
        "literal-misfit",
    ),
    # nodes
    (of(3), "updates[0].expression", "not-an-object"),
    (of({}), "updates[0].expression.type", "missing"),
    (of({"type": "add"}), "updates[0].expression.type", "unknown-type"),
    (of({"type": ["x"]}), "updates[0].expression.type", "unknown-type"),
    (of({**ONE, "values": 1}, "age"), "updates[0].expression", "unknown-key"),
    (of({"type": "number_literal", "value": "1"}), "updates[0].expression.value", "literal-kind"),
    (of({"type": "number_literal", "value": True}), "updates[0].expression.value", "literal-kind"),
    (of({"type": "boolean_literal", "value": 1}), "updates[0].expression.value", "literal-kind"),
    (of({"type": "string_literal"}), "updates[0].expression.value", "literal-kind"),
    (of({"type": "null_literal", "value": 0}), "updates[0].expression.value", "literal-kind"),
    (of({"type": "number_literal", "value": 10**400}), "updates[0].expression.value", "unkeepable"),
    (of({"type": "number_literal", "value": float("nan")}), "updates[0].expression.value", "unkeepable"),
    (of({"type": "string_literal", "value": "x" * 10_001}), "updates[0].expression.value", "unkeepable"),
    (of({"type": "string_literal", "value": "\ud800"}), "updates[0].expression.value", "unkeepable"),
    (of({"type": "dynamic_variable"}), "updates[0].expression.name", "missing"),
    (of({"type": "dynamic_variable", "name": "nmae"}), "updates[0].expression.name", "undeclared"),
    (of({"type": "and_operator", "children": []}), "updates[0].expression.children", "not-a-list"),
    (of({"type": "or_operator", "children": "x"}), "updates[0].expression.children", "not-a-list"),
    (of({"type": "or_operator", "children": [3]}), "updates[0].expression.children[0]", "not-an-object"),
    (of({"type": "eq_operator", "left": ONE}), "updates[0].expression.right", "missing"),
    (of({"type": "conditional_operator"}), "updates[0].expression.trueExpression", "missing"),
    # llm
    (of({"type": "llm"}), "updates[0].expression.prompt", "missing"),
    (of({"type": "llm", "prompt": " "}), "updates[0].expression.prompt", "blank"),
    (of({"type": "llm", "prompt": 3}), "updates[0].expression.prompt", "not-text"),
    (of({"type": "llm", "value_schema": 3}), "updates[0].expression.value_schema", "not-an-object"),
    (of({"type": "llm", "value_schema": {}}), "updates[0].expression.value_schema.description", "missing"),
    (of({"type": "llm", "value_schema": {}}), "updates[0].expression.value_schema.type", "missing"),
    (of({"type": "llm", "value_schema": {"type": "array"}}), "updates[0].expression.value_schema.type", "value-type"),
    (
        of({"type": "llm", "prompt": "x", "value_schema": VALID[6]["value_schema"]}),
        "updates[0].expression.prompt",
        "llm-twice",
    ),
    *(
        (
            of({"type": "llm", "value_schema": {"type": "integer", "description": "x", "enum": enum}}),
            f"updates[0].expression.value_schema.enum{at}",
            code,
        )
        for enum, at, code in [
            ([], "", "not-a-list"),
            ("12", "", "not-a-list"),
            ([1, "2"], "[1]", "enum-value"),
            ([1.5], "[0]", "enum-value"),
            ([True], "[0]", "enum-value"),
            ([None], "[0]", "enum-value"),
        ]
    ),
    (
        of({"type": "llm", "value_schema": {"type": "string", "description": "x", "enum": ["a", "\ud800"]}}),
        "updates[0].expression.value_schema.enum[1]",
        "unkeepable",
    ),
    # limits
    (of(nested(DEPTH_LIMIT + 1)), "updates[0].expression" + ".children[0]" * DEPTH_LIMIT, "too-deep"),
    (
        of({"type": "and_operator", "children": [ONE] * NODE_LIMIT}),
        f"updates[0].expression.children[{NODE_LIMIT - 1}]",
        "too-many-nodes",
    ),
]


@pytest.mark.parametrize(("value", "path", "code"), PROBLEMS)
def test_a_problem_is_found_at_its_place(value, path, code):
    """Each mistake is said at the machine path of the form field that holds it."""
    assert (path, code) in problems(value)


@pytest.mark.parametrize(("value", "path", "code"), PROBLEMS)
def test_what_is_wrong_in_itself_cannot_be_read(value, path, code):
    """Reading refuses what checking finds, save what only the declarations tell; the error carries the path."""
    if code in {"undeclared", "literal-misfit"}:
        return
    with pytest.raises(FlowConfigurationError) as raised:
        updates_from_json(value)
    assert raised.value.where.startswith("updates")


def test_every_rule_has_its_example():
    """No code is without an example above, and each says what is wrong and what to do next."""
    found = {problem.code for value, _, _ in PROBLEMS for problem in check_updates(value, DECLARED)}
    assert found | {"llm-in-action"} == set(EXPRESSION_RULES)
    for value, _, _ in PROBLEMS:
        for problem in check_updates(value, DECLARED):
            assert problem.what
            assert problem.fix
            assert len(str(problem.error())) < 600


def test_what_is_right_has_no_problem():
    """Constants that can be coerced fit, null takes a value away, and every kind of node may stand in an update."""
    assert problems(of({"type": "string_literal", "value": "12"}, "age")) == []
    assert problems(of({"type": "string_literal", "value": "sim"}, "vip")) == []
    assert problems(of({"type": "string_literal", "value": "gold"}, "plan")) == []
    assert problems(of({"type": "null_literal", "value": None}, "age")) == []
    assert problems(of(nested(DEPTH_LIMIT))) == []
    assert problems(of({"type": "and_operator", "children": [ONE] * (NODE_LIMIT - 1)})) == []


def test_all_problems_are_found_at_once():
    """One look tells everything: a broken part hides neither its neighbours nor the update after it."""
    broken = {
        "type": "and_operator",
        "children": [{"type": "nope"}, {"type": "eq_operator", "left": {"type": "dynamic_variable", "name": "nmae"}}],
    }
    value = [{"variable": "agee", "expression": broken, "required": 3}, {"variable": "agee"}]
    assert problems(value) == [
        ("updates[0].variable", "undeclared"),
        ("updates[0].required", "not-a-boolean"),
        ("updates[0].expression.children[0].type", "unknown-type"),
        ("updates[0].expression.children[1].left.name", "undeclared"),
        ("updates[0].expression.children[1].right", "missing"),
        ("updates[1].variable", "undeclared"),
        ("updates[1].variable", "set-twice"),
        ("updates[1].expression", "missing"),
    ]


def test_a_misspelt_name_gets_the_one_that_was_meant():
    """The next thing to do is a name to write, where one is near; paths start where the caller says."""
    (problem,) = check_updates(of(ONE, "retry_cuont"), DECLARED, "tools[2].updates")
    assert problem.path == "tools[2].updates[0].variable"
    assert problem.fix == 'Write "retry_count", or declare it'
    (problem,) = check_updates(of({"type": "add_operater", "left": ONE, "right": ONE}), DECLARED)
    assert problem.fix == 'Write "add_operator"'
    (problem,) = check_updates(of(ONE, "zzz"), DECLARED)
    assert problem.fix == "Declare it on the agent"


def test_an_action_has_no_llm_node():
    """Code runs an action, so there an `llm` node is a mistake, each at its own path."""
    asked = {"type": "llm", "prompt": "x"}
    value = of({"type": "or_operator", "children": [asked, {"type": "boolean_literal", "value": True}, asked]})
    assert problems(value) == []
    assert problems(value, allow_llm=False) == [
        ("updates[0].expression.children[0]", "llm-in-action"),
        ("updates[0].expression.children[2]", "llm-in-action"),
    ]


def deep_lists(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def deep_conditionals(depth, key):
    value = ONE
    for _ in range(depth):
        value = {"type": "conditional_operator", key: value}
    return value


def wide(children, depth):
    """A tree that is the same object at each level, so that only its shape is big."""
    value = WATCHED
    for _ in range(depth - 1):
        value = Watched({"type": "and_operator", "children": [value] * children})
    return value


class Watched(dict):
    """An expression that counts how often it, or another like it, is looked into."""

    looks = 0

    def items(self):
        Watched.looks += 1
        return super().items()


class WatchedList(list):
    """A list that fails a test which goes on far beyond the limit of nodes."""

    def __iter__(self):
        for index, item in enumerate(super().__iter__()):
            assert index <= NODE_LIMIT
            yield item


MANY = 100_000
WATCHED = Watched(ONE)
HOSTILE = {
    "lists far too deep": deep_lists(MANY),
    "conditions far too deep": of(deep_conditionals(MANY, "condition")),
    "results far too deep": of(deep_conditionals(MANY, "trueExpression")),
    "children far too deep": of(nested(MANY)),
    "far too many children": of({"type": "and_operator", "children": WatchedList([WATCHED] * MANY)}),
    "far too many broken children": of({"type": "and_operator", "children": WatchedList([None] * MANY)}),
    "wide at every level": of(wide(3, DEPTH_LIMIT)),
    "far too many choices": of(
        {"type": "llm", "value_schema": {"type": "integer", "description": "x", "enum": ["x"] * MANY}}
    ),
    "far too many keys": of({**ONE, **dict.fromkeys(map(str, range(MANY)), 1)}),
    "far too many updates": of(WATCHED, "age") * MANY,
    "a very long text": of({"type": "string_literal", "value": "x" * 1_000_000}),
    "a very long name": of({"type": "dynamic_variable", "name": "x" * 1_000_000}),
    "a very long type": of({"type": "x" * 1_000_000}),
    "a very long variable": of(ONE, "x" * 1_000_000),
    "an integer of 10,000 digits": of({"type": "number_literal", "value": 10**10_000}),
    "a list as a constant": of({"type": "number_literal", "value": deep_lists(MANY)}),
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_json_is_refused_in_few_steps_and_words(value, monkeypatch):
    """However deep, wide or long the JSON: little of it is looked at, and a few short problems come out."""
    monkeypatch.setattr(Watched, "looks", 0)
    found = check_updates(value, DECLARED)
    assert 0 < len(found) <= 2 * NODE_LIMIT
    assert all(len(str(problem.error())) < 2_000 for problem in found)
    assert Watched.looks <= NODE_LIMIT
    with pytest.raises(FlowConfigurationError):
        updates_from_json(value)
    with pytest.raises(FlowConfigurationError):
        expression_from_json(value)
