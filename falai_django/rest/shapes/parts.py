"""What shapes are made of."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

__all__ = ["Page", "Shape", "a_text", "any_json", "any_list", "any_object", "flag", "maybe_text", "null_text"]


class Shape(Serializer[Any]):
    """Its attributes are the keys, in camelCase as all JSON of ours."""

    def get_fields(self) -> dict[str, Any]:
        return {_camel(name): field for name, field in super().get_fields().items()}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def a_text(**more: Any) -> Any:
    """Text, kept as it is."""
    return serializers.CharField(trim_whitespace=False, **more)


def maybe_text(**more: Any) -> Any:
    """Text that may be missing."""
    return a_text(required=False, **more)


def null_text(**more: Any) -> Any:
    """Text or null."""
    return a_text(allow_null=True, **more)


def any_json(**more: Any) -> Any:
    """Any JSON."""
    return serializers.JSONField(**more)


def any_object(**more: Any) -> Any:
    """An object of any keys."""
    return serializers.DictField(**more)


def any_list(**more: Any) -> Any:
    """A list."""
    return serializers.ListField(**more)


def flag(**more: Any) -> Any:
    """True or false."""
    return serializers.BooleanField(**more)


class Page(Shape):
    """A page of a list."""

    next = null_text(help_text="The cursor of the next page; null on the last one.")
