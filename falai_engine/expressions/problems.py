"""What is wrong with an expression or an update, found without raising.

The texts are templates over a problem's `values`, so that a host can translate them by code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from falai_engine.errors import FlowConfigurationError

__all__ = ["EXPRESSION_RULES", "ExpressionProblem", "ExpressionRule"]


@dataclass(frozen=True, slots=True)
class ExpressionRule:
    """`what` is wrong and how to `fix` it; `near` is the fix when a known name is near the one written."""

    what: str
    fix: str
    near: str | None = None


_SPLIT: Final = "Split it over several variables"

EXPRESSION_RULES: Final[Mapping[str, ExpressionRule]] = {
    # of any place
    "not-an-object": ExpressionRule("it is {shown}, not an object", "Write a JSON object"),
    "not-a-list": ExpressionRule("it is {shown}, not a list with something in it", "Write a list with at least one"),
    "not-text": ExpressionRule("it is {shown}, not text", "Write a text"),
    "not-a-boolean": ExpressionRule("it is {shown}, not a boolean", "Write true or false"),
    "missing": ExpressionRule("it is missing", "Add it"),
    "blank": ExpressionRule("the text is blank", "Write what it is about"),
    "unkeepable": ExpressionRule("{flaw}", "Write another value"),
    "unknown-key": ExpressionRule("the key {shown} means nothing here", "Remove it", "Write {near}, or remove it"),
    # of expressions
    "unknown-type": ExpressionRule("{shown} is no type of expression", "Use one of {choices}", "Write {near}"),
    "literal-kind": ExpressionRule("it is {shown}, not a {kind}", "Change the value, or the type of the constant"),
    "undeclared": ExpressionRule(
        "{shown} is no field or variable of the agent", "Declare it on the agent", "Write {near}, or declare it"
    ),
    "llm-in-action": ExpressionRule(
        "an `llm` node asks a model, and an action runs without one", "Use variables and constants, or make it a tool"
    ),
    "llm-twice": ExpressionRule("it has both `prompt` and `value_schema`", "Keep one of the two"),
    "value-type": ExpressionRule("{shown} is no type of value", "Use one of {choices}", "Write {near}"),
    "enum-value": ExpressionRule("{shown} is no {type}", "Change the value, or the type"),
    "too-deep": ExpressionRule("the expression is nested deeper than {most}", _SPLIT),
    "too-many-nodes": ExpressionRule("the expression has more than {most} nodes", _SPLIT),
    # of updates
    "too-many-updates": ExpressionRule("there are {count} updates, over {most}", "Make two tools of it"),
    "set-twice": ExpressionRule(
        "{shown} is set twice, first in {first}", "Set it once; a conditional picks between values"
    ),
    "literal-misfit": ExpressionRule(
        "the constant can never be what the variable holds ({reason})", "Change the constant, or the variable"
    ),
}
"""By code, a stable slug."""


@dataclass(frozen=True, slots=True)
class ExpressionProblem:
    """`path`: machine path of the form field (`updates[0].expression.left`). `code` is a key of EXPRESSION_RULES."""

    path: str
    code: str
    values: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def what(self) -> str:
        return EXPRESSION_RULES[self.code].what.format_map(self.values)

    @property
    def fix(self) -> str:
        rule = EXPRESSION_RULES[self.code]
        template = rule.near if rule.near is not None and "near" in self.values else rule.fix
        return template.format_map(self.values)

    def error(self) -> FlowConfigurationError:
        """The exception of strict use; its `where` is the path."""
        return FlowConfigurationError(self.path, self.what, self.fix)
