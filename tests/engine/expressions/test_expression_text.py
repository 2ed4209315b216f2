"""The text form: how an expression reads, what may be typed, and what is said about a slip (spec: update-state.md)."""

from __future__ import annotations

import copy
import pickle

import pytest

import falai_engine.expressions.parser as parser_module
from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import (
    DEPTH_LIMIT,
    NODE_LIMIT,
    OPERATORS,
    Binary,
    Conditional,
    DynamicVariable,
    ExpressionSyntaxError,
    Family,
    Literal,
    Llm,
    Logical,
    Operator,
    Update,
    depth,
    format_expression,
    format_update,
    parse_expression,
)
from falai_engine.expressions.lexer import tokens

A, B, C, D = map(DynamicVariable, "abcd")
YES = Literal(value=True)


def both(operator, *children):
    return Logical(operator, children)


AND, OR = Operator.AND, Operator.OR
ADD, SUB, MUL, DIV = Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV
EQ, GT = Operator.EQ, Operator.GT

WRITTEN = [
    # the example of the spec
    (
        '(llm: "the customer sounds frustrated") OR (retry_count > 3)',
        both(
            OR,
            Llm("the customer sounds frustrated", short=True),
            Binary(GT, DynamicVariable("retry_count"), Literal(3)),
        ),
    ),
    # constants
    ('"a \\"b\\" \\\\ \\n\\u0000 ção 🙂"', Literal('a "b" \\ \n\x00 ção 🙂')),
    ("-1.5", Literal(-1.5)),
    ("1e+300", Literal(1e300)),
    ("true", YES),
    ("null", Literal(None)),
    # names
    ("first-name", DynamicVariable("first-name")),
    ("início", DynamicVariable("início")),
    ("`and`", DynamicVariable("and")),
    ("`LLM`", DynamicVariable("LLM")),
    ("`2nd`", DynamicVariable("2nd")),
    ("`a b \\` \\n`", DynamicVariable("a b ` \n")),
    ("`a-`", DynamicVariable("a-")),
    # llm
    ('llm: "x"', Llm("x", short=True)),
    ('llm boolean: "x"', Llm("x")),
    ('llm number: "how many people"', Llm("how many people", "number")),
    ('llm string("a", "b"): "which"', Llm("which", "string", ("a", "b"))),
    ('llm integer(1, -2): "which"', Llm("which", "integer", (1, -2))),
    ('llm boolean(true, false): "which"', Llm("which", "boolean", (True, False))),
    # and, or: a nested one keeps its parentheses, so it stays nested
    ("a AND b AND c", both(AND, A, B, C)),
    ("(a AND b) AND c", both(AND, both(AND, A, B), C)),
    ("a AND (b AND c)", both(AND, A, both(AND, B, C))),
    ("(a AND b) OR c", both(OR, both(AND, A, B), C)),
    ("(a OR b) AND c", both(AND, both(OR, A, B), C)),
    ("AND(a)", both(AND, A)),
    ("OR(a > b)", both(OR, Binary(GT, A, B))),
    ("(AND(a)) OR b", both(OR, both(AND, A), B)),
    # arithmetic reads from the left
    ("a - b - c", Binary(SUB, Binary(SUB, A, B), C)),
    ("a - (b - c)", Binary(SUB, A, Binary(SUB, B, C))),
    ("a + b * c", Binary(ADD, A, Binary(MUL, B, C))),
    ("(a + b) * c", Binary(MUL, Binary(ADD, A, B), C)),
    ("a / (b * c)", Binary(DIV, A, Binary(MUL, B, C))),
    ("a - -1", Binary(SUB, A, Literal(-1))),
    ('(llm number: "x") + 1', Binary(ADD, Llm("x", "number"), Literal(1))),
    # comparisons do not chain
    ("a + b > c", Binary(GT, Binary(ADD, A, B), C)),
    ("(a == b) == c", Binary(EQ, Binary(EQ, A, B), C)),
    ("a == (b == c)", Binary(EQ, A, Binary(EQ, B, C))),
    ("(a AND b) == c", Binary(EQ, both(AND, A, B), C)),
    # if
    ("if a then b else c", Conditional(A, B, C)),
    ("if a > b then b + c else a AND c", Conditional(Binary(GT, A, B), Binary(ADD, B, C), both(AND, A, C))),
    ("if a then b else if c then d else a", Conditional(A, B, Conditional(C, D, A))),
    ("if a then (if b then c else d) else a", Conditional(A, Conditional(B, C, D), A)),
    ("if (if a then b else c) then d else a", Conditional(Conditional(A, B, C), D, A)),
    ("(if a then b else c) + d", Binary(ADD, Conditional(A, B, C), D)),
    ("a OR (if a then b else c)", both(OR, A, Conditional(A, B, C))),
]


@pytest.mark.parametrize(("text", "node"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_an_expression_is_shown_as_text(text, node):
    """Each tree has one text, and that text is the tree again."""
    assert format_expression(node) == text
    assert parse_expression(text) == node


@pytest.mark.parametrize("operator", list(Operator), ids=str)
def test_every_operator_is_written_by_its_symbol(operator):
    """No operator lacks a text form."""
    row = OPERATORS[operator]
    node = both(operator, A, B) if row.family is Family.LOGICAL else Binary(operator, A, B)
    assert format_expression(node) == f"a {row.symbol} b"
    assert parse_expression(f"a {row.symbol} b") == node


READ = [
    ("a and b And c", "a AND b AND c"),
    ("a or b and c or d", "a OR (b AND c) OR d"),
    ("((a))", "a"),
    ("a OR b > 1 + 2 * 3", "a OR (b > 1 + 2 * 3)"),
    ("AND(a, b, c)", "a AND b AND c"),
    ("  a\n+\tb ", "a + b"),
    ("a+1", "a + 1"),
    ("a -1", "a - 1"),
    ("1--1", "1 - -1"),
    ("a-1", "a-1"),
    ("IF a THEN TRUE ELSE Null", "if a then true else null"),
    ('LLM Number ( 1 ) : "x"', 'llm number(1): "x"'),
    ('llm: "x" OR a', '(llm: "x") OR a'),
    ('"\\u00e7\\ud83d\\ude42\\/"', '"ç🙂/"'),
    ("`a`", "a"),
    ("1E2", "100.0"),
    ("007", "7"),
]


@pytest.mark.parametrize(("text", "shown"), READ, ids=[text for text, _ in READ])
def test_what_people_type_is_understood(text, shown):
    """Any case, any spacing, spare parentheses; shown in the one way, which reads the same again."""
    node = parse_expression(text)
    assert format_expression(node) == shown
    assert parse_expression(shown) == node


SLIPS = [
    ("", 1, "found the end, expected a variable, a constant, llm, or an opening parenthesis"),
    ("a b", 3, 'found "b", expected an operator or the end'),
    ("a +", 4, "found the end, expected a variable"),
    ("(a", 3, "found the end, expected an operator or a closing parenthesis"),
    ("a)", 2, 'found ")", expected an operator or the end'),
    ("a > b > c", 7, 'found ">", expected AND, OR or the end'),
    ("x = 3", 3, '"=" has no meaning here. Write == to compare'),
    ("a ! b", 3, "Write != for not equal"),
    ("a && b", 3, "Write AND"),
    ("'a'", 1, "straight double quotes"),
    ("\u201ca\u201d", 1, "straight double quotes"),
    ('a == "b', 6, "the quotes are never closed"),
    ("`a", 1, "Close the name with a backtick"),
    ('"a\\x"', 3, "unknown escape"),
    ('"\\ud800"', 1, "half of a character"),
    ("``", 1, "expected the name of a variable"),
    ("2x", 1, "a number runs into a word"),
    (".5", 1, "Write a decimal with a digit in front"),
    ("1e999", 1, "too big"),
    ("1" * 401, 1, "too long"),
    ("-a", 2, "expected a number after the minus"),
    ("a + if b then c else d", 5, "Put the if in parentheses"),
    ("a + then", 5, "Put a variable named then in backticks"),
    ("if a b", 6, 'found "b", expected "then"'),
    ("if a then b", 12, 'found the end, expected "else"'),
    ("llm", 4, "expected a colon and a text, or one of string, number, integer, boolean"),
    ('llm text: "x"', 5, 'found "text", expected a colon'),
    ("llm: x", 6, "expected a text in double quotes"),
    ('llm: " "', 6, "expected a text in double quotes"),
    ('llm number "x"', 12, "expected a colon and a text"),
    ('llm number(): "x"', 12, "expected a choice of type number"),
    ('llm number("a"): "x"', 12, "expected a choice of type number"),
    ('llm string("a" "b"): "x"', 16, "expected a comma or a closing parenthesis"),
    ("AND a", 5, "expected an opening parenthesis"),
    ("AND()", 5, "expected a variable"),
    ('"' + "x" * 10_001 + '"', 1, "over 10,000"),
    ("x" * 10_001, 1, "over 10,000"),
]


@pytest.mark.parametrize(("text", "column", "said"), SLIPS, ids=[text[:20] for text, _, _ in SLIPS])
def test_a_slip_is_told_with_its_column(text, column, said):
    """The message says where, what was found, and what was expected there."""
    with pytest.raises(ExpressionSyntaxError) as raised:
        parse_expression(text)
    assert raised.value.column == column
    assert raised.value.where == f"expression, column {column}"
    assert said in str(raised.value)


def test_a_slip_is_a_configuration_error_that_can_be_passed_on():
    """It is caught as any other configuration error, names the place it is told, and survives being copied."""
    with pytest.raises(FlowConfigurationError) as raised:
        parse_expression("a +", "updates[0].expression")
    assert raised.value.where == "updates[0].expression, column 4"
    for again in (pickle.loads(pickle.dumps(raised.value)), copy.copy(raised.value)):  # noqa: S301 - our own bytes
        assert (str(again), again.column) == (str(raised.value), 4)


def test_an_update_is_shown_as_an_assignment():
    """What is set stands in front; a name that is no plain word is in backticks there too."""
    expression = both(OR, Llm("the customer sounds frustrated", short=True), Binary(GT, A, Literal(3)))
    shown = format_update(Update("should_escalate", expression))
    assert shown == 'should_escalate = (llm: "the customer sounds frustrated") OR (a > 3)'
    assert format_update(Update("two words", A)) == "`two words` = a"


def test_the_deepest_and_the_widest_tree_can_be_typed():
    """Every tree within the limits has a text that is read back, whichever node it is nested in."""
    for grow in (
        lambda node: both(AND, node),
        lambda node: both(AND, node, A),
        lambda node: Binary(SUB, A, node),
        lambda node: Conditional(node, A, B),
        lambda node: Conditional(A, node, B),
    ):
        deep = A
        for level in range(1, DEPTH_LIMIT):
            # An if costs three nodes, so ifs alone would reach the limit of nodes first.
            deep = grow(deep) if level % 2 else both(OR, deep)
        assert depth(deep) == DEPTH_LIMIT
        assert parse_expression(format_expression(deep)) == deep
    wide = both(OR, *[A] * (NODE_LIMIT - 1))
    assert parse_expression(format_expression(wide)) == wide


def test_a_text_past_the_limits_is_refused():
    """One node or one level more than JSON may have is too much for a text as well."""
    with pytest.raises(ExpressionSyntaxError, match="no more than 50"):
        parse_expression(" OR ".join(["a"] * NODE_LIMIT))
    with pytest.raises(ExpressionSyntaxError, match="nested 21 deep"):
        parse_expression(" - ".join(["a"] * (DEPTH_LIMIT + 1)))
    with pytest.raises(ExpressionSyntaxError, match="less nesting"):
        parse_expression("(" * 61 + "a" + ")" * 61)


@pytest.mark.parametrize(
    "piece",
    ["(", "a OR ", "if ", "if a then b else ", "-", "- 1 ", "AND(", '"', "`", '"\\', "\\", " ", "9", "x", "llm("],
)
def test_a_text_of_a_million_characters_is_hardly_looked_at(piece, monkeypatch):
    """Whatever is repeated: an answer after few tokens, and Python's stack is not at risk."""
    seen = []

    def counted(*args):
        for token in tokens(*args):
            seen.append(token)
            yield token

    monkeypatch.setattr(parser_module, "tokens", counted)
    with pytest.raises(ExpressionSyntaxError):
        parse_expression(piece * (1_000_000 // len(piece)))
    assert len(seen) < 6 * NODE_LIMIT
