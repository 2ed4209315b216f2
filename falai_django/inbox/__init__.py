"""The door: how an input becomes a Turn (spec: host.md section 3)."""

from falai_django.inbox.door import Accepted, take
from falai_django.inbox.inputs import Input, event, message, read_input, set_values, start

__all__ = ["Accepted", "Input", "event", "message", "read_input", "set_values", "start", "take"]
