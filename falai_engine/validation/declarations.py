"""Fields, variables and events of an agent (spec: flow-spec.md, `field`; update-state.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from falai_engine.flows import Field, Variable
from falai_engine.registry import Event
from falai_engine.spec.declarations import EVENT, FIELD, VARIABLE
from falai_engine.validation.placeholders import check_placeholders
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot
from falai_engine.validation.shapes import check_choice, check_flags, check_keys, check_texts, is_object
from falai_engine.validation.values import SCALARS, check_enum, check_type, fits

__all__ = ["check_declarations", "json_of"]

_WHEN_HEARD: Final = ("anywhere", "asked")
_DIRECTIONS: Final = ("inbound", "outbound")
_WRITE: Final[Mapping[type, Callable[[Any], Any]]] = {
    Field: FIELD.write,
    Variable: VARIABLE.write,
    Event: EVENT.write,
}


def check_declarations(agent: Mapping[str, Any], spot: Spot, known: Known) -> None:
    """The three objects of an agent document; a declaration may be a dataclass too."""
    for key, noun, check in (
        ("fields", "field", _check_field),
        ("variables", "variable", _check_variable),
        ("events", "event", _check_event),
    ):
        declared, at = agent.get(key), spot.at(key)
        if declared is None or not is_object(declared, at):
            continue
        for name, value in declared.items():
            one = at.key(name).named(f'{noun} "{name}"')
            spec = json_of(value, _WRITE)
            if is_object(spec, one):
                check(name, spec, one, known)


def json_of(value: Any, write: Mapping[type, Callable[[Any], Any]]) -> Any:
    """The JSON of a dataclass; anything else as it is."""
    writer = write.get(type(value))
    return value if writer is None else writer(value)


def _check_field(_: str, spec: Mapping[str, Any], spot: Spot, known: Known) -> None:
    check_type(spec, spot, SCALARS)
    check_enum(spec, spot)
    check_texts(spec, spot, "label", "description", "ask")
    check_placeholders(spec.get("ask"), spot.at("ask"), known)
    check_choice(spec.get("extract"), _WHEN_HEARD, spot.at("extract"))
    check_keys(spec, FIELD.keys, spot)


def _check_variable(name: str, spec: Mapping[str, Any], spot: Spot, known: Known) -> None:
    if name in known.fields:
        spot.problem("variable-is-field")
    check_type(spec, spot, SCALARS)
    initial = spec.get("initial")
    if initial is not None and not fits(spec.get("type"), initial):
        spot.at("initial").misfit("value-type", initial, type=str(spec.get("type")))
    check_flags(spec, spot, "shown")
    check_keys(spec, VARIABLE.keys, spot)


def _check_event(_: str, spec: Mapping[str, Any], spot: Spot, __: Known) -> None:
    check_choice(spec.get("direction"), _DIRECTIONS, spot.at("direction"))
    check_texts(spec, spot, "description")
    check_keys(spec, EVENT.keys, spot)
