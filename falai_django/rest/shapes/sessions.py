"""Conversations: their state, their transcript, their wakes."""

from __future__ import annotations

from rest_framework import serializers

from falai_django.models import Message
from falai_django.rest.shapes.parts import (
    Page,
    Shape,
    a_text,
    any_json,
    any_list,
    any_object,
    flag,
    maybe_text,
    null_text,
)

__all__ = [
    "CloseBody",
    "ContactAnswer",
    "ErasingAnswer",
    "HumanBody",
    "MessagePage",
    "MessageShape",
    "SessionAnswer",
    "SessionPatch",
    "SilencePart",
    "WakePage",
    "WakeShape",
]


class SessionAnswer(Shape):
    """The state of a conversation."""

    id = a_text()
    agent = a_text()
    version = serializers.IntegerField()
    data = any_object()
    metadata = any_object()
    runs = any_list(child=any_object())
    context = any_object()
    anchors = any_object()
    silenced = any_object(allow_null=True)
    last_user_at = null_text()
    last_assistant_at = null_text()
    last_activity_at = a_text()
    created_at = a_text()


class SilencePart(Shape):
    """How long the agent says nothing, and why."""

    lasts = maybe_text(help_text="A duration as `2h`; as long as the agent's settings say unless told.")
    reason = maybe_text(max_length=200)


class SessionPatch(Shape):
    """Merge patches of context and anchors; `silence: null` lets the agent speak again."""

    context = any_object(required=False)
    anchors = any_object(required=False)
    silence = SilencePart(required=False, allow_null=True)


class CloseBody(Shape):
    """`clear`: the session's data goes, too."""

    clear = flag(required=False, default=False)
    key = maybe_text(max_length=255)


class ErasingAnswer(Shape):
    """A turn runs: the session is gone once it has ended."""

    erasing = flag()


class ContactAnswer(Shape):
    """How many sessions are erased, and how many once their turns have ended."""

    erased = serializers.IntegerField()
    waiting = serializers.IntegerField()


class MessageShape(Shape):
    """A message of the transcript, in, out, or a notice to the team."""

    id = a_text()
    sequence = serializers.IntegerField()
    direction = serializers.ChoiceField(choices=Message.Direction.choices)
    author = serializers.ChoiceField(choices=Message.Author.choices)
    text = a_text(allow_blank=True)
    media = any_json()
    kind = null_text()
    recipient = null_text()
    turn = serializers.IntegerField(allow_null=True)
    run_id = null_text()
    step_id = null_text()
    state = serializers.ChoiceField(choices=Message.State.choices)
    error = null_text()
    created_at = a_text()
    sent_at = null_text()


class MessagePage(Page):
    """Messages, the oldest first unless told."""

    items = MessageShape(many=True)


class HumanBody(Shape):
    """What a person of the team wrote; `send`: the agent's sender is to send it."""

    text = a_text(allow_blank=True, required=False, default="")
    media = any_json(required=False)
    send = flag(required=False, default=False)
    id = maybe_text(max_length=255, help_text="The same one again writes nothing.")


class WakeShape(Shape):
    """A time at which the session is woken."""

    key = a_text()
    due = a_text()
    created_at = a_text()


class WakePage(Page):
    """Pending wakes, the newest first unless told."""

    items = WakeShape(many=True)
