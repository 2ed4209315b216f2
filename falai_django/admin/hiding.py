"""What of a conversation stays hidden from its pages."""

from __future__ import annotations

from falai_django.hiding import Hidden, hidden_of_session, hidden_of_turn

__all__ = ["Hidden", "hidden_of_session", "hidden_of_turn"]
