"""The one evaluator: a node, the state and the model's values in, a value or a Skip out (spec: update-state.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from falai_engine.expressions.kinds import Kind, kind_of, value_flaw
from falai_engine.expressions.nodes import Binary, Conditional, DynamicVariable, Literal, Llm, Logical, Node
from falai_engine.expressions.operators import OPERATORS, CannotEvaluateError

__all__ = ["Skip", "StateReader", "evaluate"]

StateReader: TypeAlias = Callable[[str], Any]
"""`name -> value`: the variable now, else its initial, else None. It never raises."""


@dataclass(frozen=True, slots=True)
class Skip:
    """There is no value; the variable is left alone. The model reads the reason."""

    reason: str


def evaluate(node: Node, read: StateReader, llm_values: Iterable[Any] = ()) -> Any | Skip:
    """The value of an expression, or a Skip; pure, and nothing else ever comes out of it.

    `llm_values`: one for each `llm` node, in the order of `llm_nodes`, already coerced to its type.
    """
    try:
        value = _value(_filled(node, iter(llm_values)), read)
    except CannotEvaluateError as error:
        return Skip(error.reason)
    flaw = value_flaw(value)
    return value if flaw is None else Skip(flaw)


def _filled(node: Node, values: Iterator[Any]) -> Node:
    """The node with the model's values as constants; an `llm` node that got none stays."""
    match node:
        case Llm():
            value = next(values, None)
            return node if kind_of(value) in {Kind.NULL, Kind.OTHER} else Literal(value)
        case Logical(operator, children):
            return Logical(operator, tuple(_filled(child, values) for child in children))
        case Binary(operator, left, right):
            return Binary(operator, _filled(left, values), _filled(right, values))
        case Conditional(condition, yes, no):
            return Conditional(_filled(condition, values), _filled(yes, values), _filled(no, values))
        case _:
            return node


def _value(node: Node, read: StateReader) -> Any:
    match node:
        case Literal(value):
            return value
        case DynamicVariable(name):
            return read(name)
        case Logical(operator, children):
            return OPERATORS[operator].apply(_value(child, read) is True for child in children)
        case Binary(operator, left, right):
            return OPERATORS[operator].apply(_value(left, read), _value(right, read))
        case Conditional(condition, yes, no):
            return _value(yes if _value(condition, read) is True else no, read)
        case Llm():
            raise CannotEvaluateError("the model gave no value")
