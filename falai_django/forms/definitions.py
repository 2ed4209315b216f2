"""The inputs of fields, actions, events, conditions and tools, kind by kind (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.assembly import Assembly, assemble
from falai_django.forms.declarations import argument_part, enum_part, params_part, schema_part, type_part
from falai_django.forms.http_answer import answer_row
from falai_django.forms.http_request import request_row
from falai_django.forms.names import Names
from falai_django.forms.objects import Object, Row
from falai_django.forms.part import Json
from falai_django.forms.scalars import Choice, Flag, Number, Text, YesNo
from falai_django.forms.update_lines import UpdateLines

__all__ = [
    "ACTION_KINDS",
    "CONDITION_KINDS",
    "TOOL_KINDS",
    "action_fields",
    "condition_fields",
    "event_fields",
    "field_fields",
    "tool_fields",
]

_HIDDEN: Final = frozenset({"id", "kind", "label", "schemaVersion"})

ACTION_KINDS: Final = ("python", "http", "update_state")
TOOL_KINDS: Final = ACTION_KINDS
CONDITION_KINDS: Final = ("python", "compare")


def field_fields(body: Json) -> Assembly:
    """The form fields of a field of the agent; `value` is type and enum: the one tells how to read the other."""
    return assemble(body, _field_rows(), {"sensitive", "position", "slug", "schemaVersion"})


def _field_rows() -> tuple[Row, ...]:
    extract = Choice(
        label=_("Noted"),
        options=(("anywhere", _("Whenever the customer says it")), ("asked", _("Only when it was asked for"))),
        none=_("As usual for its type"),
        closed=True,
    )
    value = Object(label=_("Value"), rows=(Row("type", type_part()), Row("enum", enum_part())))
    ask = Text(label=_("How to ask for it"), help=_("Guidance for the assistant, in your words."), rows=3)
    return (
        Row("label", Text(label=_("Label"))),
        Row("value", value, keys=("type", "enum")),
        Row("description", Text(label=_("What it means"), help=_("Helps the assistant recognise it."), rows=3)),
        Row("ask", ask),
        Row("extract", extract),
    )


def _registered(names: Names, sort: str) -> Row:
    known = names.python.get(sort)
    if known is None:
        return Row("name", Text(label=_("Registered name"), help=_("The name it has in your Python code.")))
    options = [(name, name) for name in known]
    return Row("name", Choice(label=_("Registered name"), options=options, none=_("Choose what it runs…")))


def _python(_body: Json, names: Names, sort: str) -> tuple[Row, ...]:
    return (_registered(names, sort),)


def _http(body: Json, names: Names, sort: str) -> tuple[Row, ...]:
    return request_row(body, names), answer_row(body, names, is_tool=sort == "tool")


def _update_state(_body: Json, names: Names, sort: str) -> tuple[Row, ...]:
    return (Row("updates", UpdateLines(label=_("What it sets"), names=names, asks_model=sort == "tool")),)


_DOES: Final[Mapping[str, Callable[[Json, Names, str], tuple[Row, ...]]]] = {
    "python": _python,
    "http": _http,
    "update_state": _update_state,
}
"""What an action or tool of a kind does."""


_IDEMPOTENT: Final = YesNo(
    label=_("Safe to run twice"),
    help=_("Whether it may run again when nobody knows if it ran."),
    none=_("As usual for its kind"),
)


def action_fields(kind: str, body: Json, names: Names) -> Assembly:
    """The form fields of an action of this kind; KeyError for a kind that is none (ACTION_KINDS has them all)."""
    rows: tuple[Row, ...] = (Row("description", Text(label=_("Description"), rows=2)),)
    if kind != "update_state":
        rows += (Row("parameters", params_part()),)
    return assemble(body, (*rows, *_DOES[kind](body, names, "action"), Row("idempotent", _IDEMPOTENT)), _HIDDEN)


def event_fields(body: Json) -> Assembly:
    """The form fields of an event."""
    direction = Choice(
        label=_("Counts as"),
        options=(("inbound", _("The customer wrote")), ("outbound", _("We wrote"))),
        none=_("Neither: it just happened"),
        closed=True,
    )
    description = Text(label=_("Description"), help=_("When it happens and what comes with it."), rows=2)
    return assemble(body, (Row("description", description), Row("direction", direction)), _HIDDEN)


_OPERATORS: Final = (
    ("eq", _("is")),
    ("ne", _("is not")),
    ("gt", _("is more than")),
    ("gte", _("is at least")),
    ("lt", _("is less than")),
    ("lte", _("is at most")),
    ("in", _("is one of")),
    ("contains", _("contains")),
    ("known", _("is known")),
)


def condition_fields(kind: str, body: Json, names: Names) -> Assembly:
    """The form fields of a condition of this kind; KeyError for a kind that is none."""
    description = Row("description", Text(label=_("Description"), rows=2))
    rows = {"python": (_registered(names, "condition"),), "compare": _compare_rows(names)}[kind]
    return assemble(body, (description, *rows, Row("argument", argument_part())), _HIDDEN)


def _compare_rows(names: Names) -> tuple[Row, ...]:
    path = Text(
        label=_("Looks at"),
        help=_("data.… is a field or variable, context.… what your system says, input.… what the flow was given."),
        suggestions=tuple(f"data.{each.name}" for each in names.data),
        hint="data.",
    )
    op = Choice(label=_("And asks whether it"), options=_OPERATORS, closed=True)
    return Row("path", path), Row("op", op)


_TOOL_FLAGS: Final = (
    ("readOnly", _("Only looks something up")),
    ("destructive", _("Changes something for good")),
    ("concurrencySafe", _("May run beside other tools")),
)


def tool_fields(kind: str, body: Json, names: Names) -> Assembly:
    """The form fields of a tool of this kind; KeyError for a kind that is none (TOOL_KINDS has them all)."""
    help_ = _("Tells the assistant what it does and when to use it.")
    rows: tuple[Row, ...] = (Row("description", Text(label=_("Description"), help=help_, rows=3)),)
    if kind == "update_state":
        return assemble(body, (*rows, *_DOES[kind](body, names, "tool")), _HIDDEN)
    limit = Number(label=_("Characters of its result at most"), least=1)
    flags = tuple(Row(key, Flag(label=label)) for key, label in _TOOL_FLAGS)
    rows += (Row("parameters", schema_part()), *_DOES[kind](body, names, "tool"), *flags)
    return assemble(body, (*rows, Row("idempotent", _IDEMPOTENT), Row("maxResultSizeChars", limit)), _HIDDEN)
