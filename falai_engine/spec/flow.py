"""A whole flow, both ways (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import Flow, OnEnd
from falai_engine.spec.declarations import instructions_from_spec, instructions_to_spec
from falai_engine.spec.nulls import MAX_DEPTH, condition_json, too_deep
from falai_engine.spec.places import flow_where, step_where, trigger_where
from falai_engine.spec.rows import names, row, shape, word
from falai_engine.spec.steps import steps_from_spec, steps_to_spec
from falai_engine.spec.triggers import triggers_from_spec, triggers_to_spec

__all__ = ["FLOW", "flow_from_spec", "flow_json", "flow_to_spec"]

FLOW = shape(
    Flow,
    row("id"),
    row("name"),
    row("description"),
    row("on", triggers_from_spec, triggers_to_spec),
    row("anchor"),
    row("while_", condition_json, condition_json),
    row("collect", names),
    row("clear_on_start", names),
    row("steps", steps_from_spec, steps_to_spec),
    word("on_end", OnEnd),
    row("instructions", instructions_from_spec, instructions_to_spec),
    row("tools", names),
)


def flow_from_spec(spec: Mapping[str, Any]) -> Flow:
    """The Flow that a spec describes; nulls are dropped, all other values kept exactly as written.

    Reading does not validate (that is `falai_engine.validation`): a value of the wrong type, or a trigger, step or
    target that is none, stays in its place as plain JSON, and `flow_to_spec` gives it back. Only what cannot be a flow
    at all raises FlowConfigurationError: no object, no id, no list of steps, nested deeper than MAX_DEPTH.
    """
    if not isinstance(spec, Mapping):
        raise FlowConfigurationError("flow", "it is not an object", "Write a JSON object with `id` and `steps`")
    where = flow_where(spec.get("id"))
    if where == "flow":
        raise FlowConfigurationError(where, "it has no id", "Give it an `id`")
    if not isinstance(spec.get("steps"), (list, tuple)):
        raise FlowConfigurationError(where, "it has no list of steps", "Add `steps`, a list")
    if too_deep(spec):
        raise FlowConfigurationError(where, f"it is nested deeper than {MAX_DEPTH} levels", "Make it flatter")
    return FLOW.read(spec)


def flow_to_spec(flow: Flow) -> dict[str, Any]:
    """The JSON of a flow, without nulls; `flow_to_spec(flow_from_spec(x)) == x` for a valid x without nulls.

    FlowConfigurationError names the place of whatever has no JSON form: a predicate, an Action or Tool given as value.
    """
    spec = flow_json(flow)
    for where, place, value in _places(spec):
        path = _path_of_no_json(value)
        if path is not None:
            raise FlowConfigurationError(
                where,
                f"`{(place + path).lstrip('.')}` is a Python value, which JSON cannot carry",
                "Register it and name it by text",
            )
    return spec


def flow_json(flow: Flow) -> dict[str, Any]:
    """As `flow_to_spec`, but functions stay where they are: what validation reads."""
    try:
        return FLOW.write(flow)
    except RecursionError:
        raise FlowConfigurationError(
            flow_where(flow.id), "it holds itself or is nested too deep", "Make it flatter"
        ) from None


def _places(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    flow = flow_where(spec.get("id"))
    for key, value in spec.items():
        if key not in ("on", "steps"):
            yield flow, key, value
    for index, trigger in enumerate(_list(spec.get("on"))):
        yield trigger_where(flow, index), "", trigger
    for index, step in enumerate(_list(spec.get("steps"))):
        yield step_where(flow, step.get("id") if isinstance(step, Mapping) else None, index), "", step


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _path_of_no_json(value: Any) -> str | None:
    """The path, below `value`, of the first part that is no JSON; empty text when it is `value` itself."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return None
    if isinstance(value, Mapping):
        parts = ((f".{key}", part) for key, part in value.items())
    elif isinstance(value, list):
        parts = ((f"[{index}]", part) for index, part in enumerate(value))
    else:
        return ""
    inner = ((step, _path_of_no_json(part)) for step, part in parts)
    return next((step + path for step, path in inner if path is not None), None)
