"""Flows as JSON: the one translation between the dataclasses of `falai_engine.flows` and specs (spec: flow-spec.md)."""

from falai_engine.spec.declarations import (
    event_from_spec,
    event_to_spec,
    field_from_spec,
    field_to_spec,
    idle_from_spec,
    idle_to_spec,
    instruction_from_spec,
    instruction_to_spec,
    variable_from_spec,
    variable_to_spec,
)
from falai_engine.spec.flow import flow_from_spec, flow_to_spec
from falai_engine.spec.nulls import MAX_DEPTH, condition_json, without_nulls

__all__ = [
    "MAX_DEPTH",
    "condition_json",
    "event_from_spec",
    "event_to_spec",
    "field_from_spec",
    "field_to_spec",
    "flow_from_spec",
    "flow_to_spec",
    "idle_from_spec",
    "idle_to_spec",
    "instruction_from_spec",
    "instruction_to_spec",
    "variable_from_spec",
    "variable_to_spec",
    "without_nulls",
]
