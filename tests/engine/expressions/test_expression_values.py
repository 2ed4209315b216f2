"""What an expression is worth, operator by operator (spec: update-state.md, table of nodes and rules)."""

from __future__ import annotations

import math

import pytest

from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import (
    OPERATORS,
    TEXT_LIMIT,
    Binary,
    DynamicVariable,
    Literal,
    Llm,
    Logical,
    Operator,
    Skip,
    evaluate,
    parse_expression,
    same_value,
)

STATE = {
    "one": 1,
    "text": "a",
    "yes": True,
    "no": False,
    "nothing": None,
    "blank": "",
    "tags": ["a"],
    "huge": 10**400,
    "long": "x" * TEXT_LIMIT,
    "longer": "x" * (TEXT_LIMIT + 1),
}
AND = Operator.AND

VALUES = [
    # constants and variables
    ('"a"', "a"),
    ("1.5", 1.5),
    ("true", True),
    ("null", None),
    ("one", 1),
    ("unheard_of", None),
    ("blank", ""),
    # and, or: only `true` counts as true
    ("yes AND yes", True),
    ("yes AND no", False),
    ("yes AND 1", False),
    ('yes AND "true"', False),
    ("yes AND nothing", False),
    ("no OR yes", True),
    ("no OR 1 OR text OR nothing", False),
    ("AND(yes)", True),
    ("AND(one)", False),
    ("OR(no)", False),
    # both stop as soon as the answer is known, so what would skip is never reached
    ("no AND 1 / 0 > 1", False),
    ("yes OR 1 / 0 > 1", True),
    # equality: same kind and same value
    ("1 == 1.0", True),
    ('1 == "1"', False),
    ("yes == 1", False),
    ("no == 0", False),
    ("no == nothing", False),
    ("nothing == null", True),
    ("nothing == blank", False),
    ('text == "a"', True),
    ('text == "A"', False),
    ("tags == tags", False),
    ("1 != 1.0", False),
    ('1 != "1"', True),
    ("tags != tags", True),
    ("huge == huge", True),
    # orderings: numbers with numbers and texts with texts, else false
    ("2 > 1", True),
    ("1 > 1", False),
    ("1 >= 1.0", True),
    ("1 < 1.5", True),
    ("2 <= 1", False),
    ('"b" > "a"', True),
    ('"a" >= "a"', True),
    ('"Z" < "a"', True),
    ('"a" <= "A"', False),
    ('2 > "1"', False),
    ('2 < "3"', False),
    ("yes > no", False),
    ("yes >= yes", False),
    ("nothing <= nothing", False),
    ("nothing < 1", False),
    ("tags >= tags", False),
    # arithmetic: whole results are whole
    ("2 + 1", 3),
    ("0.5 + 0.5", 1),
    ("2 - 3", -1),
    ("1.5 * 2", 3),
    ("1.5 * 1.5", 2.25),
    ("4 / 2", 2),
    ("1 / 4", 0.25),
    ("-7 / 2", -3.5),
    ('long + ""', STATE["long"]),
    ("9007199254740993 + 2", 9007199254740995),
    ("18014398509481986 / 2", 9007199254740993),
    ('"a" + "b"', "ab"),
    ('text + " " + text', "a a"),
    # conditional: the other way is never taken
    ("if yes then 1 else 1 / 0", 1),
    ("if 1 then 1 else 2", 2),
    ("if nothing then 1 else 2", 2),
    ("if one > 0 then text else null", "a"),
]

SKIPS = [
    ("nothing + 1", '"+" needs numbers, not null and number'),
    ("text + 1", '"+" needs numbers, not text and number'),
    ('1 + "1"', '"+" needs numbers, not number and text'),
    ("text - text", '"-" needs numbers, not text and text'),
    ("text * 2", '"*" needs numbers, not text and number'),
    ("yes + yes", '"+" needs numbers, not boolean and boolean'),
    ("tags + tags", '"+" needs numbers, not no text, number, boolean or null and no text, number, boolean or null'),
    ("1 / 0", "division by zero"),
    ("1 / (0.5 - 0.5)", "division by zero"),
    ("1e308 * 10", 'the result of "*" is not finite as a double'),
    ("1e308 + 1e308", 'the result of "+" is not finite as a double'),
    ("1 / 5e-324", 'the result of "/" is not finite as a double'),
    ("huge - huge", 'the result of "-" is not finite as a double'),
    ("huge", "the number is not finite as a double"),
    ("longer", "the text has 10,001 characters, over 10,000"),
    ('long + "x"', "the joined text has 10,001 characters, over 10,000"),
    # a skip inside is a skip of the whole
    ("(nothing + 1 > 0) OR yes", '"+" needs numbers, not null and number'),
    ("if 1 / 0 > 1 then 1 else 2", "division by zero"),
    ("1 / 0 == 1 / 0", "division by zero"),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text for text, _ in VALUES])
def test_an_expression_has_its_value(text, value):
    """The value, and of the same type: 1 is no 1.0 and no true where it is written down."""
    found = evaluate(parse_expression(text), STATE.get)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(("text", "reason"), SKIPS, ids=[text for text, _ in SKIPS])
def test_an_expression_without_a_value_says_why(text, reason):
    """Where the rules give no value, the reason comes back and nothing is raised."""
    assert evaluate(parse_expression(text), STATE.get) == Skip(reason)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_never_a_value(number):
    """Such a number in the state equals nothing it should not, takes part in no arithmetic and is copied nowhere."""
    state = {"odd": number}
    assert isinstance(evaluate(parse_expression("odd"), state.get), Skip)
    assert isinstance(evaluate(parse_expression("odd * 0"), state.get), Skip)
    assert evaluate(parse_expression("odd == 0"), state.get) is False


def test_a_list_in_the_state_is_handed_on_as_it_is():
    """An expression does not judge lists; whether the variable takes one is for its type."""
    assert evaluate(DynamicVariable("tags"), STATE.get) is STATE["tags"]


def test_the_values_of_the_model_stand_in_for_llm_nodes_in_order():
    """The first value is for the first `llm` node as written, also where equal nodes or untaken ways stand between."""
    node = parse_expression('if no then llm: "a" else (if llm: "a" then llm number: "b" else 0)')
    assert evaluate(node, STATE.get, [False, True, 7]) == 7


@pytest.mark.parametrize("given", [[], [None], [["a"]]])
def test_an_llm_node_without_a_value_skips(given):
    """No value, null and a list are no answer of a model; it is missed only where it is needed."""
    assert evaluate(Llm("x"), STATE.get, given) == Skip("the model gave no value")
    assert evaluate(Logical(Operator.OR, (Literal(value=True), Llm("x"))), STATE.get, given) is True


def test_a_constant_is_no_list():
    """A literal that JSON could not write is refused where it is made."""
    with pytest.raises(FlowConfigurationError, match="list or an object"):
        Literal(["a"])


def test_constants_of_different_kinds_differ():
    """`true` and `1` are different expressions, however Python compares them."""
    assert Literal(value=True) != Literal(1)
    assert Literal(1) == Literal(1.0)
    assert len({Literal(value=True), Literal(1), Literal(value=False), Literal(0), Literal(None)}) == 5


def test_every_operator_has_a_row_of_its_own():
    """The table is complete and no two operators are written alike."""
    assert set(OPERATORS) == set(Operator)
    assert len({row.symbol for row in OPERATORS.values()}) == len(Operator)


@pytest.mark.parametrize("operator", list(Operator), ids=str)
def test_every_operator_is_among_the_examples(operator):
    """No operator goes without an example of its value in the table above."""
    used = {node.operator for text, _ in VALUES if isinstance(node := parse_expression(text), Binary | Logical)}
    assert operator in used


def test_same_value_is_the_equality_of_conditions_too():
    """A condition that compares may use the rule itself: kinds first, then the value."""
    assert same_value(1, 1.0)
    assert not same_value(left=1, right=True)
    assert not same_value([], [])
