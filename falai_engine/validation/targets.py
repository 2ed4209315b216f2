"""Where steps lead: `next` and branches (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from falai_engine.flows import END
from falai_engine.spec.targets import BRANCH, CHAIN, GO_TO
from falai_engine.validation.conditions import check_condition, check_data_names
from falai_engine.validation.placeholders import check_placeholders
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot
from falai_engine.validation.shapes import check_keys, check_texts, is_list, is_object, is_text

__all__ = ["Surroundings", "check_branches", "check_next"]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a step is judged by: the agent's names, the flow it is in, and where in it each step stands."""

    known: Known
    flow_id: Any
    steps: Mapping[str, int]


def check_next(target: Any, spot: Spot, around: Surroundings, here: int) -> None:
    """A target; `here` is the position of the step that names it."""
    if target is None or target == END:
        return
    if isinstance(target, str):
        _check_jump(target, None, spot, around, here)
    elif not isinstance(target, Mapping) or (target.get("step") is None) == (target.get("flow") is None):
        spot.misfit("next-unreadable", target)
    elif target.get("step") is not None:
        check_keys(target, GO_TO.keys, spot)
        check_data_names(target.get("clear"), spot.at("clear"), around.known)
        _check_jump(target["step"], target.get("clear"), spot.at("step"), around, here)
    else:
        check_keys(target, CHAIN.keys, spot)
        _check_chain(target["flow"], spot.at("flow"), around)


def _check_jump(step: Any, clear: Any, spot: Spot, around: Surroundings, here: int) -> None:
    if not isinstance(step, str) or step not in around.steps:
        spot.misnamed("unknown-step", step, [*around.steps, END])
    elif around.steps[step] <= here and not clear:
        spot.misfit("jumps-back", step, name=f'"{step}"')


def _check_chain(flow: Any, spot: Spot, around: Surroundings) -> None:
    if not is_text(flow, spot):
        return
    flows = around.known.flows
    if "{{" in flow:
        check_placeholders(flow, spot, around.known)
    elif flows is not None and flow not in flows and flow != around.flow_id:
        spot.misnamed("unknown-flow", flow, flows)


def check_branches(branches: Any, spot: Spot, around: Surroundings, here: int, *, model: bool) -> None:
    """The branches of a step; `model`: it may be asked about a `when`."""
    if branches is None or not is_list(branches, spot):
        return
    for index, branch in enumerate(branches):
        at = spot.item(index)
        if is_object(branch, at):
            _check_branch(branch, at, around, here, model=model)


def _check_branch(branch: Mapping[str, Any], spot: Spot, around: Surroundings, here: int, *, model: bool) -> None:
    when, condition = branch.get("when"), branch.get("if")
    if when is not None and condition is not None:
        spot.problem("branch-with-two-conditions")
    elif when is None and condition is None:
        spot.problem("branch-without-condition")
    if when is not None and not model:
        spot.at("when").problem("branch-when-on-wait")
    check_texts(branch, spot, "when")
    check_placeholders(when, spot.at("when"), around.known)
    check_condition(condition, spot.at("if"), around.known)
    if branch.get("then") is None:
        spot.at("then").problem("branch-without-then")
    check_next(branch.get("then"), spot.at("then"), around, here)
    check_keys(branch, BRANCH.keys, spot)
