"""What the understand call said, mapped back to the author's names (spec: engine.md section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from falai_engine.replies import score_of
from falai_engine.values import boolean_of

if TYPE_CHECKING:
    from falai_engine.compiled.parts import CompiledFlow

__all__ = ["Judgement"]


@dataclass(slots=True)
class Judgement:
    """Raw sections by the author's names; empty when nothing was asked. Branches are keyed `runId/stepId/index`.

    `eligible`: the flows that could take the floor, in agent order; `lone`: the one that starts unscored;
    `catch_all`: the first that passes, with nobody on the floor.
    """

    flows: Mapping[str, Any] = field(default_factory=dict)
    mentions: Mapping[str, Any] = field(default_factory=dict)
    extract: Mapping[str, Any] = field(default_factory=dict)
    branches: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    eligible: tuple[CompiledFlow, ...] = ()
    lone: CompiledFlow | None = None
    catch_all: CompiledFlow | None = None

    def score(self, flow_id: str) -> float:
        """0 to 100."""
        return score_of(self.flows.get(flow_id))

    def mentioned(self, flow_id: str) -> bool:
        return boolean_of(self.mentions.get(flow_id)) is True

    def branch(self, name: str) -> bool:
        return boolean_of(self.branches.get(name)) is True

    def payload(self, flow_id: str) -> Mapping[str, Any] | None:
        """What a mention extracted, null and empty dropped; None without an object."""
        values = self.extract.get(flow_id)
        if not isinstance(values, Mapping):
            return None
        return {name: value for name, value in values.items() if value is not None and value != ""}
