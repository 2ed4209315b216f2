"""One flow (spec: flow-spec.md, `validate_flow`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import Flow, OnEnd
from falai_engine.spec.flow import FLOW, flow_json
from falai_engine.spec.nulls import MAX_DEPTH, too_deep
from falai_engine.spec.places import flow_where
from falai_engine.validation.conditions import check_condition, check_data_names
from falai_engine.validation.instructions import check_instructions, check_tools
from falai_engine.validation.paths import check_paths
from falai_engine.validation.placeholders import check_placeholders
from falai_engine.validation.registries import Known, Registries
from falai_engine.validation.report import Problem, Report, Spot
from falai_engine.validation.shapes import check_choice, check_keys, check_texts, is_object
from falai_engine.validation.steps import check_field_names, check_steps
from falai_engine.validation.targets import Surroundings
from falai_engine.validation.triggers import check_triggers

__all__ = ["check_flow", "validate_flow", "validate_flow_all"]


def validate_flow(flow: Flow | Any, registries: Registries) -> list[Problem]:
    """The warnings of a flow (a Flow, or its JSON). FlowConfigurationError for the first error."""
    return _report(flow, registries).raise_first()


def validate_flow_all(flow: Flow | Any, registries: Registries) -> list[Problem]:
    """Every error and warning of a flow (a Flow, or its JSON), in order. No JSON value makes it raise."""
    return _report(flow, registries).problems


def _report(flow: Flow | Any, registries: Registries) -> Report:
    report = Report()
    spot = Spot(report, "flow")
    if too_deep(flow):
        spot.problem("too-deep", most=str(MAX_DEPTH))
    else:
        check_flow(flow, spot, Known.of(registries))
    return report


def check_flow(flow: Any, spot: Spot, known: Known) -> Any:
    """One flow; the path of `spot` is where it stands in its document. Its JSON, None when there is none."""
    spec = _json_of(flow, spot)
    if spec is None:
        return None
    at = spot.named(flow_where(spec.get("id")))
    around = Surroundings(known, spec.get("id"), _positions(spec.get("steps")))
    _check_head(spec, at, around)
    check_triggers(spec.get("on"), at.at("on"), known)
    _check_body(spec, at, around)
    check_instructions(spec.get("instructions"), at.at("instructions"), known)
    check_tools(spec.get("tools"), at.at("tools"), known)
    check_keys(spec, FLOW.keys, at)
    return spec


def _json_of(flow: Any, spot: Spot) -> Mapping[str, Any] | None:
    """The JSON of a Flow keeps its functions, which validation knows what to do with."""
    if not isinstance(flow, Flow):
        return flow if is_object(flow, spot) else None
    try:
        spec = flow_json(flow)
    except FlowConfigurationError:
        spec = None
    if spec is None or too_deep(spec):
        spot.named(flow_where(flow.id)).problem("too-deep", most=str(MAX_DEPTH))
        return None
    return spec


def _positions(steps: Any) -> dict[str, int]:
    """Where each step id stands, the first time."""
    ids = [step.get("id") if isinstance(step, Mapping) else None for step in steps] if _is_list(steps) else []
    return {step_id: index for index, step_id in reversed(list(enumerate(ids))) if isinstance(step_id, str)}


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _check_head(flow: Mapping[str, Any], spot: Spot, around: Surroundings) -> None:
    _check_id(flow.get("id"), spot.at("id"))
    check_texts(flow, spot, "name", "description", "anchor")
    check_placeholders(flow.get("description"), spot.at("description"), around.known)
    check_condition(flow.get("while"), spot.at("while"), around.known)
    check_field_names(flow.get("collect"), spot.at("collect"), around)
    check_data_names(flow.get("clearOnStart"), spot.at("clearOnStart"), around.known)
    check_choice(flow.get("onEnd"), tuple(OnEnd), spot.at("onEnd"))


def _check_id(flow_id: Any, spot: Spot) -> None:
    if flow_id is None or flow_id == "":
        spot.problem("flow-without-id")
    elif not isinstance(flow_id, str):
        spot.misfit("not-text", flow_id)
    elif ":" in flow_id or "#" in flow_id:
        spot.problem("separator-in-id")


def _check_body(flow: Mapping[str, Any], spot: Spot, around: Surroundings) -> None:
    steps, at = flow.get("steps"), spot.at("steps")
    if steps is None or not _is_list(steps):
        at.problem("flow-without-steps")
        return
    if not steps and flow.get("on"):
        at.problem("triggers-without-steps")
    before = len(spot.report.problems)
    check_steps(steps, at, around)
    if not spot.report.has_errors(before):
        check_paths(flow, at)
        _check_heard(flow, spot, around)


def _check_heard(flow: Mapping[str, Any], spot: Spot, around: Surroundings) -> None:
    """Warn of fields that the flow collects, but only hears when asked, and never asks."""
    collected = {name for step in flow["steps"] for name in step.get("collect") or ()}
    names: Any = flow.get("collect")
    for index, name in enumerate(names if _is_list(names) else ()):
        field = around.known.fields.get(name) if isinstance(name, str) else None
        if field is not None and name not in collected and field.only_when_asked:
            spot.at("collect").item(index).misfit("never-collected", name, name=f'"{name}"')
