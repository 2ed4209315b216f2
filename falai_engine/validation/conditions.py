"""Conditions (spec: flow-spec.md, `cond`; engine.md section 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from falai_engine.error_words import shown
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot, listed
from falai_engine.validation.shapes import is_list, is_object
from falai_engine.validation.values import allows, fits

__all__ = ["OWN", "check_condition", "check_data_names"]


def check_condition(condition: Any, spot: Spot, known: Known) -> None:
    """A JSON condition; a predicate in Python is taken at its word."""
    if condition is None or callable(condition) or not is_object(condition, spot):
        return
    for name, argument in condition.items():
        if argument is None:
            continue
        own = OWN.get(name)
        if own is not None:
            own(argument, spot.at(name), known)
        elif name in known.conditions:
            _check_argument(argument, known.arguments.get(name), spot.key(name))
        else:
            spot.key(name).misnamed("unknown-condition", name, [*OWN, *known.conditions])


def _check_equals(argument: Any, spot: Spot, known: Known) -> None:
    if not is_object(argument, spot):
        return
    for name, value in argument.items():
        at, declared = spot.key(name), known.data.get(name)
        if declared is None:
            at.misnamed("unknown-field", name, known.data)
        elif value is None:
            at.problem("equals-null")
        elif not fits(declared.type, value):
            at.misfit("equals-type", value, type=str(declared.type), declared=shown(name))
        else:
            _check_in_enum(value, getattr(declared, "enum", None), at)


def _check_in_enum(value: Any, enum: Any, spot: Spot) -> None:
    if not allows(enum, value):
        spot.misnamed("equals-enum", value, enum, choices=listed(enum))


def check_data_names(names: Any, spot: Spot, known: Known) -> None:
    """A list of fields or variables."""
    if names is None or not is_list(names, spot):
        return
    for index, name in enumerate(names):
        if not isinstance(name, str) or name not in known.data:
            spot.item(index).misnamed("unknown-field", name, known.data)


def _check_silenced(argument: Any, spot: Spot, _: Known) -> None:
    if not isinstance(argument, bool):
        spot.misfit("not-a-boolean", argument)


OWN: Final[Mapping[str, Callable[[Any, Spot, Known], None]]] = {
    "equals": _check_equals,
    "known": check_data_names,
    "silenced": _check_silenced,
}
"""The conditions that every agent has; no registered one may have their names."""


def _check_argument(argument: Any, type_: Mapping[str, Any] | None, spot: Spot) -> None:
    """Only a warning: what a handler takes is its own affair, and it may take more than it says."""
    wanted = None if type_ is None else type_.get("type")
    if not _takes(wanted, argument):
        spot.misfit("condition-argument", argument, type=str(wanted))


def _takes(wanted: Any, argument: Any) -> bool:
    match wanted:
        case "array":
            return isinstance(argument, (list, tuple))
        case "map":
            return isinstance(argument, Mapping)
        case "scalar":
            return isinstance(argument, (str, bool, int, float))
    return fits(wanted, argument)
