"""Scalars, enums and parameters: whether a value is of a type, and whether a type is well written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from falai_engine.validation.report import Spot, listed
from falai_engine.validation.shapes import (
    check_choice,
    check_flags,
    check_keys,
    check_texts,
    is_list,
    is_object,
    is_whole,
)
from falai_engine.values import finite, json_equal

__all__ = [
    "SCALARS",
    "allows",
    "check_enum",
    "check_parameter",
    "check_parameters",
    "check_type",
    "check_value",
    "fits",
]

SCALARS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": finite,
    "integer": is_whole,
    "boolean": lambda value: isinstance(value, bool),
}
"""The types of fields, variables and parameters, and what is a value of each. Nothing is coerced."""

_PARAMETER = frozenset({"type", "description", "enum", "optional"})
_ITEMS = frozenset({"type", "description", "enum"})


def fits(type_: Any, value: Any) -> bool:
    """Whether the value is of the type; any is of a type that is none, which has its own problem."""
    test = SCALARS.get(type_) if isinstance(type_, str) else None
    return test is None or test(value)


def allows(enum: Any, value: Any) -> bool:
    """Whether the enum, if there is one, holds the value."""
    return not isinstance(enum, (list, tuple)) or any(json_equal(choice, value) for choice in enum)


def check_enum(spec: Mapping[str, Any], spot: Spot) -> None:
    """The `enum` of a field or parameter: values of its type, at least one."""
    enum, at = spec.get("enum"), spot.at("enum")
    if enum is None or not is_list(enum, at):
        return
    if not enum:
        at.problem("enum-empty")
    for index, value in enumerate(enum):
        if not fits(spec.get("type"), value):
            at.item(index).misfit("value-type", value, type=str(spec.get("type")))


def check_parameters(params: Any, spot: Spot) -> None:
    """The declaration of parameters: `params` of flow-spec.md."""
    if params is None or not is_object(params, spot):
        return
    for name, param in params.items():
        at = spot.key(name)
        if is_object(param, at):
            check_parameter(param, at, (*SCALARS, "array"), _PARAMETER)


def check_parameter(param: Mapping[Any, Any], spot: Spot, types: Collection[str], keys: frozenset[str]) -> None:
    """One declared type, with the items of an array."""
    check_type(param, spot, types)
    check_texts(param, spot, "description")
    check_flags(param, spot, "optional")
    check_enum(param, spot)
    if param.get("type") != "array":
        check_keys(param, keys, spot)
        return
    check_keys(param, keys | {"items"}, spot)
    items, at = param.get("items"), spot.at("items")
    if items is None:
        at.problem("missing")
    elif is_object(items, at):
        check_parameter(items, at, SCALARS, _ITEMS)


def check_type(param: Mapping[Any, Any], spot: Spot, types: Collection[str]) -> None:
    """The `type` that every declaration has."""
    if param.get("type") is None:
        spot.at("type").problem("missing")
    else:
        check_choice(param["type"], types, spot.at("type"))


def check_value(value: Any, param: Mapping[str, Any], spot: Spot) -> None:
    """A value that a flow gives for a parameter. A text with a template in it is only known when it runs."""
    if param.get("type") == "array":
        _check_items(value, param.get("items"), spot)
    elif not fits(param.get("type"), value):
        spot.misfit("parameter-type", value, type=str(param.get("type")))
    elif not (isinstance(value, str) and "{{" in value) and not allows(param.get("enum"), value):
        enum = param["enum"]
        spot.misnamed("parameter-enum", value, enum, choices=listed(enum))


def _check_items(value: Any, items: Any, spot: Spot) -> None:
    if not isinstance(value, (list, tuple)):
        spot.misfit("parameter-type", value, type="array")
        return
    for index, item in enumerate(value):
        check_value(item, items if isinstance(items, Mapping) else {}, spot.item(index))
