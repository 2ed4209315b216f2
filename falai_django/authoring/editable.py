"""Which attributes an author may set, and whether a value can be kept (spec: host.md sections 1 and 2).

A draft is free to be wrong: what flow-spec.md thinks of a value is told by `problems`, here it only has to be storable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.translation import gettext as _

from falai_django.authoring.row_problems import RowProblem, refused
from falai_django.documents import LIVE_COLUMNS, is_storable_text, without_empty_keys, without_unset
from falai_django.documents.columns import AGENT_COLUMNS, FIELD_COLUMNS, FLOW_COLUMNS, Column
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tenant, Tool, Trigger
from falai_django.models.ordered_json import OrderedJSONField
from falai_engine.errors import FlowConfigurationError
from falai_engine.spec import MAX_DEPTH
from falai_engine.spec.nulls import too_deep
from falai_engine.times import duration_ms
from falai_engine.validation import Severity
from falai_engine.values import copied

__all__ = ["DRAFT", "LIVE", "cleaned", "input_of", "is_same", "set_values"]

DRAFT: Final[Mapping[type[Model], frozenset[str]]] = {
    Agent: frozenset(column.attribute for column in AGENT_COLUMNS) | {"head_rest"},
    Field: frozenset(column.attribute for column in FIELD_COLUMNS) | {"is_sensitive", "rest"},
    Flow: frozenset(column.attribute for column in FLOW_COLUMNS) | {"is_enabled", "head"},
    Trigger: frozenset({"kind", "label", "body"}),
    Step: frozenset({"kind", "label", "body"}),
    Action: frozenset({"kind", "body"}),
    Event: frozenset({"body"}),
    Condition: frozenset({"kind", "body"}),
    Tool: frozenset({"kind", "body"}),
}
"""What is draft: it takes part in nothing before it is published."""

LIVE: Final[Mapping[type[Model], frozenset[str]]] = {
    Agent: frozenset(column.attribute for column in LIVE_COLUMNS) | {"sender"},
    Tenant: frozenset({"name", "locale", "time_zone", "is_active", "tokens_per_day", "grace_hours"}),
}
"""What is live: the next turn goes by it."""

_COLUMNS: Final[Mapping[type[Model], tuple[Column, ...]]] = {
    Agent: AGENT_COLUMNS,
    Field: FIELD_COLUMNS,
    Flow: FLOW_COLUMNS,
}
_REST: Final[Mapping[type[Model], str]] = {Agent: "head_rest", Field: "rest", Flow: "head"}
_KEYS_ELSEWHERE: Final[Mapping[type[Model], frozenset[str]]] = {
    Flow: frozenset({"id", "on", "steps"}),
    Step: frozenset({"id", "kind"}),
    Action: frozenset({"kind"}),
    Condition: frozenset({"kind"}),
    Tool: frozenset({"id", "kind"}),
}
"""What rows and columns say; a body that says it too would say it twice."""

_KEPT_NULLS: Final[Mapping[type[Model], tuple[str, ...]]] = {
    Action: ("parameters", "updates"),
    Condition: ("argument",),
    Tool: ("updates",),
}


def cleaned(row: Any, values: Mapping[str, Any], allowed: Collection[str]) -> dict[str, Any]:
    """The values as the row keeps them. AuthoringError with all that cannot be kept."""
    clean: dict[str, Any] = {}
    problems: list[RowProblem] = []
    for name, value in values.items():
        if name not in allowed:
            raise TypeError(f"{name!r} of {type(row).__name__} is not set here; it is one of {sorted(allowed)}")
        try:
            clean[name] = _clean(row, name, value)
        except ValidationError as error:
            problems += (
                RowProblem(row, input_of(type(row), name), Severity.ERROR, message, "value")
                for message in error.messages
            )
    if problems:
        raise refused(problems)
    return clean


def set_values(row: Any, clean: Mapping[str, Any]) -> list[str]:
    """Set what differs, and tell which attributes did.

    A value that had no room in its column gives way to the one that is set there now.
    """
    rest_name = _REST.get(type(row))
    rest = dict(clean.get(rest_name, getattr(row, rest_name)) if rest_name else {})
    for column in _COLUMNS.get(type(row), ()):
        if column.attribute in clean:
            rest.pop(column.key, None)
    wanted = {**clean, **({rest_name: rest} if rest_name else {})}
    changed = [name for name, value in wanted.items() if not is_same(getattr(row, name), value)]
    for name in changed:
        setattr(row, name, wanted[name])
    return changed


def input_of(model: type[Model], attribute: str) -> str:
    """The key of flow-spec.md that an attribute stands for, which is what its input is found by."""
    keys = {column.attribute: column.key for column in _COLUMNS.get(model, ())}
    return keys.get(attribute, attribute)


def is_same(before: Any, after: Any) -> bool:
    """Also in type and in the order of keys: both have meaning in JSON."""
    return type(before) is type(after) and repr(before) == repr(after) if _is_json(before, after) else before == after


def _is_json(*values: Any) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def _clean(row: Any, name: str, value: Any) -> Any:
    column: Any = type(row)._meta.get_field(name)
    if isinstance(column, OrderedJSONField):
        return _clean_json(type(row), name, value, optional=column.null)
    if isinstance(value, str) and not is_storable_text(value):
        raise ValidationError(_("This text holds characters that cannot be kept. Type it again without them."))
    if column.is_relation:
        return value
    clean = column.clean(column.get_default() if value is None and not column.null else value, row)
    if name == "human_silence":
        _assert_duration(clean)
    return clean


def _assert_duration(text: str) -> None:
    try:
        duration_ms(text)
    except FlowConfigurationError as error:
        raise ValidationError(_("Write a number and one of s, m, h, d without a space, as 30m or 12h.")) from error


def _clean_json(model: type[Model], name: str, value: Any, *, optional: bool) -> Any:
    if value is None and optional:
        return None
    if too_deep(value):
        raise ValidationError(_("This is nested deeper than %(most)d levels. Make it flatter.") % {"most": MAX_DEPTH})
    try:
        plain = copied(value)
    except TypeError as error:
        raise ValidationError(_("This is no JSON: %(reason)s.") % {"reason": error}) from error
    if name in ("body", *_REST.values()):
        return _clean_body(model, plain)
    wanted: Any = {"variables": dict, "instructions": list, "enum": list}.get(name)
    if wanted is not None and not isinstance(plain, wanted):
        raise ValidationError(_("This has another shape than a %(name)s. Take it back.") % {"name": name})
    return list(_without_nulls(plain)) if isinstance(plain, list) else _clean_object(plain)


def _clean_body(model: type[Model], body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise ValidationError(_("This is no JSON object. Take it back."))
    own = {key: value for key, value in body.items() if key not in _KEYS_ELSEWHERE.get(model, ())}
    kept = _KEPT_NULLS.get(model)
    return without_unset(own) if kept is None else without_empty_keys(own, *kept)


def _clean_object(value: Any) -> Any:
    return without_unset(value) if isinstance(value, dict) else value


def _without_nulls(items: list[Any]) -> Iterator[Any]:
    return (_clean_object(item) for item in items)
