"""The loop that moves everything on (spec: host.md section 4): wakes, sessions, outbox, housekeeping."""

from falai_django.loop.running import PARTS, Ticked, run_part, tick

__all__ = ["PARTS", "Ticked", "run_part", "tick"]
