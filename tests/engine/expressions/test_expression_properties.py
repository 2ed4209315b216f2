"""What holds of every expression, searched by hypothesis (spec: update-state.md)."""

from __future__ import annotations

import copy
import json
import string

from hypothesis import given
from hypothesis import strategies as st

from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import (
    DEPTH_LIMIT,
    LITERAL_KINDS,
    NODE_LIMIT,
    OPERATORS,
    VALUE_TYPES,
    Binary,
    Conditional,
    DynamicVariable,
    ExpressionSyntaxError,
    Family,
    Kind,
    Literal,
    Llm,
    Logical,
    Operator,
    Skip,
    Update,
    apply_updates,
    check_updates,
    depth,
    evaluate,
    expression_from_json,
    expression_to_json,
    format_expression,
    kind_of,
    llm_nodes,
    parameter_names,
    parameter_schema,
    parse_expression,
    updates_from_json,
    updates_to_json,
    walk,
)
from falai_engine.flows import Field, Variable

LOGICAL = [operator for operator in Operator if OPERATORS[operator].family is Family.LOGICAL]
BINARY = [operator for operator in Operator if OPERATORS[operator].family is not Family.LOGICAL]
TYPES = {
    **dict.fromkeys(LITERAL_KINDS, ("value",)),
    **dict.fromkeys(LOGICAL, ("children",)),
    **dict.fromkeys(BINARY, ("left", "right")),
    "dynamic_variable": ("name",),
    "llm": ("prompt", "value_schema"),
    "conditional_operator": ("condition", "trueExpression", "falseExpression"),
}
NAMES = ["name", "age", "vip", "retry_count", "ratio"]
DECLARED = {
    "name": Field("string", enum=["x", "y", ""]),
    "age": Field("integer"),
    "vip": Field("boolean"),
    "retry_count": Variable("integer", initial=0),
    "ratio": Variable("number"),
}

texts = st.text(max_size=8)
named = texts.filter(str.strip)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**300)
scalars = texts | numbers | st.booleans() | st.none()
odd_numbers = st.floats() | st.just(10**400)
json_values = st.recursive(
    scalars | odd_numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts | st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)
states = st.dictionaries(st.sampled_from(NAMES), json_values)


def of_type(name):
    values = {"string": texts, "number": numbers, "integer": st.integers(-9, 9), "boolean": st.booleans()}[name]
    enums = st.none() | st.lists(values, min_size=1, max_size=3).map(tuple)
    return st.builds(Llm, named, st.just(name), enums)


leaves = (
    scalars.map(Literal)
    | st.builds(DynamicVariable, st.sampled_from(NAMES) | named)
    | st.builds(Llm, named, short=st.just(value=True))
    | st.sampled_from(sorted(VALUE_TYPES)).flatmap(of_type)
)


def grown(inner):
    return (
        st.builds(Logical, st.sampled_from(LOGICAL), st.lists(inner, min_size=1, max_size=3).map(tuple))
        | st.builds(Binary, st.sampled_from(BINARY), inner, inner)
        | st.builds(Conditional, inner, inner, inner)
    )


def within_limits(node):
    return depth(node) <= DEPTH_LIMIT and len(list(walk(node))) <= NODE_LIMIT


nodes = st.recursive(leaves, grown, max_leaves=12).filter(within_limits)

# JSON that is nearly an expression, so that the search gets past the first check.
keys = st.sampled_from(sorted({key for parts in TYPES.values() for key in parts} | {"type", "enum"}))
nearly = st.recursive(
    json_values | nodes.map(expression_to_json),
    lambda inner: (
        st.builds(
            lambda name, body: {"type": name, **body},
            st.sampled_from(sorted(TYPES)),
            st.dictionaries(keys, inner | st.lists(inner, max_size=3), max_size=4),
        )
        | st.sampled_from(sorted(TYPES)).flatmap(
            lambda name: st.fixed_dictionaries({"type": st.just(name), **dict.fromkeys(TYPES[name], inner)})
        )
    ),
    max_leaves=8,
)
nearly_updates = (
    st.lists(
        st.fixed_dictionaries(
            {"variable": st.sampled_from(NAMES) | json_values, "expression": nearly},
            optional={"required": st.booleans() | json_values, "more": json_values},
        )
        | json_values,
        max_size=12,
    )
    | json_values
)
lists_of_updates = st.lists(
    st.builds(Update, st.sampled_from(NAMES), nodes, st.none() | st.booleans()),
    min_size=1,
    max_size=4,
    unique_by=lambda update: update.variable,
)


def outcome(read, value):
    """What reading gives: a node, or the configuration error it raised."""
    try:
        return read(value)
    except FlowConfigurationError as error:
        return error


@given(nodes)
def test_every_tree_survives_its_text(node):
    """parse(format(x)) == x, on one line."""
    text = format_expression(node)
    assert parse_expression(text) == node
    assert len(text.splitlines()) == 1


@given(nodes)
def test_every_tree_survives_json(node):
    """Written as JSON, sent over a wire and read again, it is equal."""
    assert expression_from_json(json.loads(json.dumps(expression_to_json(node)))) == node


words = st.sampled_from(
    [
        *(row.symbol for row in OPERATORS.values()),
        "(",
        ")",
        ",",
        ":",
        "if",
        "then",
        "else",
        "llm",
        "number",
        "string",
        "a",
        "b-c",
        "`d`",
        '"t"',
        "1",
        "2.5",
        "-",
        "true",
        "null",
        "=",
        "'",
        '"',
        "\\",
    ]
)


@given(st.text() | st.lists(words, max_size=12).map(" ".join) | st.text(alphabet=string.printable))
def test_any_text_is_an_expression_or_a_slip_with_its_column(text):
    """Nothing but a node or an ExpressionSyntaxError comes out; what is read is shown in one stable way."""
    node = outcome(parse_expression, text)
    if isinstance(node, FlowConfigurationError):
        assert isinstance(node, ExpressionSyntaxError)
        assert 1 <= node.column <= len(text) + 1
        assert f"column {node.column}" in str(node)
        return
    assert within_limits(node)
    shown = format_expression(node)
    assert parse_expression(shown) == node
    assert format_expression(parse_expression(shown)) == shown


@given(nearly, states, st.lists(scalars, max_size=12))
def test_any_json_is_a_value_a_skip_or_a_configuration_problem(value, state, llm_values):
    """No other exception, whatever is configured and whatever the state holds; the state is only read."""
    node = outcome(expression_from_json, value)
    if isinstance(node, FlowConfigurationError):
        assert node.where.startswith("expression")
        return
    assert within_limits(node)
    before = copy.deepcopy(state)
    found = evaluate(node, state.get, llm_values)
    assert repr(state) == repr(before)
    assert not isinstance(found, Skip) or found.reason


@given(nodes, states, st.data())
def test_a_value_can_always_be_written_down(node, state, data):
    """A number that comes out is finite as a double and a text is within its limit, so JSON holds the value."""
    llm_values = [data.draw(of_llm(inner)) for inner in llm_nodes(node)]
    found = evaluate(node, state.get, llm_values)
    if isinstance(found, Skip) or kind_of(found) is Kind.OTHER:
        return
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found == found  # noqa: PLR0124 - a number that is none is not equal to itself


def of_llm(node):
    if node.enum is not None:
        return st.sampled_from(node.enum)
    return {"string": texts, "number": numbers, "integer": st.integers(), "boolean": st.booleans()}[node.type]


@given(nearly_updates, st.booleans())
def test_checking_finds_what_reading_refuses(value, allow_llm):
    """Any JSON: checking returns problems and raises nothing; without problems the updates are read and come back."""
    problems = check_updates(value, DECLARED, allow_llm=allow_llm)
    for problem in problems:
        assert problem.path.startswith("updates")
        assert str(problem.error()).endswith(".")
    if not problems:
        updates = updates_from_json(value)
        assert updates_from_json(updates_to_json(updates)) == updates


@given(lists_of_updates, states, st.dictionaries(st.sampled_from(NAMES), json_values) | json_values)
def test_any_call_writes_skips_or_is_invalid(updates, state, arguments):
    """Each update is written or skipped, or the call is invalid and nothing is; written values are of their type."""
    before = repr((state, arguments))
    outcome = apply_updates(updates, state, arguments, DECLARED)
    assert repr((state, arguments)) == before
    if outcome.invalid is not None:
        assert outcome.written == outcome.skipped == {}
        return
    assert outcome.written.keys() | outcome.skipped.keys() == {update.variable for update in updates}
    assert not outcome.written.keys() & outcome.skipped.keys()
    for variable, value in outcome.written.items():
        assert value is None or VALUE_TYPES[DECLARED[variable].type](value)


@given(lists_of_updates)
def test_parameters_have_names_of_their_own(updates):
    """One name for each `llm` node, none twice, and the first of an update is its variable."""
    names = parameter_names(updates)
    every = [name for group in names for name in group]
    assert len(set(every)) == len(every) == len(parameter_schema(updates)["properties"])
    for update, group in zip(updates, names, strict=True):
        assert len(group) == len(llm_nodes(update.expression))
        assert all(name.startswith(update.variable) for name in group)
        assert not group or group[0] == update.variable
