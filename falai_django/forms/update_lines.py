"""Updates of the state as lines of text, `variable = expression` (spec: update-state.md).

`variable ?= expression` is an update whose values the model may leave out. What was not touched keeps its JSON. An
update that the text form cannot say (an unknown key, a broken tree) is kept and shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.names import Names
from falai_django.forms.part import Json, Label, Page, Part, Path, Spot
from falai_django.forms.posted import Posted, many_lines
from falai_django.forms.syntax_words import syntax_words
from falai_django.forms.update_columns import column_of
from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import (
    DynamicVariable,
    ExpressionSyntaxError,
    Update,
    format_update,
    parse_expression,
    updates_from_json,
    updates_to_json,
)
from falai_engine.values import MISSING

__all__ = ["UpdateLines"]

_MOST_LINES: Final = 200
_LEFT: Final = re.compile(r"\s*(?P<name>`(?:[^`\\]|\\.)*`|[^\s=?`]+)\s*(?P<optional>\?)?=(?!=)")
_HELP: Final = gettext_lazy("One a line: variable = expression. All are worked out first, then written together.")


class _LineError(Exception):
    """A line that is no update; `column` from 1, `told` in two sentences."""

    def __init__(self, column: int, told: str) -> None:
        super().__init__(told)
        self.column = column
        self.told = told


@dataclass(frozen=True, kw_only=True)
class UpdateLines(Part):
    """All updates of an action or a tool in one input. `asks_model`: the model may be asked, as a tool's may be."""

    template: ClassVar[str] = "falai_django/forms/update_lines.html"

    names: Names
    asks_model: bool = True
    help: Label = _HELP

    def _can_show(self, value: Json) -> bool:
        if not isinstance(value, list) or len(value) > _MOST_LINES:
            return False
        return all(map(_is_sayable, value))

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else "\n".join(map(_line, value))

    def _read(self, data: Posted, name: str) -> str:
        return data.text(name)

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        stored = {_line(item): item for item in was or ()}
        items = []
        for number, line in enumerate(inputs.split("\n"), 1):
            if not line.strip():
                continue
            try:
                items.append(stored[line] if line in stored else _item(line))
            except _LineError as error:
                spot.problem(_at(error.told, number, error.column))
        return items or MISSING

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        rows = max(4, min(inputs.count("\n") + 2, 20))
        return {"value": inputs, "rows": rows, "data": self.names.data, "asks_model": self.asks_model}

    def told(self, path: Path, was: Json, text: Label) -> Label:
        """With the line, and the column where the thing begins that the path means."""
        index = path[0] if path else None
        if not isinstance(index, int) or not isinstance(was, list) or not self.can_show(was) or index >= len(was):
            return text
        return _at(str(text), index + 1, column_of(was[index], path[1:]))


def _at(told: str, line: int, column: int) -> str:
    return _("Line %(line)d, column %(column)d: %(told)s") % {"line": line, "column": column, "told": told}


# -- JSON to text


def _is_sayable(item: Json) -> bool:
    try:
        line = _line(item)
    except FlowConfigurationError:
        return False
    is_one_line = many_lines(line) == line and "\n" not in line
    return is_one_line and _item(line)["expression"] == updates_to_json(_read(item))[0]["expression"]


def _read(item: Json) -> Sequence[Update]:
    return updates_from_json([item])


def _line(item: Json) -> str:
    (update,) = _read(item)
    shown = format_update(update)
    if update.is_required:
        return shown
    match = _LEFT.match(shown)
    assert match is not None
    return f"{shown[: match.end('name')]} ?={shown[match.end() :]}"


# -- text to JSON


def _item(line: str) -> dict[str, Any]:
    match = _LEFT.match(line)
    if match is None:
        raise _LineError(
            len(line) - len(line.lstrip()) + 1, _("No variable is set here. Write: variable = expression.")
        )
    variable = _parsed(match["name"], match.start("name"))
    if not isinstance(variable, DynamicVariable):
        raise _LineError(
            match.start("name") + 1, _("This is not the name of a variable. Put an unusual name in backticks.")
        )
    expression = _parsed(line[match.end() :], match.end())
    (item,) = updates_to_json([Update(variable.name, expression, False if match["optional"] else None)])
    return item


def _parsed(text: str, offset: int) -> Any:
    try:
        return parse_expression(text)
    except ExpressionSyntaxError as error:
        raise _LineError(offset + error.column, _sentences(error)) from None


def _sentences(error: ExpressionSyntaxError) -> str:
    what, fix = syntax_words(error.what), syntax_words(error.fix)
    return _("%(what)s. %(fix)s.") % {"what": capfirst(what), "fix": capfirst(fix)}
