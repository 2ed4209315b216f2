"""A whole agent (spec: flow-spec.md, `agent`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from falai_engine.flows import Idle, Instruction
from falai_engine.spec.declarations import IDLE, INSTRUCTION
from falai_engine.spec.nulls import MAX_DEPTH, too_deep
from falai_engine.validation.declarations import check_declarations
from falai_engine.validation.definitions import DefinitionCheck, check_definitions
from falai_engine.validation.flow import check_flow
from falai_engine.validation.flows import check_between_flows
from falai_engine.validation.instructions import check_instruction, check_instructions, check_tools
from falai_engine.validation.placeholders import check_placeholders
from falai_engine.validation.registries import Known, Registries
from falai_engine.validation.report import Problem, Report, Spot
from falai_engine.validation.shapes import check_flags, check_keys, check_texts, check_whole, is_list, is_object
from falai_engine.values import finite, json_equal

__all__ = ["validate_agent", "validate_agent_all"]

SPEC_VERSION: Final = 1
_TEXTS: Final = ("name", "goal", "persona", "knowledgeBase", "locale", "timezone")
_KEYS: Final = frozenset(
    {
        *("specVersion", *_TEXTS, "fields", "variables", "flows", "actions", "events", "conditions", "tools"),
        *("instructions", "idle", "maxToolLoops", "compaction"),
    }
)
_COMPACTION_LEAST: Final = {"maxTokens": 1, "preserveRecentCount": 2, "maxToolResultChars": 0}
_COMPACTION_KEYS: Final = frozenset({*_COMPACTION_LEAST, "compactionThreshold", "enabled"})
_THRESHOLD: Final = (0.5, 0.95)


def validate_agent(
    document: Any, registered: Registries | None = None, checks: Mapping[str, DefinitionCheck] | None = None
) -> list[Problem]:
    """The warnings of an agent; see `validate_agent_all`. FlowConfigurationError for the first error."""
    return _report(document, registered, checks).raise_first()


def validate_agent_all(
    document: Any, registered: Registries | None = None, checks: Mapping[str, DefinitionCheck] | None = None
) -> list[Problem]:
    """Every error and warning of an agent, in the order of the document. No JSON value makes it raise.

    `document` has the shape of `agent` in flow-spec.md; each flow, field, variable, event, action, condition, tool,
    instruction and idle in it may be JSON or the dataclass. `registered`: further names that code brings along.
    `checks`, by kind: the host's own look at definitions (`http` requests, `python` names), beside ours.
    """
    return _report(document, registered, checks).problems


def _report(document: Any, registered: Registries | None, checks: Mapping[str, DefinitionCheck] | None) -> Report:
    report = Report()
    spot = Spot(report, "agent")
    if too_deep(document):
        spot.problem("too-deep", most=str(MAX_DEPTH))
    elif is_object(document, spot):
        _check_agent(document, spot, registered or Registries(), checks or {})
    return report


def _check_agent(
    agent: Mapping[str, Any], spot: Spot, registered: Registries, checks: Mapping[str, DefinitionCheck]
) -> None:
    registries = Registries.from_spec({"flows": (), **_given(agent)}).joined(registered)
    known = Known.of(registries)
    _check_head(agent, spot, known)
    check_declarations(agent, spot, known)
    check_definitions(agent, spot, known, checks)
    _check_instructions(agent.get("instructions"), spot.at("instructions"), known)
    _check_idle(agent.get("idle"), spot.at("idle").named("idle"), known)
    _check_flows(agent.get("flows"), spot.at("flows"), known)
    check_keys(agent, _KEYS, spot)


def _given(agent: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in agent.items() if value is not None}


def _check_head(agent: Mapping[str, Any], spot: Spot, known: Known) -> None:
    version = agent.get("specVersion")
    if version is not None and not json_equal(version, SPEC_VERSION):
        spot.at("specVersion").misfit("not-one-of", version, choices=str(SPEC_VERSION))
    check_texts(agent, spot, *_TEXTS)
    for key in ("goal", "persona"):
        check_placeholders(agent.get(key), spot.at(key), known)
    timezone = agent.get("timezone")
    if isinstance(timezone, str) and not _is_timezone(timezone):
        spot.at("timezone").misfit("unknown-timezone", timezone)
    check_whole(agent.get("maxToolLoops"), 0, spot.at("maxToolLoops"))
    _check_compaction(agent.get("compaction"), spot.at("compaction"))


def _is_timezone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _check_compaction(option: Any, spot: Spot) -> None:
    """A dataclass has checked itself when it was made."""
    if option is None or is_dataclass(option) or not is_object(option, spot):
        return
    if option.get("maxTokens") is None:
        spot.at("maxTokens").problem("missing")
    for key, least in _COMPACTION_LEAST.items():
        check_whole(option.get(key), least, spot.at(key))
    threshold, (least_share, most_share) = option.get("compactionThreshold"), _THRESHOLD
    if threshold is not None and not (finite(threshold) and least_share <= threshold <= most_share):
        at = spot.at("compactionThreshold")
        at.misfit("not-in-range", threshold, least=str(least_share), most=str(most_share))
    check_flags(option, spot, "enabled")
    check_keys(option, _COMPACTION_KEYS, spot)


def _check_instructions(instructions: Any, spot: Spot, known: Known) -> None:
    if instructions is None or not is_list(instructions, spot):
        return
    for index, value in enumerate(instructions):
        spec = INSTRUCTION.write(value) if isinstance(value, Instruction) else value
        check_instruction(spec, spot.item(index).named(f"agent, instruction #{index + 1}"), known)


def _check_idle(idle: Any, spot: Spot, known: Known) -> None:
    spec = IDLE.write(idle) if isinstance(idle, Idle) else idle
    if spec is None or spec == "silent":
        return
    if isinstance(spec, str):
        spot.misnamed("not-one-of", spec, ("silent",), choices='"silent"')
    elif is_object(spec, spot):
        check_texts(spec, spot, "prompt")
        check_placeholders(spec.get("prompt"), spot.at("prompt"), known)
        check_tools(spec.get("tools"), spot.at("tools"), known)
        check_instructions(spec.get("instructions"), spot.at("instructions"), known)
        check_keys(spec, IDLE.keys, spot)


def _check_flows(flows: Any, spot: Spot, known: Known) -> None:
    if flows is None or not is_list(flows, spot):
        return
    specs: list[Any] = []
    sound: list[bool] = []
    for index, flow in enumerate(flows):
        before = len(spot.report.problems)
        specs.append(check_flow(flow, spot.item(index).named("flow"), known))
        sound.append(not spot.report.has_errors(before))
    check_between_flows(specs, sound, spot)
