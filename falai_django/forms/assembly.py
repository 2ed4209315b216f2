"""All inputs of one row of an agent: its form fields, and the way from them back to its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from django import forms
from django.utils.translation import gettext_lazy as _

from falai_django.forms.fields import PartField
from falai_django.forms.objects import Leftovers, Row, merged
from falai_django.forms.part import Json, Path
from falai_engine.values import MISSING

__all__ = ["Assembly", "Place", "assemble", "path_of"]

_TOKEN: Final = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')

OTHER: Final = "other"
"""The field of what no input edits, there only when there is something."""


def path_of(text: str) -> Path:
    """A machine path of validation (`branches[0].then.step`, `if["a b"]`) as keys and positions."""
    tokens: list[str | int] = []
    for key, index, quoted in _TOKEN.findall(text):
        tokens.append(int(index) if index else json.loads(quoted) if quoted else key)
    return tuple(tokens)


class Place(NamedTuple):
    """A form field, and what is added to its HTML name to get the input inside it."""

    field: str
    inner: str


class Found(Protocol):
    """A problem to show: `path` below the body, a text, and `error` or `warning`."""

    @property
    def path(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def severity(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Assembly:
    """The form fields of a body (name -> field, in order), each over one key of it, some over several."""

    body: Json
    rows: Sequence[Row]
    fields: Mapping[str, PartField]

    def body_of(self, cleaned: Mapping[str, Any]) -> Json:
        """The body that the cleaned data of these fields tells.

        What was not changed is as it was; a field that the data lacks counts as not changed. A body that is no object
        stays as long as nothing was typed.
        """
        changes = [
            (row, MISSING if cleaned[row.name] is None else cleaned[row.name])
            for row in self.rows
            if row.name in cleaned and not _same(cleaned[row.name], self.fields[row.name].original)
        ]
        return merged(self.body, changes) if changes else self.body

    def place(self, path: str) -> Place | None:
        """Where a problem of this path (below the body) is shown; None when no field owns it."""
        tokens = path_of(path)
        row = self._owner(tokens)
        return None if row is None else Place(row.name, self.fields[row.name].place(row.path_below(tokens)))

    def _owner(self, tokens: Path) -> Row | None:
        return next((row for row in self.rows if tokens and row.owns(tokens[0])), None)

    def note(self, form: forms.BaseForm, problems: Iterable[Found]) -> list[Found]:
        """Show each problem beside its input in this form; gives back those that no input owns."""
        left = []
        for problem in problems:
            tokens = path_of(problem.path)
            row = self._owner(tokens)
            field = form.fields.get(row.name) if row else None
            if row is None or not isinstance(field, PartField):
                left.append(problem)
            else:
                field.note(row.path_below(tokens), problem.text, problem.severity)
        return left


def _same(value: Json, original: Json) -> bool:
    return value is original or (value is None and original is MISSING)


def assemble(body: Json, rows: Sequence[Row], hidden: Iterable[str] = ()) -> Assembly:
    """The fields of these rows for a body, and one for its other keys; `hidden` are keys shown elsewhere or nowhere."""
    there = body if isinstance(body, Mapping) else {}
    owned = {key for row in rows for key in (row.keys or (row.name,))} | {*hidden}
    other = tuple(key for key in there if key not in owned)
    all_rows = [*rows, *([_leftovers(other)] if other else [])]
    fields = {row.name: PartField(row.part, row.of(there)) for row in all_rows}
    return Assembly(body, all_rows, fields)


def _leftovers(keys: tuple[str, ...]) -> Row:
    part = Leftovers(label=_("Also stored here"), help=_("Nothing on this page edits this. It stays as it is."))
    return Row(OTHER, part, keys=keys)
