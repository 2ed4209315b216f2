"""The inputs that say what an answer means: ok, skipped, a detail, fields, a value (spec: flow-spec.md, `answer`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.http_request import NamedTexts, leftover_rows
from falai_django.forms.lists import Lines
from falai_django.forms.names import Names
from falai_django.forms.objects import Object, Row
from falai_django.forms.part import Json, Label
from falai_django.forms.pointers import pointer_part
from falai_django.forms.rows import NamedRows
from falai_django.forms.scalars import Choice, Scalar

__all__ = ["answer_row"]

_NOTHING: Final = _("Nothing")


def answer_row(body: Json, names: Names, *, is_tool: bool) -> Row:
    """The inputs of the `answer` of an action or a tool."""
    answer = body.get("answer") if isinstance(body, Mapping) else None
    rows = (
        Row(
            "skipped",
            _test(_("Counts as skipped when"), _("Asked first: it was not needed, and is no failure. Empty: never.")),
        ),
        Row("ok", _test(_("Counts as done when"), _("Empty: when the status is 2xx. Anything else is a failure."))),
        Row("detail", pointer_part(_("What went wrong, or what was done"), none=_NOTHING, help=_DETAIL)),
        Row("set", _set(names)),
        Row("value", pointer_part(_("What the assistant reads"), none=_NOTHING, help=_VALUE)),
    )
    # What an action's answer holds is read by nobody.
    shown = rows if is_tool or (isinstance(answer, Mapping) and "value" in answer) else rows[:-1]
    return Row(
        "answer", Object(label=_("How the answer is read"), rows=(*shown, *leftover_rows(answer, shown)), help=_HELP)
    )


_HELP: Final = _("A path leads into the JSON of the answer: /price, /items/0/name.")
_DETAIL: Final = _("A text in the answer that is told in the log of the conversation.")
_VALUE: Final = _("The part of the answer that the assistant goes on with.")


def _test(label: Label, help_: Label) -> Object:
    status = Lines(label=_("The status is one of"), help=_("One a line, as 200 or 2xx. Empty: any."), type=None, rows=2)
    equals = Scalar(
        label=_("And it is"),
        help=_("A text, a number, yes or no. Empty: it only has to be there. A number meant as text stands in quotes."),
    )
    return Object(
        label=label,
        help=help_,
        rows=(
            Row("status", status),
            Row("path", pointer_part(_("And the answer holds"), none=_("It does not matter what"))),
            Row("equals", equals, when=("path", "path", "whole")),
        ),
    )


def _set(names: Names) -> NamedRows:
    known = {each.name for each in names.data}
    field = Choice(label=_("Field"), options=[each.option for each in names.data], none=_("Choose a field…"))
    return NamedRows(
        label=_("Fields that it fills"),
        help=_("What is not in the answer fills nothing, and what does not fit the field is left out."),
        item=NamedTexts(
            name=field,
            value=pointer_part(_("With"), none=_("Choose…")),
            is_named=known.__contains__,
        ),
        one=_("Field"),
        add=_("Add a field"),
    )
