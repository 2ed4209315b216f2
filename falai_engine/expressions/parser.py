"""Expressions from their text form (spec: update-state.md), by precedence climbing over the table of operators.

    (llm: "the customer sounds frustrated") OR (retry_count > 3)
    if (llm string("a", "b"): "which plan") == "a" then price * 2 else null

Keywords are read in any case. A name that is no plain word stands in backticks. `AND(x)` is an AND of one. Parentheses
keep a nested AND or OR apart from the one around it; without them equal neighbours are one node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from falai_engine.error_words import shown
from falai_engine.expressions.kinds import VALUE_TYPES
from falai_engine.expressions.lexer import ExpressionSyntaxError, Token, TokenKind, tokens
from falai_engine.expressions.nodes import (
    DEPTH_LIMIT,
    NODE_LIMIT,
    Binary,
    Conditional,
    DynamicVariable,
    Literal,
    Llm,
    Logical,
    Node,
    depth,
)
from falai_engine.expressions.operators import LOWEST_PRECEDENCE, OPERATORS, Family, Operator

__all__ = ["parse_expression"]

_NESTING_LIMIT: Final = 3 * DEPTH_LIMIT
"""Of parentheses and ifs: what a full tree needs, and some to spare, well inside Python's own limit."""

_OPERATOR_OF: Final[Mapping[str, Operator]] = {row.symbol.lower(): operator for operator, row in OPERATORS.items()}
_CONSTANTS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None}
_A_VALUE: Final = "a variable, a constant, llm, or an opening parenthesis"


def parse_expression(text: str, place: str = "expression") -> Node:
    """The node that a text describes. Raises ExpressionSyntaxError with the column and what was expected."""
    parser = _Parser(text, place)
    node = parser.expression()
    parser.expect_end()
    levels = depth(node)
    if levels > DEPTH_LIMIT:
        what = f"the expression is nested {levels} deep, over {DEPTH_LIMIT}"
        raise ExpressionSyntaxError(place, 1, what, "Split it over several variables")
    return node


def _compares(operator: Operator) -> bool:
    return OPERATORS[operator].family is Family.COMPARISON


class _Parser:
    """One pass over the tokens; `self.token` is the next one that is not used yet."""

    def __init__(self, text: str, place: str) -> None:
        self.place = place
        self.stream = tokens(text, place)
        self.token: Token = next(self.stream)
        self.nodes = 0
        self.nesting = 0

    def syntax_error(self, expected: str, fix: str | None = None, at: Token | None = None) -> ExpressionSyntaxError:
        token = at or self.token
        found = "the end" if token.kind is TokenKind.END else shown(token.source)
        what = f"found {found}, expected {expected}"
        return ExpressionSyntaxError(self.place, token.column, what, fix or f"Write {expected} here")

    def take(self) -> Token:
        taken = self.token
        if taken.kind is not TokenKind.END:
            self.token = next(self.stream)
        return taken

    def at(self, *kinds: TokenKind) -> bool:
        return self.token.kind in kinds

    def at_symbol(self, symbol: str) -> bool:
        return self.at(TokenKind.SYMBOL) and self.token.value == symbol

    def expect_symbol(self, symbol: str, expected: str) -> None:
        if not self.at_symbol(symbol):
            raise self.syntax_error(expected)
        self.take()

    def expect_keyword(self, keyword: str) -> None:
        if self.token.keyword() != keyword:
            raise self.syntax_error(f'"{keyword}"', f"Write it as: if ... then ... else ... ({keyword} is missing)")
        self.take()

    def expect_end(self) -> None:
        if not self.at(TokenKind.END):
            raise self.syntax_error(
                "an operator or the end", "Put an operator between two values, and a text in double quotes"
            )

    def count(self) -> None:
        """One node more; said at the token where it became too many."""
        self.nodes += 1
        if self.nodes > NODE_LIMIT:
            raise self.syntax_error(
                f"no more than {NODE_LIMIT} values and operators", "Split it over several variables"
            )

    def expression(self) -> Node:
        self.nesting += 1
        if self.nesting > _NESTING_LIMIT:
            raise self.syntax_error("less nesting", "Split it over several variables")
        node = self.conditional() if self.token.keyword() == "if" else self.operation(LOWEST_PRECEDENCE)
        self.nesting -= 1
        return node

    def conditional(self) -> Node:
        self.count()
        self.take()
        condition = self.expression()
        self.expect_keyword("then")
        yes = self.expression()
        self.expect_keyword("else")
        return Conditional(condition, yes, self.expression())

    def operator(self) -> Operator | None:
        if self.at(TokenKind.SYMBOL) or self.token.keyword():
            return _OPERATOR_OF.get(self.token.value.lower())
        return None

    def operation(self, lowest: int) -> Node:
        left = self.operand()
        operator = self.operator()
        while operator is not None and OPERATORS[operator].precedence >= lowest:
            self.count()
            join = self.logical if OPERATORS[operator].family is Family.LOGICAL else self.binary
            left = join(left, operator, OPERATORS[operator].precedence + 1)
            operator = self.operator()
        return left

    def logical(self, first: Node, operator: Operator, tighter: int) -> Node:
        children = [first]
        while self.operator() is operator:
            self.take()
            children.append(self.operation(tighter))
        return Logical(operator, tuple(children))

    def binary(self, left: Node, operator: Operator, tighter: int) -> Node:
        self.take()
        node = Binary(operator, left, self.operation(tighter))
        following = self.operator()
        if _compares(operator) and following is not None and _compares(following):
            raise self.syntax_error("AND, OR or the end", "Compare two things at a time and join them with AND")
        return node

    def operand(self) -> Node:
        if self.at_symbol("("):
            return self.group()
        keyword = self.token.keyword()
        if keyword is not None:
            return self.of_keyword(keyword)
        self.count()
        if self.at(TokenKind.NAME, TokenKind.WORD):
            return DynamicVariable(self.name())
        return Literal(self.constant(_A_VALUE))

    def name(self) -> str:
        if not self.token.value.strip():
            raise self.syntax_error("the name of a variable")
        return str(self.take().value)

    def group(self) -> Node:
        self.take()
        node = self.expression()
        self.expect_symbol(")", "an operator or a closing parenthesis")
        return node

    def of_keyword(self, keyword: str) -> Node:
        if keyword in _CONSTANTS:
            self.count()
            self.take()
            return Literal(_CONSTANTS[keyword])
        read = _KEYWORD_OPERANDS.get(keyword)
        if read is None:
            fix = "Put the if in parentheses" if keyword == "if" else f"Put a variable named {keyword} in backticks"
            raise self.syntax_error(_A_VALUE, fix)
        self.count()
        return read(self)

    def prefixed(self) -> Node:
        """`AND(x)`: the one way to write an AND of a single child."""
        operator = _OPERATOR_OF[self.take().value.lower()]
        return Logical(operator, self.listed(self.expression))

    def listed(self, read: Callable[[], Any]) -> tuple[Any, ...]:
        self.expect_symbol("(", "an opening parenthesis")
        items = [read()]
        while self.at_symbol(","):
            self.take()
            items.append(read())
        self.expect_symbol(")", "a comma or a closing parenthesis")
        return tuple(items)

    def constant(self, expected: str) -> Any:
        """A text, a number with or without a minus, true or false."""
        if self.at(TokenKind.TEXT, TokenKind.NUMBER):
            return self.take().value
        if self.at_symbol("-"):
            self.take()
            if not self.at(TokenKind.NUMBER):
                raise self.syntax_error("a number after the minus", "Write 0 - x for the negative of x")
            return -self.take().value
        if self.token.keyword() in {"true", "false"}:
            return _CONSTANTS[self.take().value.lower()]
        raise self.syntax_error(expected)

    def llm(self) -> Node:
        self.take()
        if self.at_symbol(":"):
            return Llm(self.description(), short=True)
        type_ = self.token.source.lower() if self.at(TokenKind.WORD) else ""
        if type_ not in VALUE_TYPES:
            fix = 'Write llm: "..." or llm number: "..."'
            raise self.syntax_error(f"a colon and a text, or one of {', '.join(VALUE_TYPES)}", fix)
        self.take()
        enum = self.listed(lambda: self.choice(type_)) if self.at_symbol("(") else None
        return Llm(self.description(), type_, enum)

    def choice(self, type_: str) -> Any:
        token = self.token
        value = self.constant(f"a choice of type {type_}")
        if not VALUE_TYPES[type_](value):
            raise self.syntax_error(f"a choice of type {type_}", at=token)
        return value

    def description(self) -> str:
        self.expect_symbol(":", "a colon and a text")
        if not self.at(TokenKind.TEXT) or not self.token.value.strip():
            raise self.syntax_error("a text in double quotes that says what the model judges")
        return str(self.take().value)


_KEYWORD_OPERANDS: Final[Mapping[str, Callable[[_Parser], Node]]] = {
    "llm": _Parser.llm,
    "and": _Parser.prefixed,
    "or": _Parser.prefixed,
}
