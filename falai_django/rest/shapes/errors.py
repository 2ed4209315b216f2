"""How errors look."""

from __future__ import annotations

from rest_framework import serializers

from falai_django.rest.shapes.parts import Shape, a_text, any_object, maybe_text

__all__ = ["ErrorAnswer", "ErrorPart", "ProblemShape"]


class ProblemShape(Shape):
    """One thing that is wrong, and where."""

    path = a_text(allow_blank=True)
    message = a_text()
    code = maybe_text()
    severity = maybe_text(help_text="`error` or `warning`.")
    row = maybe_text(help_text="The row that it is about, as authors call it.")


class ErrorPart(Shape):
    """What went wrong. `code` stays as it is; `message` is for people."""

    code = a_text()
    message = a_text(allow_blank=True)
    problems = ProblemShape(many=True, required=False)
    retry_after = serializers.IntegerField(required=False, help_text="Seconds, as the header says.")


class ErrorAnswer(Shape):
    """The one shape of errors. `turn`: of a turn that was taken, the stored response; an apology may be in it."""

    error = ErrorPart()
    turn = any_object(required=False)
