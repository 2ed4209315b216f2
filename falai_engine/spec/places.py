"""How a message names the place it is about (spec: flow-spec.md, `where`)."""

from __future__ import annotations

from typing import Any

__all__ = ["flow_where", "step_where", "trigger_where"]


def flow_where(flow_id: Any) -> str:
    """`flow "x"`, or `flow` while it has no id."""
    return f'flow "{flow_id}"' if isinstance(flow_id, str) and flow_id else "flow"


def step_where(flow: str, step_id: Any, index: int) -> str:
    """`flow "x", step "y"`, or `flow "x", step #1` without an id; `index` from 0."""
    return f'{flow}, step "{step_id}"' if isinstance(step_id, str) and step_id else f"{flow}, step #{index + 1}"


def trigger_where(flow: str, index: int) -> str:
    """`flow "x", trigger #1`; `index` from 0."""
    return f"{flow}, trigger #{index + 1}"
