"""What an agent declares beside its flows, and what its parts are called (spec: flow-spec.md, update-state.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from falai_django.differences.excerpts import excerpt
from falai_django.differences.labels import Labels
from falai_django.differences.parts import Each, Flag, Inner, Items, Leaf, Listing, Named, Noun, Shape
from falai_django.differences.words import duration, expression, json_text, type_name

__all__ = ["ACTIONS", "CONDITIONS", "EVENTS", "FIELDS", "PARAMETERS", "TOOLS", "VARIABLES"]

_NAMED: Final = 60
_TYPE: Final = Leaf(_("the type"), type_name)
_DESCRIPTION: Final = Leaf.text(_("the description"))
_CHOICES: Final = Listing(_("the choices"))


def _json(given: Any, _labels: Labels) -> str:
    return json_text(given)


FIELDS: Final = Named(
    _("the fields"),
    Noun(
        called=_("field “%(name)s”"),
        added=_("field “%(name)s” was added"),
        removed=_("field “%(name)s” was removed"),
        added_first=_("field “%(name)s” was added as the first"),
        added_after=_("field “%(name)s” was added after “%(other)s”"),
        moved_first=_("field “%(name)s” is now the first"),
        moved_after=_("field “%(name)s” now comes after “%(other)s”"),
    ),
    {
        "label": Leaf.text(_("the label")),
        "type": _TYPE,
        "enum": _CHOICES,
        "description": _DESCRIPTION,
        "ask": Leaf.text(_("the way to ask")),
        "extract": Leaf.text(_("where its value is read")),
    },
    ordered=True,
    name=lambda slug, labels: str(labels.field(slug)),
)
VARIABLES: Final = Named(
    _("the variables"),
    Noun(
        called=_("variable “%(name)s”"),
        added=_("variable “%(name)s” was added"),
        removed=_("variable “%(name)s” was removed"),
    ),
    {
        "type": _TYPE,
        "initial": Leaf(_("the initial value")),
        "shown": Flag(_("shown"), on=_("it is now told to the model"), off=_("it is no longer told to the model")),
    },
)

_PARAMETER: Final[dict[str, Any]] = {
    "type": _TYPE,
    "description": _DESCRIPTION,
    "enum": _CHOICES,
    "optional": Flag(_("optional"), on=_("it may now be left out"), off=_("it may no longer be left out")),
}
_ITEM: Final[Shape] = {
    "type": Leaf(_("the type of its items"), type_name),
    "description": Leaf.text(_("the description of its items")),
    "enum": Listing(_("the choices of its items")),
}
PARAMETERS: Final = Named(
    _("the parameters"),
    Noun(
        called=_("parameter “%(name)s”"),
        added=_("parameter “%(name)s” was added"),
        removed=_("parameter “%(name)s” was removed"),
    ),
    {**_PARAMETER, "items": Inner(_("its items"), _ITEM)},
)

_TEST: Final[Shape] = {
    "status": Listing(_("the status codes")),
    "path": Leaf.text(_("the place in the answer")),
    "equals": Leaf(_("the expected value"), _json),
}
_REQUEST: Final[Shape] = {
    "method": Leaf.text(_("the method")),
    "url": Leaf.text(_("the address")),
    "query": Each(_("the query value “%(name)s”"), _("the query")),
    "headers": Each(_("the header “%(name)s”"), _("the headers")),
    "body": Leaf(_("the body"), _json),
    "secrets": Named(
        _("the secrets"),
        Noun(
            called=_("secret “%(name)s”"),
            added=_("secret “%(name)s” is now sent"),
            removed=_("secret “%(name)s” is no longer sent"),
        ),
        {
            "in": Leaf.text(_("the part of the request")),
            "as": Leaf.text(_("the name there")),
            "prefix": Leaf.text(_("the prefix")),
        },
    ),
    "timeout": Leaf(_("the longest wait for the answer"), duration),
}
_ANSWER: Final[Shape] = {
    "ok": Inner(_("the test for success"), _TEST, scoped=True),
    "skipped": Inner(_("the test for nothing done"), _TEST, scoped=True),
    "detail": Leaf.text(_("the place of the detail")),
    "set": Each(_("the place of the value for “%(name)s”"), _("the values it sets")),
    "value": Leaf.text(_("the place of the value")),
}


def _variable(item: Any, _labels: Labels) -> str:
    name = item.get("variable") if isinstance(item, Mapping) else None
    return name if isinstance(name, str) else excerpt(json_text(item), _NAMED)


_UPDATES: Final = Items(
    _("the updates"),
    Noun(
        called=_("update of “%(name)s”"),
        added=_("an update of “%(name)s” was added"),
        removed=_("the update of “%(name)s” was removed"),
        added_first=_("an update of “%(name)s” was added as the first"),
        added_after=_("an update of “%(name)s” was added after “%(other)s”"),
        moved_first=_("the update of “%(name)s” is now the first"),
        moved_after=_("the update of “%(name)s” now comes after “%(other)s”"),
    ),
    {
        "variable": Leaf.text(_("the variable")),
        "expression": Leaf(_("the expression"), expression),
        "required": Flag(_("required"), on=_("the model must now give it"), off=_("the model may now leave it out")),
    },
    _variable,
    identity="variable",
)
_DOES: Final[dict[str, Any]] = {
    "kind": Leaf.text(_("the kind")),
    "name": Leaf.text(_("the Python name")),
    "description": _DESCRIPTION,
    "idempotent": Flag(
        _("repeatable"), on=_("it may now be run twice without harm"), off=_("it may no longer be run twice")
    ),
    "request": Inner(_("the request"), _REQUEST, scoped=True),
    "answer": Inner(_("the reading of the answer"), _ANSWER, scoped=True),
    "updates": _UPDATES,
}

ACTIONS: Final = Named(
    _("the actions"),
    Noun(
        called=_("action “%(name)s”"),
        added=_("action “%(name)s” was added"),
        removed=_("action “%(name)s” was removed"),
    ),
    {**_DOES, "parameters": PARAMETERS},
)
EVENTS: Final = Named(
    _("the events"),
    Noun(
        called=_("event “%(name)s”"),
        added=_("event “%(name)s” was added"),
        removed=_("event “%(name)s” was removed"),
    ),
    {"direction": Leaf.text(_("the direction")), "description": _DESCRIPTION},
)
CONDITIONS: Final = Named(
    _("the conditions"),
    Noun(
        called=_("condition “%(name)s”"),
        added=_("condition “%(name)s” was added"),
        removed=_("condition “%(name)s” was removed"),
    ),
    {
        "kind": _DOES["kind"],
        "name": _DOES["name"],
        "description": _DESCRIPTION,
        "path": Leaf.text(_("what is compared")),
        "op": Leaf.text(_("the comparison")),
        "argument": Leaf(_("the value"), _json),
    },
)
TOOLS: Final = Items(
    _("the tools"),
    Noun(
        called=_("tool “%(name)s”"),
        added=_("tool “%(name)s” was added"),
        removed=_("tool “%(name)s” was removed"),
        added_first=_("tool “%(name)s” was added as the first"),
        added_after=_("tool “%(name)s” was added after “%(other)s”"),
        moved_first=_("tool “%(name)s” is now the first"),
        moved_after=_("tool “%(name)s” now comes after “%(other)s”"),
    ),
    {
        **_DOES,
        "id": Leaf.text(_("the id")),
        "parameters": Leaf(_("the parameters"), _json),
        "readOnly": Flag(_("reading"), on=_("it now only reads"), off=_("it now does more than read")),
        "destructive": Flag(_("destructive"), on=_("it may now destroy"), off=_("it can no longer destroy")),
        "concurrencySafe": Flag(
            _("concurrent"), on=_("it may now run beside others"), off=_("it no longer runs beside others")
        ),
        "maxResultSizeChars": Leaf(_("the longest result")),
    },
    lambda item, labels: _tool_name(item),
    identity="id",
    loose=False,
)


def _tool_name(item: Any) -> str:
    tool_id = item.get("id") if isinstance(item, Mapping) else None
    return tool_id if isinstance(tool_id, str) else excerpt(json_text(item), _NAMED)
