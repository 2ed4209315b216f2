"""An agent from its document (flow-spec.md, `agent`), with the host's functions bound by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, cast

from falai_engine.agent import Agent
from falai_engine.compiled.agent import AgentParts
from falai_engine.compiled.compare import compare_condition
from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import updates_from_json
from falai_engine.model import Provider
from falai_engine.registry import (
    Action,
    BusinessHours,
    ConditionDefinition,
    Tool,
    as_action,
    as_condition,
    as_tool,
)
from falai_engine.update_state import UpdateStateAction, UpdateStateTool
from falai_engine.validation import Registries, validate_agent

__all__ = ["Registrations", "agent_from_spec"]

UPDATE_STATE: Final = "update_state"
COMPARE: Final = "compare"
_PART_NAMES: Final = {"knowledgeBase": "knowledge_base", "maxToolLoops": "max_tool_loops"}
_PARTS: Final = frozenset(AgentParts.__annotations__)


@dataclass(frozen=True, slots=True)
class Registrations:
    """What the host brings for the names of a document; a function may stand for itself.

    Looked up by the `name` of an entry of kind `python`, else by the name of the entry.
    """

    actions: Mapping[str, Action] = field(default_factory=dict)
    conditions: Mapping[str, ConditionDefinition] = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)
    business_hours: BusinessHours | None = None

    def __post_init__(self) -> None:
        for name, stand_in in (("actions", as_action), ("conditions", as_condition), ("tools", as_tool)):
            given = getattr(self, name)
            object.__setattr__(self, name, {key: stand_in(each) for key, each in given.items()})


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
    parts = {_PART_NAMES.get(key, key): value for key, value in document.items() if _PART_NAMES.get(key, key) in _PARTS}
    parts["actions"] = {name: _action(name, each, brought) for name, each in (document.get("actions") or {}).items()}
    parts["conditions"] = _conditions(document, brought)
    parts["tools"] = [_tool(each, brought) for each in document.get("tools") or ()]
    parts["business_hours"] = brought.business_hours
    return cast("AgentParts", parts)


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
