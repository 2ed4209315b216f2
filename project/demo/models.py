"""What a turn of a demo agent heard, kept for the chat page: the app itself keeps what happened, not why."""

from __future__ import annotations

from django.db import models

from falai_django.models import Turn

__all__ = ["Heard"]


class Heard(models.Model):
    """One turn. `understood`: sections of `hearing.understood_of`; `performed`: calls by their key."""

    turn = models.OneToOneField(Turn, models.CASCADE, related_name="demo_heard")
    understood = models.JSONField(null=True)
    performed = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.turn_id}"
