"""The language of the update-state tool: expressions over a conversation's own state (spec: update-state.md).

kinds -> operators -> nodes -> evaluation; codec (JSON), lexer -> parser and formatter (text); update -> applying.
"""

from falai_engine.expressions.applying import (
    UpdateOutcome,
    apply_updates,
    parameter_names,
    parameter_schema,
    state_reader,
)
from falai_engine.expressions.codec import expression_from_json, expression_to_json
from falai_engine.expressions.evaluation import Skip, StateReader, evaluate
from falai_engine.expressions.formatter import format_expression
from falai_engine.expressions.kinds import LITERAL_KINDS, TEXT_LIMIT, VALUE_TYPES, Kind, kind_of
from falai_engine.expressions.lexer import ExpressionSyntaxError
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
    llm_nodes,
    parts,
    walk,
)
from falai_engine.expressions.operators import (
    OPERATORS,
    CannotEvaluateError,
    Family,
    Operator,
    OperatorRow,
    same_value,
)
from falai_engine.expressions.parser import parse_expression
from falai_engine.expressions.problems import EXPRESSION_RULES, ExpressionProblem, ExpressionRule
from falai_engine.expressions.update import (
    UPDATE_LIMIT,
    Update,
    check_updates,
    format_update,
    updates_from_json,
    updates_to_json,
)

__all__ = [
    "DEPTH_LIMIT",
    "EXPRESSION_RULES",
    "LITERAL_KINDS",
    "NODE_LIMIT",
    "OPERATORS",
    "TEXT_LIMIT",
    "UPDATE_LIMIT",
    "VALUE_TYPES",
    "Binary",
    "CannotEvaluateError",
    "Conditional",
    "DynamicVariable",
    "ExpressionProblem",
    "ExpressionRule",
    "ExpressionSyntaxError",
    "Family",
    "Kind",
    "Literal",
    "Llm",
    "Logical",
    "Node",
    "Operator",
    "OperatorRow",
    "Skip",
    "StateReader",
    "Update",
    "UpdateOutcome",
    "apply_updates",
    "check_updates",
    "depth",
    "evaluate",
    "expression_from_json",
    "expression_to_json",
    "format_expression",
    "format_update",
    "kind_of",
    "llm_nodes",
    "parameter_names",
    "parameter_schema",
    "parse_expression",
    "parts",
    "same_value",
    "state_reader",
    "updates_from_json",
    "updates_to_json",
    "walk",
]
