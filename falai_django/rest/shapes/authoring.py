"""Drafts and releases."""

from __future__ import annotations

from rest_framework import serializers

from falai_django.rest.shapes.errors import ProblemShape
from falai_django.rest.shapes.parts import Page, Shape, a_text, any_list, any_object, flag, maybe_text

__all__ = [
    "ActivateAnswer",
    "ChangeShape",
    "DraftPlanAnswer",
    "EmptyShape",
    "PublishAnswer",
    "PublishBody",
    "ReleasePage",
    "ReleaseShape",
    "TouchedShape",
    "ValidateBody",
]


class EmptyShape(Shape):
    """Any JSON object."""


class ChangeShape(Shape):
    """One difference in words."""

    place = a_text(allow_blank=True)
    kind = a_text()
    sentence = a_text()


class TouchedShape(Shape):
    """How many live runs notice."""

    place = a_text()
    count = serializers.IntegerField()
    sentence = a_text()


class ReleaseShape(Shape):
    """A release without its document."""

    number = serializers.IntegerField()
    digest = a_text()
    spec_version = serializers.IntegerField()
    note = a_text(allow_blank=True)
    published_by = a_text(allow_blank=True)
    published_at = a_text()
    is_active = flag()


class ReleasePage(Page):
    """Releases, the newest first unless told."""

    items = ReleaseShape(many=True)


class ValidateBody(Shape):
    """`document`: an agent document to look at instead of the stored draft; nothing is stored."""

    document = any_object(required=False)


class DraftPlanAnswer(Shape):
    """What publishing would say and do. `version`: to give to publish."""

    is_valid = flag()
    is_unchanged = flag()
    version = a_text(allow_blank=True)
    problems = ProblemShape(many=True)
    changes = ChangeShape(many=True)
    touched = TouchedShape(many=True)
    notes = any_list(child=a_text())


class PublishBody(Shape):
    """`version`: of the draft that was validated; another one is refused."""

    note = maybe_text(allow_blank=True, default="", max_length=10_000)
    version = maybe_text()


class PublishAnswer(Shape):
    """What serves now."""

    release = ReleaseShape()
    is_new = flag()
    warnings = ProblemShape(many=True)
    changes = ChangeShape(many=True)
    touched = TouchedShape(many=True)


class ActivateAnswer(Shape):
    """What serves now; not `isChanged` when it did already."""

    release = ReleaseShape()
    is_changed = flag()
    changes = ChangeShape(many=True)
    touched = TouchedShape(many=True)
