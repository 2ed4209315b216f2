"""The inputs of a request: method, URL, query, headers, body, secrets, time (spec: flow-spec.md, `request`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from falai_django.forms.body_tree import body_part
from falai_django.forms.names import Names
from falai_django.forms.objects import Leftovers, Object, Row
from falai_django.forms.part import Json, Label, Path
from falai_django.forms.rows import NamedRows, Pair
from falai_django.forms.scalars import Choice, Duration, Text
from falai_django.outgoing.placeholders import PLACEHOLDER
from falai_django.outgoing.request_checks import BODILESS, METHODS, header_name_findings
from falai_engine.values import MISSING

__all__ = ["NamedTexts", "leftover_rows", "request_row"]

_MOST_TOLD: Final = 12
_PLACES: Final = (("header", _("In a header")), ("query", _("In the query")))


@dataclass(frozen=True, kw_only=True)
class NamedTexts(Pair):
    """A name and its text. A problem of such a pair has one path: it is about the name unless `is_named` is content."""

    is_named: Callable[[str], bool]

    def _place(self, path: Path, was: Json, name: str) -> str:
        if was is MISSING or was is None or not self.is_named(was.name):
            return f"{name}-name"
        return self.value.place(path, was.value, f"{name}-value")


def request_row(body: Json, names: Names) -> Row:
    """The inputs of the `request` of an action or a tool."""
    request = body.get("request") if isinstance(body, Mapping) else None
    rows = (
        Row("method", Choice(label=_("Method"), options=[(each, each) for each in METHODS], closed=True)),
        Row("url", _url(body, names)),
        Row("query", _query()),
        Row("headers", _headers()),
        Row("body", body_part(), when=("method", *(each for each in METHODS if each not in BODILESS))),
        Row("secrets", _secrets(names.secrets)),
        Row("timeout", Duration(label=_("Time at most"), help=_("Empty: as the site says."), unit="s")),
    )
    return Row("request", Object(label=_("Request"), rows=(*rows, *leftover_rows(request, rows))))


def leftover_rows(value: Json, rows: Iterable[Row]) -> Sequence[Row]:
    """The inputs that take out what none of these rows edits."""
    owned = {row.name for row in rows}
    keys = tuple(key for key in value if key not in owned) if isinstance(value, Mapping) else ()
    return (Row("other", Leftovers(label=_("Also stored here")), keys=keys),) if keys else ()


def _url(body: Json, names: Names) -> Text:
    told = _("Scheme and host as they are; what follows may hold values.")
    values = list(_placeholders(body, names))
    more = ["…"] if len(values) > _MOST_TOLD else []
    listed = ", ".join([*values[:_MOST_TOLD], *more])
    help_: Label = format_lazy("{} {} {}", told, _("Values that can stand here and below:"), listed) if listed else told
    return Text(label=_("URL"), help=help_, hint="https://api.example.com/prices/{{input.code}}")


def _placeholders(body: Json, names: Names) -> Iterable[str]:
    """What templates may name: the parameters, then what the conversation knows."""
    for parameter in _parameters(body):
        yield f"{{{{input.{parameter}}}}}"
    for each in names.data:
        yield f"{{{{data.{each.name}}}}}"


def _parameters(body: Json) -> Collection[str]:
    declared: Any = body.get("parameters") if isinstance(body, Mapping) else None
    if isinstance(declared, Mapping) and isinstance(declared.get("properties"), Mapping):
        declared = declared["properties"]
    return [str(name) for name in declared] if isinstance(declared, Mapping) else []


def _query() -> NamedRows:
    return NamedRows(
        label=_("Query"),
        help=_("What follows the question mark. A value that is one empty template is left out."),
        item=NamedTexts(
            name=Text(label=_("Name")),
            value=Text(label=_("Value"), empty=""),
            is_named=lambda name: PLACEHOLDER.search(name) is None,
        ),
        one=_("Query value"),
        add=_("Add a query value"),
    )


def _headers() -> NamedRows:
    return NamedRows(
        label=_("Headers"),
        item=NamedTexts(
            name=Text(label=_("Name"), hint="X-Customer"),
            value=Text(label=_("Value"), empty=""),
            is_named=lambda name: not any(header_name_findings(name, "")),
        ),
        one=_("Header"),
        add=_("Add a header"),
    )


def _secrets(secrets: Sequence[str]) -> NamedRows:
    use = Object(
        rows=(
            Row("in", Choice(label=_("Where it goes"), options=_PLACES, closed=True)),
            Row("as", Text(label=_("Name there"), hint="Authorization")),
            Row(
                "prefix",
                Text(label=_("Text before it"), help=_("Its space at the end counts: “Bearer ”."), spaced=True),
            ),
        ),
        keep_empty=True,
    )
    options = [(name, name) for name in secrets]
    return NamedRows(
        label=_("Secrets"),
        help=_("Keys that owners stored. Each goes to its own hosts only, and no page shows its value."),
        item=Pair(name=Choice(label=_("Secret"), options=options, none=_("Choose a secret…")), value=use),
        one=_("Secret"),
        add=_("Add a secret"),
    )
