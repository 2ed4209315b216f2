"""What of an agent's row neither the door nor a turn reads: it is long, and the agent is compiled."""

from __future__ import annotations

from typing import Final

__all__ = ["UNREAD_OF_AGENTS"]

UNREAD_OF_AGENTS: Final = (
    "agent__goal",
    "agent__persona",
    "agent__knowledge_base",
    "agent__variables",
    "agent__instructions",
    "agent__idle",
    "agent__compaction",
    "agent__head_rest",
    "agent__trouble_detail",
)
"""As a query of sessions names them."""
