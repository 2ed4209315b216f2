"""Where a step goes: next and branches (spec: flow-spec.md, `next` and `branch`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_engine.flows import Branch, Chain, GoTo
from falai_engine.spec.nulls import condition_json, without_nulls
from falai_engine.spec.rows import each, names, row, shape

__all__ = ["BRANCH", "CHAIN", "GO_TO", "branches_from_spec", "branches_to_spec", "next_from_spec", "next_to_spec"]

GO_TO = shape(GoTo, row("step"), row("clear", names))
CHAIN = shape(Chain, row("flow"), row("input"))


def next_from_spec(spec: Any) -> Any:
    """A step id or `end` as text, a GoTo or a Chain; what is none of them stays as it was written."""
    if isinstance(spec, Mapping) and (spec.get("step") is None) != (spec.get("flow") is None):
        return GO_TO.read(spec) if spec.get("step") is not None else CHAIN.read(spec)
    return without_nulls(spec)


def next_to_spec(value: Any) -> Any:
    """The way back."""
    if isinstance(value, GoTo):
        return GO_TO.write(value)
    return CHAIN.write(value) if isinstance(value, Chain) else without_nulls(value)


BRANCH = shape(
    Branch, row("then", next_from_spec, next_to_spec), row("when"), row("if_", condition_json, condition_json)
)


def _branch_or_json(spec: Any) -> Any:
    readable = isinstance(spec, Mapping) and BRANCH.missing(spec) is None
    return BRANCH.read(spec) if readable else condition_json(spec)


def _json_of_branch(value: Any) -> Any:
    return BRANCH.write(value) if isinstance(value, Branch) else condition_json(value)


branches_from_spec = each(_branch_or_json, tuple)
"""The branches of a step; one without `then` stays as it was written."""

branches_to_spec = each(_json_of_branch, list)
"""The way back."""
