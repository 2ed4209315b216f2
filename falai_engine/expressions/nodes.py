"""The nodes of an expression, frozen (spec: update-state.md). `codec` has them as JSON, `parser` as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions.kinds import Kind, kind_of
from falai_engine.expressions.operators import Operator

__all__ = [
    "DEPTH_LIMIT",
    "NODE_LIMIT",
    "Binary",
    "Conditional",
    "DynamicVariable",
    "Literal",
    "Llm",
    "Logical",
    "Node",
    "depth",
    "llm_nodes",
    "parts",
    "walk",
]

NODE_LIMIT: Final = 50
DEPTH_LIMIT: Final = 20
"""A constant alone is 1 deep."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: text, number, boolean or None. `kind` keeps `True` and `1` apart."""

    value: str | int | float | bool | None
    kind: Kind = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kind = kind_of(self.value)
        if kind is Kind.OTHER:
            raise FlowConfigurationError(
                "Literal", "the constant is a list or an object", "Give a text, a number, a boolean"
            )
        object.__setattr__(self, "kind", kind)


@dataclass(frozen=True, slots=True)
class DynamicVariable:
    """A field or variable of the agent: its value now, else its initial, else null."""

    name: str


@dataclass(frozen=True, slots=True)
class Llm:
    """What the model judges or extracts; `description` tells it what.

    `type`: string, number, integer or boolean. `enum` None: any value of the type. `short`: written as `prompt`, which
    always means a boolean.
    """

    description: str
    type: str = "boolean"
    enum: tuple[Any, ...] | None = None
    short: bool = False


@dataclass(frozen=True, slots=True)
class Logical:
    """`and` or `or` of one or more children."""

    operator: Operator
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """A comparison or arithmetic of two expressions."""

    operator: Operator
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Conditional:
    """One of two expressions; only the one that is chosen is evaluated."""

    condition: Node
    true_expression: Node
    false_expression: Node


Node: TypeAlias = Literal | DynamicVariable | Llm | Logical | Binary | Conditional


def parts(node: Node) -> tuple[Node, ...]:
    """The expressions right inside one, in the order they are written."""
    match node:
        case Logical(_, children):
            return children
        case Binary(_, left, right):
            return left, right
        case Conditional(condition, true_expression, false_expression):
            return condition, true_expression, false_expression
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """A node and all inside it, in the order they are written."""
    yield node
    for part in parts(node):
        yield from walk(part)


def depth(node: Node) -> int:
    """How many nodes stand above each other; a constant alone is 1."""
    return 1 + max(map(depth, parts(node)), default=0)


def llm_nodes(node: Node) -> tuple[Llm, ...]:
    """The `llm` nodes in the order they are written: the order of their parameters and values."""
    return tuple(inner for inner in walk(node) if isinstance(inner, Llm))
