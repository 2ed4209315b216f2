"""The option that keeps a long history within a model's bounds (spec: engine.md section 14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from falai_engine.errors import FlowConfigurationError

__all__ = ["Compaction"]

LOWEST_THRESHOLD: Final = 0.5
HIGHEST_THRESHOLD: Final = 0.95
FEWEST_RECENT: Final = 2
_NAMES: Final = {
    "maxTokens": "max_tokens",
    "compactionThreshold": "compaction_threshold",
    "preserveRecentCount": "preserve_recent_count",
    "maxToolResultChars": "max_tool_result_chars",
    "enabled": "enabled",
}


@dataclass(frozen=True, slots=True)
class Compaction:
    """When and how the history is made smaller; tokens are estimated, 4 characters each.

    Raises FlowConfigurationError when a value is out of range.
    """

    max_tokens: int
    compaction_threshold: float = 0.8
    preserve_recent_count: int = 4
    max_tool_result_chars: int = 5_000
    enabled: bool = True

    def __post_init__(self) -> None:
        for name, ok, bounds in (
            ("maxTokens", self.max_tokens >= 1, "at least 1"),
            ("compactionThreshold", LOWEST_THRESHOLD <= self.compaction_threshold <= HIGHEST_THRESHOLD, "0.5 to 0.95"),
            ("preserveRecentCount", self.preserve_recent_count >= FEWEST_RECENT, "at least 2"),
            ("maxToolResultChars", self.max_tool_result_chars >= 0, "at least 0"),
        ):
            if not ok:
                raise FlowConfigurationError("agent, compaction", f"{name} is out of range", f"Set it to {bounds}")

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Compaction:
        """The option of an agent's document; nulls and unknown keys are left out."""
        given = {_NAMES[key]: value for key, value in spec.items() if value is not None and key in _NAMES}
        return cls(**given)

    @property
    def limit(self) -> float:
        """The estimate from which on the history is compacted."""
        return self.compaction_threshold * self.max_tokens
