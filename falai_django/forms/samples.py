"""Inputs for sample values: what a request is filled with when somebody tries it (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.forms.fields import PartField
from falai_django.forms.lists import Lines
from falai_django.forms.names import Names
from falai_django.forms.part import Part
from falai_django.forms.posted import input_key
from falai_django.forms.scalars import Scalar
from falai_django.forms.values import scalar_type
from falai_django.outgoing.placeholders import Placeholder, Values
from falai_django.outgoing.trials import placeholders_of

__all__ = ["sample_fields", "sample_values"]

_ROOTS: Final = ("data", "context")


def sample_fields(spec: Mapping[str, Any], names: Names) -> dict[str, PartField]:
    """A form field for each parameter of an action or tool, and for all else that its request names."""
    parts = {_key("input", (name,)): _part(name, declared) for name, declared in _parameters(spec).items()}
    for each in _named(spec):
        parts.setdefault(_key(each.root, each.keys), _named_part(each, names))
    return {key: PartField(part) for key, part in parts.items()}


def sample_values(spec: Mapping[str, Any], cleaned: Mapping[str, Any]) -> Values:
    """What was typed, as a request is filled with it; what was left empty is missing."""
    given = {name: cleaned.get(_key("input", (name,))) for name in _parameters(spec)}
    data: dict[str, Any] = {}
    context: dict[str, Any] = {}
    for each in _named(spec):
        value = cleaned.get(_key(each.root, each.keys))
        if value is not None:
            _put(data if each.root == "data" else context, each.keys, value)
    return Values({name: value for name, value in given.items() if value is not None}, data, context)


def _key(root: str, keys: tuple[str, ...]) -> str:
    return f"{root}-{input_key('.'.join(keys))}"


def _parameters(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of an action `params`, of a tool the properties of its schema."""
    declared: Any = spec.get("parameters")
    if isinstance(declared, Mapping) and declared.get("type") == "object":
        declared = declared.get("properties")
    return declared if isinstance(declared, Mapping) else {}


def _named(spec: Mapping[str, Any]) -> Iterator[Placeholder]:
    return (each for each in placeholders_of(spec.get("request")) if each.root in _ROOTS)


def _part(name: str, declared: Any) -> Part:
    spec = declared if isinstance(declared, Mapping) else {}
    told = spec.get("description")
    enum = spec.get("enum")
    if spec.get("type") == "array":
        items = spec.get("items")
        inner = items.get("type") if isinstance(items, Mapping) else None
        return Lines(label=name, help=_("One a line."), type=scalar_type(inner))
    return Scalar(
        label=name,
        help=told if isinstance(told, str) else "",
        type=scalar_type(spec.get("type")),
        enum=enum if isinstance(enum, list) else (),
    )


def _named_part(placeholder: Placeholder, names: Names) -> Part:
    """Of a field or variable by its type; of the context whatever is typed."""
    datum = names.datum(placeholder.keys[0]) if placeholder.root == "data" else None
    label = ".".join((placeholder.root, *placeholder.keys))
    if datum is None or len(placeholder.keys) > 1:
        return Scalar(label=label)
    return Scalar(label=label, help=datum.label, type=scalar_type(datum.type), enum=datum.enum)


def _put(values: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    for key in keys[:-1]:
        inner = values.get(key)
        if not isinstance(inner, dict):
            inner = values[key] = {}
        values = inner
    values[keys[-1]] = value
