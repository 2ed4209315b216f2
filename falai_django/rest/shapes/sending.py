"""Events to several sessions, and messages that a program fetches."""

from __future__ import annotations

from rest_framework import serializers

from falai_django.rest.shapes.errors import ErrorPart
from falai_django.rest.shapes.parts import Shape, a_text, any_json, any_list, any_object, flag, maybe_text

__all__ = ["AckAnswer", "AckBody", "AnchorPart", "EventAnswer", "EventBody", "EventTurnShape", "OutboxAnswer"]


class AnchorPart(Shape):
    """Whose sessions."""

    name = a_text(max_length=64)
    key = a_text(max_length=128)


class EventBody(Shape):
    """An event to the sessions of an anchor, or to a list of them: exactly one of `anchor` and `sessions`."""

    event = a_text()
    payload = any_json(required=False)
    key = maybe_text(help_text="The same one again is the same event in each session.")
    anchor = AnchorPart(required=False)
    sessions = any_list(child=a_text(max_length=128), required=False, allow_empty=False)
    context = any_object(required=False)
    at = maybe_text()
    hop = serializers.IntegerField(required=False, min_value=0)


class EventTurnShape(Shape):
    """What became of the event in one session: its turn, or why it was not taken."""

    session = a_text()
    turn = serializers.IntegerField(required=False)
    is_new = flag(required=False)
    error = ErrorPart(required=False)


class EventAnswer(Shape):
    """One line for each session."""

    key = a_text()
    items = EventTurnShape(many=True)


class OutboxAnswer(Shape):
    """Messages that are to be sent, each the first of its session, kept from others for a while."""

    items = any_list(child=any_object())


class AckBody(Shape):
    """Ids of messages that were sent, and of those that never will be (id to a code)."""

    sent = any_list(child=a_text(max_length=64), required=False, default=list, max_length=1_000)
    refused = any_object(child=a_text(max_length=200), required=False, default=dict)


class AckAnswer(Shape):
    """`unknown`: not of this tenant, or never fetched."""

    known = any_list(child=a_text())
    unknown = any_list(child=a_text())
