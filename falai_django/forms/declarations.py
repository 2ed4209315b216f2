"""Declared types: parameters, JSON Schemas of tools, fields, variables, arguments (spec: flow-spec.md, `params`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.lists import Lines
from falai_django.forms.objects import Object, Row
from falai_django.forms.part import Json, Label, Path, Spot
from falai_django.forms.rows import Entry, NamedRows, Pair
from falai_django.forms.scalars import Choice, Flag, Option, Scalar, Text
from falai_django.forms.values import TYPES
from falai_engine.values import MISSING

__all__ = ["argument_part", "enum_part", "params_part", "schema_part", "type_part", "variables_part"]

_TYPE: Final = _("Type")
_CHOOSE: Final = _("Choose…")
_PARAMETERS: Final = _("Parameters")
_LIST: Final = ("array", _("List"))
_ITEM_TYPES: Final[Sequence[Option]] = (("scalar", _("Any single value")), *TYPES)
_ARGUMENT_TYPES: Final[Sequence[Option]] = (*_ITEM_TYPES, _LIST, ("map", _("Names with values")))


def type_part(types: Sequence[Option] = TYPES, *, label: Label = _TYPE, none: Label = _CHOOSE) -> Choice:
    """One of these types."""
    return Choice(label=label, options=types, none=none, closed=True)


def enum_part() -> Lines:
    """The values of an enum, of the type that the input `type` beside it holds."""
    return Lines(label=_("Allowed values"), help=_("One a line. Empty: any value."), type_in="type", type=None, rows=2)


def _params_rows() -> tuple[Row, ...]:
    items = Object(label=_("What is in the list"), rows=(Row("type", type_part()), Row("enum", enum_part())))
    return (
        Row("type", type_part((*TYPES, _LIST))),
        Row("description", Text(label=_("Description"))),
        Row("enum", enum_part(), when=("type", *dict(TYPES))),
        Row("items", items, when=("type", "array")),
        Row("optional", Flag(label=_("May be left out"))),
    )


def params_part(label: Label = _PARAMETERS, help: Label = "") -> NamedRows:  # noqa: A002 - a part's word
    """Parameters by name: `params` of flow-spec.md."""
    return NamedRows(
        label=label,
        help=help,
        item=Pair(name=Text(label=_("Name")), value=Object(rows=_params_rows(), keep_empty=True)),
        one=_("Parameter"),
        add=_("Add a parameter"),
    )


def variables_part() -> NamedRows:
    """Variables of a conversation beside its fields (spec: update-state.md)."""
    variable = Object(
        rows=(
            Row("type", type_part()),
            Row("initial", Scalar(label=_("First value"), type_in="type")),
            Row("shown", Flag(label=_("The assistant may know it"))),
        ),
        keep_empty=True,
    )
    return NamedRows(
        label=_("Variables"),
        help=_("Values that the conversation keeps and nobody is asked for."),
        item=Pair(name=Text(label=_("Name")), value=variable),
        one=_("Variable"),
        add=_("Add a variable"),
    )


def argument_part() -> Object:
    """What a registered condition is given."""
    items = Object(rows=(Row("type", type_part(_ITEM_TYPES, label=_("Each value is"))),))
    return Object(
        label=_("Argument"),
        rows=(
            Row("type", type_part(_ARGUMENT_TYPES, none=_("Not said"))),
            Row("items", items, when=("type", "array", "map")),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Schema(NamedRows):
    """A JSON Schema object whose properties are scalars; `required` is a check box of each property.

    A property that is more than a scalar is kept and shown.
    """

    def _can_show(self, value: Json) -> bool:
        if not isinstance(value, Mapping) or value.get("type") != "object":
            return False
        required = value.get("required", [])
        named = isinstance(required, list) and all(isinstance(name, str) for name in required)
        properties = value.get("properties", {})
        return named and super()._can_show(properties) and not any(map(_holds_asked, properties.values()))

    def _split(self, value: Json) -> Sequence[Json]:
        required = value.get("required", [])
        return [
            Entry(name, _asked(spec, required=name in required) if _is_flat(spec) else spec)
            for name, spec in value.get("properties", {}).items()
        ]

    def _join(self, items: Sequence[tuple[Json, Spot]], was: Json) -> Json:
        before = was if isinstance(was, Mapping) else {"type": "object"}
        entries: dict[str, Json] = super()._join(items, was)
        old = before.get("required", [])
        asked = [name for name, spec in entries.items() if (_holds_asked(spec) if _is_flat(spec) else name in old)]
        required = [*(name for name in old if name in asked), *(name for name in asked if name not in old)]
        schema = {**before, "properties": {name: _without_asked(spec) for name, spec in entries.items()}}
        if required or "required" in before:
            schema["required"] = required
        return schema if items or before.keys() - {"type", "required"} else MISSING

    def _place(self, path: Path, was: Json, name: str) -> str:
        return super()._place(path[1:], was, name) if path[:1] == ("properties",) else name


_ASKED: Final = "required"
"""Stands inside a property, while it is edited, for its name in the schema's list."""


def _is_flat(spec: Json) -> bool:
    plain = isinstance(spec, Mapping) and isinstance(spec.get("type"), str) and spec["type"] in dict(TYPES)
    return plain and not any(isinstance(value, Mapping) for value in spec.values())


def _asked(spec: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    return {**spec, _ASKED: True} if required else dict(spec)


def _holds_asked(spec: Json) -> bool:
    return isinstance(spec, Mapping) and _ASKED in spec


def _without_asked(spec: Json) -> Json:
    return {key: value for key, value in spec.items() if key != _ASKED} if isinstance(spec, Mapping) else spec


class _FlatProperty(Object):
    """A property of a schema; one that is no scalar cannot be shown in inputs."""

    def _can_show(self, value: Json) -> bool:
        return _is_flat(value)


def schema_part() -> NamedRows:
    """The parameters of a tool: a flat JSON Schema."""
    spec = _FlatProperty(
        rows=(
            Row("type", type_part()),
            Row("description", Text(label=_("Description"))),
            Row("enum", enum_part()),
            Row(_ASKED, Flag(label=_("Must be given"))),
        ),
        keep_empty=True,
    )
    return _Schema(
        label=_("Parameters"),
        help=_("What the assistant has to know to use the tool."),
        item=Pair(name=Text(label=_("Name")), value=spec),
        one=_("Parameter"),
        add=_("Add a parameter"),
    )
