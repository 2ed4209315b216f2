"""An agent from its document (flow-spec.md, `agent`), with the host's functions bound by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from falai_engine.agent import Agent
from falai_engine.compaction import Compaction
from falai_engine.compiled.agent import AgentParts
from falai_engine.compiled.compare import compare_condition
from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import updates_from_json
from falai_engine.model import Provider
from falai_engine.registry import Action, BusinessHours, ConditionDefinition, Tool
from falai_engine.spec import (
    event_from_spec,
    field_from_spec,
    idle_from_spec,
    instruction_from_spec,
    variable_from_spec,
)
from falai_engine.update_state import UpdateStateAction, UpdateStateTool
from falai_engine.validation import Registries, validate_agent

__all__ = ["Registrations", "agent_from_spec"]

UPDATE_STATE: Final = "update_state"
COMPARE: Final = "compare"


@dataclass(frozen=True, slots=True)
class Registrations:
    """What the host brings for the names of a document: by the `name` of an entry of kind `python`, else by its own."""

    actions: Mapping[str, Action] = field(default_factory=dict)
    conditions: Mapping[str, ConditionDefinition] = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)
    business_hours: BusinessHours | None = None


def agent_from_spec(
    document: Mapping[str, Any],
    *,
    provider: Provider,
    registrations: Registrations | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Agent:
    """Build the agent. Raises FlowConfigurationError on the first problem, an unregistered name among them."""
    brought = registrations or Registrations()
    warnings = validate_agent(document, Registries(conditions=brought.conditions))
    moved = {"clock": clock} if clock is not None else {}
    return Agent(provider=provider, warnings=warnings, **moved, **_parts(document, brought))


def _parts(document: Mapping[str, Any], brought: Registrations) -> AgentParts:
    parts: AgentParts = {
        "name": document.get("name") or "",
        "goal": document.get("goal"),
        "persona": document.get("persona"),
        "knowledge_base": document.get("knowledgeBase"),
        "locale": document.get("locale"),
        "timezone": document.get("timezone"),
        "fields": _read(document, "fields", field_from_spec),
        "variables": _read(document, "variables", variable_from_spec),
        "flows": document.get("flows") or (),
        "actions": {name: _action(name, each, brought) for name, each in (document.get("actions") or {}).items()},
        "events": _read(document, "events", event_from_spec),
        "conditions": _conditions(document, brought),
        "tools": [_tool(each, brought) for each in document.get("tools") or ()],
        "instructions": [instruction_from_spec(each) for each in document.get("instructions") or ()],
        "compaction": _compaction(document.get("compaction")),
        "business_hours": brought.business_hours,
    }
    if document.get("idle") is not None:
        parts["idle"] = idle_from_spec(document["idle"])
    if document.get("maxToolLoops") is not None:
        parts["max_tool_loops"] = document["maxToolLoops"]
    return parts


def _read(document: Mapping[str, Any], key: str, reader: Callable[[Mapping[str, Any]], Any]) -> dict[str, Any]:
    return {name: reader(each) for name, each in (document.get(key) or {}).items()}


def _found(registered: Mapping[str, Any], name: str, spec: Mapping[str, Any], what: str) -> Any:
    python_name = spec.get("name") or name
    found = registered.get(python_name)
    if found is None:
        raise FlowConfigurationError(
            f'{what} "{name}"', f"no Python {what} {python_name!r} is registered", "Register it or change the name"
        )
    return found


def _action(name: str, spec: Mapping[str, Any], brought: Registrations) -> Action | UpdateStateAction:
    if spec.get("kind") == UPDATE_STATE:
        return UpdateStateAction(updates=updates_from_json(spec.get("updates")), description=spec.get("description"))
    action: Action = _found(brought.actions, name, spec, "action")
    return replace(
        action,
        name=name,
        parameters=spec.get("parameters") or {},
        description=spec.get("description") or action.description,
        idempotent=action.idempotent if spec.get("idempotent") is None else spec["idempotent"],
    )


def _conditions(document: Mapping[str, Any], brought: Registrations) -> dict[str, ConditionDefinition]:
    named = {
        name: compare_condition(spec["path"], spec["op"], spec.get("argument"))
        if spec.get("kind") == COMPARE
        else _found(brought.conditions, name, spec, "condition")
        for name, spec in (document.get("conditions") or {}).items()
    }
    return {**brought.conditions, **named}


def _tool(spec: Mapping[str, Any], brought: Registrations) -> Tool | UpdateStateTool:
    if spec.get("kind") == UPDATE_STATE:
        updates = updates_from_json(spec.get("updates"))
        return UpdateStateTool(id=spec["id"], updates=updates, description=spec.get("description") or "")
    tool: Tool = _found(brought.tools, spec["id"], spec, "tool")
    return replace(
        tool,
        id=spec["id"],
        description=spec.get("description") or tool.description,
        parameters=spec.get("parameters") or tool.parameters,
        read_only=tool.read_only if spec.get("readOnly") is None else spec["readOnly"],
        destructive=tool.destructive if spec.get("destructive") is None else spec["destructive"],
        idempotent=tool.idempotent if spec.get("idempotent") is None else spec["idempotent"],
        max_result_size_chars=spec.get("maxResultSizeChars") or tool.max_result_size_chars,
    )


def _compaction(spec: Mapping[str, Any] | None) -> Compaction | None:
    if spec is None:
        return None
    names = {
        "maxTokens": "max_tokens",
        "compactionThreshold": "compaction_threshold",
        "preserveRecentCount": "preserve_recent_count",
        "maxToolResultChars": "max_tool_result_chars",
        "enabled": "enabled",
    }
    return Compaction(**{names[key]: value for key, value in spec.items() if value is not None and key in names})
