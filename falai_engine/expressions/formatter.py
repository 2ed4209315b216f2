"""Expressions to their text form (spec: update-state.md): what `parser` reads back to an equal node.

What AND and OR join stands in parentheses unless it is a single word or constant; arithmetic and comparisons need them
only where the table of operators would read them differently.
"""

from __future__ import annotations

import json
from typing import Any

from falai_engine.expressions.lexer import quote, spelled
from falai_engine.expressions.nodes import Binary, Conditional, DynamicVariable, Literal, Llm, Logical, Node
from falai_engine.expressions.operators import OPERATORS, Family

__all__ = ["format_expression"]


def format_expression(node: Node) -> str:
    """One line of text; `parse_expression` of it gives an equal node."""
    match node:
        case Literal(value):
            return _constant(value)
        case DynamicVariable(name):
            return spelled(name)
        case Llm():
            return _llm(node)
        case Logical():
            return _logical(node)
        case Binary():
            return _binary(node)
        case Conditional(condition, yes, no):
            return f"if {_unless_if(condition)} then {_unless_if(yes)} else {format_expression(no)}"


def _unless_if(node: Node) -> str:
    return _grouped(node) if isinstance(node, Conditional) else format_expression(node)


def _constant(value: Any) -> str:
    return quote(value) if isinstance(value, str) else json.dumps(value)


def _llm(node: Llm) -> str:
    described = quote(node.description)
    if node.short:
        return f"llm: {described}"
    choices = "" if node.enum is None else f"({', '.join(map(_constant, node.enum))})"
    return f"llm {node.type}{choices}: {described}"


def _grouped(node: Node) -> str:
    return f"({format_expression(node)})"


def _joined(node: Node) -> str:
    return format_expression(node) if isinstance(node, Literal | DynamicVariable) else _grouped(node)


def _logical(node: Logical) -> str:
    symbol = OPERATORS[node.operator].symbol
    if len(node.children) == 1:
        return f"{symbol}{_grouped(node.children[0])}"
    return f" {symbol} ".join(map(_joined, node.children))


def _binary(node: Binary) -> str:
    row = OPERATORS[node.operator]
    # Equal operators read from the left, so `a - (b - c)` keeps its parentheses; comparisons do not chain at all.
    left_binds = row.precedence + (row.family is Family.COMPARISON)
    return f"{_operand(node.left, left_binds)} {row.symbol} {_operand(node.right, row.precedence + 1)}"


def _operand(node: Node, lowest: int) -> str:
    if isinstance(node, Binary) and OPERATORS[node.operator].precedence >= lowest:
        return format_expression(node)
    return _joined(node)
