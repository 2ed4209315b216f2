"""The update-state tool and action: setting state by expressions (spec: update-state.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from falai_engine.expressions import (
    Update,
    UpdateOutcome,
    apply_updates,
    check_updates,
    format_update,
    parameter_schema,
    updates_to_json,
)
from falai_engine.flows import Field, Variable

__all__ = ["StateUpdates", "UpdateStateAction", "UpdateStateTool", "bind_updates"]

Declared = Mapping[str, Field | Variable]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateStateTool:
    """A tool that sets fields and variables of the conversation, and does nothing else."""

    id: str
    updates: Sequence[Update]
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateStateAction:
    """The same for a `do` step; its expressions ask no model."""

    updates: Sequence[Update]
    description: str | None = None


@dataclass(frozen=True, slots=True)
class StateUpdates:
    """Updates bound to what an agent declares; `id` names the tool or action, `parameters` are for the model."""

    id: str
    updates: tuple[Update, ...]
    declared: Declared
    description: str
    parameters: Mapping[str, Any]

    def apply(self, data: Mapping[str, Any], arguments: Mapping[str, Any]) -> UpdateOutcome:
        """Evaluate all against the data as it is; nothing is changed here."""
        return apply_updates(self.updates, data, arguments, self.declared)


def bind_updates(kind: UpdateStateTool | UpdateStateAction, name: str, declared: Declared) -> StateUpdates:
    """Bind updates to the declarations. Raises FlowConfigurationError on the first problem, with its path."""
    is_tool = isinstance(kind, UpdateStateTool)
    where = f'{"tool" if is_tool else "action"} "{name}", updates'
    for problem in check_updates(updates_to_json(kind.updates), declared, where, allow_llm=is_tool):
        raise problem.error()
    shown = "\n".join(map(format_update, kind.updates))
    description = "\n".join(filter(None, [kind.description, f"Sets:\n{shown}"]))
    return StateUpdates(name, tuple(kind.updates), declared, description, parameter_schema(kind.updates))
