"""Whether flows and agents can work as written (spec: flow-spec.md, `validate_flow`)."""

from falai_engine.validation.agent import validate_agent, validate_agent_all
from falai_engine.validation.definitions import Definition, DefinitionCheck, Finding
from falai_engine.validation.flow import validate_flow, validate_flow_all
from falai_engine.validation.registries import Registries
from falai_engine.validation.report import Problem
from falai_engine.validation.rules import RULES, Rule, Severity

__all__ = [
    "RULES",
    "Definition",
    "DefinitionCheck",
    "Finding",
    "Problem",
    "Registries",
    "Rule",
    "Severity",
    "validate_agent",
    "validate_agent_all",
    "validate_flow",
    "validate_flow_all",
]
