"""The operators of the update-state language, one table: JSON type, symbol, precedence, evaluation.

Spec: update-state.md. `and` and `or` fold a lazy row of booleans, so they stop as soon as the answer is known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from falai_engine.expressions.kinds import TEXT_LIMIT, Kind, kind_of
from falai_engine.values import finite

__all__ = ["LOWEST_PRECEDENCE", "OPERATORS", "CannotEvaluateError", "Family", "Operator", "OperatorRow", "same_value"]

LOWEST_PRECEDENCE: Final = 1
_EXACT = 2**53


class Operator(StrEnum):
    """Every operator, by its type in JSON."""

    AND = "and_operator"
    OR = "or_operator"
    EQ = "eq_operator"
    NEQ = "neq_operator"
    GT = "gt_operator"
    GTE = "gte_operator"
    LT = "lt_operator"
    LTE = "lte_operator"
    ADD = "add_operator"
    SUB = "sub_operator"
    MUL = "mul_operator"
    DIV = "div_operator"


class Family(StrEnum):
    """How an operator is written: between many children, between two that do not chain, or between two that do."""

    LOGICAL = "logical"
    COMPARISON = "comparison"
    ARITHMETIC = "arithmetic"


class CannotEvaluateError(ValueError):
    """An operator has no value for what it was given; `evaluate` turns it into a Skip with the same reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """One operator. A higher precedence binds tighter.

    `apply`: logical `(row of booleans) -> bool`, comparison `(left, right) -> bool`, arithmetic `(left, right) ->
    value` (raises CannotEvaluateError).
    """

    symbol: str
    precedence: int
    family: Family
    apply: Callable[..., Any]


def same_value(left: Any, right: Any) -> bool:
    """Same kind (text, number, boolean, null) and same value: 1 equals 1.0; lists and objects equal nothing."""
    kind = kind_of(left)
    return kind is not Kind.OTHER and kind is kind_of(right) and bool(left == right)


def _differs(left: Any, right: Any) -> bool:
    return not same_value(left, right)


def _ordering(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def apply(left: Any, right: Any) -> bool:
        kind = kind_of(left)
        return kind in {Kind.TEXT, Kind.NUMBER} and kind is kind_of(right) and holds(left, right)

    return apply


def _arithmetic(symbol: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        kinds = kind_of(left), kind_of(right)
        if kinds != (Kind.NUMBER, Kind.NUMBER):
            raise CannotEvaluateError(f'"{symbol}" needs numbers, not {kinds[0]} and {kinds[1]}')
        # The operands first: an integer without bound would cost time without bound.
        if finite(left) and finite(right) and finite(result := compute(left, right)):
            return _whole(result)
        raise CannotEvaluateError(f'the result of "{symbol}" is not finite as a double')

    return apply


def _whole(number: float) -> int | float:
    """A whole result is an int, however it came about, so that JSON and the model read 3, never 3.0."""
    return int(number) if abs(number) <= _EXACT and number == number // 1 else number


_sum = _arithmetic("+", operator.add)


def _add(left: Any, right: Any) -> Any:
    are_texts = kind_of(left) is Kind.TEXT and kind_of(right) is Kind.TEXT
    return _joined(left, right) if are_texts else _sum(left, right)


def _joined(left: str, right: str) -> str:
    length = len(left) + len(right)
    if length > TEXT_LIMIT:
        raise CannotEvaluateError(f"the joined text has {length:,} characters, over {TEXT_LIMIT:,}")
    return left + right


def _quotient(left: float, right: float) -> float:
    if right == 0:
        raise CannotEvaluateError("division by zero")
    # Integers that divide evenly do so exactly, also beyond what a double counts one by one.
    exact = isinstance(left, int) and isinstance(right, int) and left % right == 0
    return left // right if exact else left / right


OPERATORS: Final[Mapping[Operator, OperatorRow]] = {
    Operator.OR: OperatorRow("OR", LOWEST_PRECEDENCE, Family.LOGICAL, any),
    Operator.AND: OperatorRow("AND", 2, Family.LOGICAL, all),
    Operator.EQ: OperatorRow("==", 3, Family.COMPARISON, same_value),
    Operator.NEQ: OperatorRow("!=", 3, Family.COMPARISON, _differs),
    Operator.GT: OperatorRow(">", 3, Family.COMPARISON, _ordering(operator.gt)),
    Operator.GTE: OperatorRow(">=", 3, Family.COMPARISON, _ordering(operator.ge)),
    Operator.LT: OperatorRow("<", 3, Family.COMPARISON, _ordering(operator.lt)),
    Operator.LTE: OperatorRow("<=", 3, Family.COMPARISON, _ordering(operator.le)),
    Operator.ADD: OperatorRow("+", 4, Family.ARITHMETIC, _add),
    Operator.SUB: OperatorRow("-", 4, Family.ARITHMETIC, _arithmetic("-", operator.sub)),
    Operator.MUL: OperatorRow("*", 5, Family.ARITHMETIC, _arithmetic("*", operator.mul)),
    Operator.DIV: OperatorRow("/", 5, Family.ARITHMETIC, _arithmetic("/", _quotient)),
}
