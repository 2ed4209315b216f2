"""Turns: what may be sent, and what comes back. `inbox.read_input` reads an input; here stands which keys it has."""

from __future__ import annotations

from rest_framework import serializers

from falai_django.models import Deliver, Turn
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
    "MessagePart",
    "SetPart",
    "SpokenShape",
    "StartPart",
    "TurnAnswer",
    "TurnBody",
    "TurnPage",
    "TurnPart",
    "TurnQueuedAnswer",
    "TurnShape",
]


class MessagePart(Shape):
    """What the customer wrote."""

    text = maybe_text(allow_blank=True)
    media = any_json(required=False, help_text="Any JSON; without a text, the model is told that there is some.")
    reply = any_json(required=False, help_text="What it answers to; flows read it in `context.message.reply`.")
    id = maybe_text(help_text="The channel's id: the same one again is the same message, and gets the same answer.")
    at = maybe_text(help_text="When it was written (ISO 8601).")


class StartPart(Shape):
    """Which flow is to start."""

    flow = a_text()
    input = any_json(required=False)
    key = maybe_text()
    hop = serializers.IntegerField(required=False, min_value=0)


class SetPart(Shape):
    """Values of declared fields and variables, and metadata; null takes one away."""

    data = any_object(required=False)
    metadata = any_object(required=False)
    key = maybe_text()


class TurnBody(Shape):
    """Exactly one of `message`, `event`, `start` and `set`; the rest is given along."""

    message = MessagePart(required=False)
    event = maybe_text(help_text="The name of a registered event.")
    payload = any_json(required=False, help_text="Of the event.")
    start = StartPart(required=False)
    set = SetPart(required=False)
    key = maybe_text(help_text="Of an event or a set: the same one again is the same input.")
    context = any_object(required=False, help_text="A merge patch of the session's context.")
    anchors = any_object(required=False, help_text="What the session is about: names to keys; null takes one away.")
    history = any_list(required=False, help_text="`{role, content}` instead of the transcript.")
    silenced = any_json(
        required=False, help_text="Text, or `{reason, understand?}`: the agent says nothing in this turn."
    )
    at = maybe_text(help_text="When it happened (ISO 8601).")
    hop = serializers.IntegerField(required=False, min_value=0)
    deliver = serializers.ChoiceField(
        choices=Deliver.choices, required=False, help_text="The agent's own way unless told."
    )
    release = any_json(required=False, help_text="A number, or `draft`: another one than the active (scope `author`).")


class TurnPart(Shape):
    """Which turn this is."""

    id = serializers.IntegerField()
    kind = a_text()
    key = a_text()
    state = a_text(help_text="`done`, `merged`, `failed`, `dead`, `missed` or `received`.")


class SpokenShape(Shape):
    """What the agent says. `id` is the same for ever."""

    id = a_text()
    text = a_text(allow_blank=True)
    kind = a_text(help_text="`ai` or `verbatim`.")
    after_ms = serializers.IntegerField(help_text="A pause before it.")
    key = a_text()
    media = any_json(required=False)
    run_id = maybe_text()
    step_id = maybe_text()


class TurnAnswer(Shape):
    """The result of a turn, without the session; then what is known, asked and waited for. Sensitive fields are `***`.

    `mergedInto`: the key of the message that this one was answered with.
    """

    turn = TurnPart()
    messages = SpokenShape(many=True)
    data = any_object()
    asking = any_object(allow_null=True)
    waiting = any_list(child=any_object())
    outcomes = any_list(child=any_object())
    schedule = any_list(child=any_object())
    started = any_list(child=any_object())
    ended = any_list(child=any_object())
    skipped = any_list(child=any_object())
    changed = flag()
    llm_calls = serializers.IntegerField()
    usage = any_object(required=False)
    merged_into = maybe_text()


class TurnQueuedAnswer(Shape):
    """The input is taken and its turn will run; `Location` is where its end can be read."""

    turn = TurnPart()


class TurnShape(Shape):
    """A line of the log."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Turn.Kind.choices)
    key = a_text()
    state = serializers.ChoiceField(choices=Turn.State.choices)
    deliver = serializers.ChoiceField(choices=Deliver.choices)
    release = serializers.IntegerField(allow_null=True)
    attempts = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens = serializers.IntegerField()
    milliseconds = serializers.IntegerField(allow_null=True)
    error = null_text()
    merged_into = serializers.IntegerField(allow_null=True)
    outcomes = any_list(child=any_object())
    received_at = a_text()
    not_before = null_text()
    ended_at = null_text()
    input = any_object(required=False, help_text="Of one turn alone.")
    response = any_object(required=False, allow_null=True, help_text="Of one turn alone, once it has ended.")


class TurnPage(Page):
    """Turns, the newest first unless told."""

    items = TurnShape(many=True)
