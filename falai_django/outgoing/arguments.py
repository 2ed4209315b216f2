"""What goes into a request and what comes of it has the types that were declared (spec: flow-spec.md).

A flow renders `with` into text, and a model may send what it likes. Here a declared number becomes a number and a
declared text stays one, so that a body keeps its shape; what does not fit is refused before anything leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.errors import OutgoingError
from falai_django.outgoing.json_values import sound
from falai_django.outgoing.placeholders import parsed
from falai_engine.values import NOT_IN_ENUM, coerce, json_equal

__all__ = ["fitted_arguments", "fitted_fields", "fitted_parameters"]

_SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})


def _refused(what: str, name: str) -> OutgoingError:
    return OutgoingError("refused", what % {"name": name})


def fitted_parameters(params: Mapping[str, Any], declared: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The parameters of an action, as declared (flow-spec.md, params); others are left out.

    OutgoingError when one does not fit, or is missing and not optional.
    """
    given = {name: None if _is_missing(params.get(name), spec) else params[name] for name, spec in declared.items()}
    for name, spec in declared.items():
        if given[name] is None and not spec.get("optional"):
            raise _refused(_("the parameter “%(name)s” has no value"), name)
    return {name: _fitted(value, declared[name], name) for name, value in given.items() if value is not None}


def _is_missing(value: Any, spec: Mapping[str, Any]) -> bool:
    """Null, nothing where a text of its own is no value, or a template that nothing filled."""
    if isinstance(value, str):
        return parsed(value).sole is not None or (not value.strip() and spec.get("type") != "string")
    return value is None


def fitted_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tool, as its JSON Schema says; what it does not declare is left out.

    Looked at are `type`, `enum`, `required`, `properties`, `items`, `additionalProperties`; other words are the
    receiver's to judge. OutgoingError when one does not fit, or is missing and required.
    """
    fitted = _fitted(arguments, {**schema, "type": "object"}, "")
    assert isinstance(fitted, dict)
    return fitted


def fitted_fields(
    values: Mapping[str, Any], declared: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, str]]:
    """What an answer sets, as the fields and variables keep it; and of those that it does not fit, why.

    As any value that a model gives: the text "9.50" is a number where one is declared, null unsets.
    """
    fits: dict[str, Any] = {}
    misfits: dict[str, str] = {}
    for name, value in values.items():
        spec = declared.get(name)
        try:
            if spec is None:
                raise _refused(_("there is no field “%(name)s”"), name)
            kind = spec.get("type")
            is_plain = value is None or kind not in _SCALARS
            fits[name] = value if is_plain else _scalar(value, str(kind), spec.get("enum"), name)
        except OutgoingError as error:
            misfits[name] = error.what
    return fits, misfits


def _fitted(value: Any, schema: Any, name: str) -> Any:
    if not isinstance(schema, Mapping):
        return _sound(value, name)
    types = schema.get("type")
    choices = list(types) if isinstance(types, list | tuple) else [types]
    if value is None and "null" in choices:
        return None
    kind = next((each for each in choices if each != "null"), None)
    if kind in _SCALARS:
        return _scalar(value, kind, schema.get("enum"), name)
    value = _nested(value, kind, schema, name)
    enum = schema.get("enum")
    if isinstance(enum, list | tuple) and not any(json_equal(choice, value) for choice in enum):
        raise _refused(_("“%(name)s” is none of its choices"), name)
    return value


def _nested(value: Any, kind: Any, schema: Mapping[str, Any], name: str) -> Any:
    if kind == "array":
        if not isinstance(value, list | tuple):
            raise _refused(_("“%(name)s” is no list"), name)
        return [_fitted(item, schema.get("items"), f"{name}[{index}]") for index, item in enumerate(value)]
    if kind == "object":
        return _object(value, schema, name)
    return _sound(value, name)


def _object(value: Any, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _refused(_("“%(name)s” is no object"), name)
    properties = schema.get("properties") or {}
    for required in schema.get("required") or ():
        if required not in value:
            raise _refused(_("“%(name)s” is missing"), f"{name}.{required}".lstrip("."))
    more = schema.get("additionalProperties")
    beyond = {key: item for key, item in value.items() if key not in properties} if more else {}
    inner = more if isinstance(more, Mapping) else None
    return {
        **{
            str(key): _fitted(value[key], each, f"{name}.{key}".lstrip("."))
            for key, each in properties.items()
            if key in value
        },
        **{str(key): _fitted(item, inner, f"{name}.{key}".lstrip(".")) for key, item in beyond.items()},
    }


def _scalar(value: Any, kind: str, enum: Any, name: str) -> Any:
    coerced, code = coerce(kind, value, enum if isinstance(enum, list | tuple) else None)
    if code == NOT_IN_ENUM:
        raise _refused(_("“%(name)s” is none of its choices"), name)
    if code is not None:
        raise OutgoingError("refused", _("“%(name)s” is no %(type)s") % {"name": name, "type": kind})
    return coerced


def _sound(value: Any, name: str) -> Any:
    try:
        return sound(value)
    except ValueError:
        raise _refused(_("“%(name)s” is no JSON, or nested too deep"), name) from None
