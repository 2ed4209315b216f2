"""The form of a row whose page edits flow-spec JSON: inputs of `forms`, beside those of its columns (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.text import capfirst

from falai_django.admin.editing import EditingForm
from falai_django.admin.problem_lists import ShownProblem
from falai_django.authoring import RowProblem
from falai_django.forms import Assembly

__all__ = ["BodyForm", "row_anchor"]


class BodyForm(EditingForm):
    """Edits what `assembly` was made of, if anything. The row itself is left as it is: `authoring` writes it.

    `begun`: the attributes that a new row has from the start (its agent, its kind).
    """

    assembly: ClassVar[Assembly | None] = None
    begun: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, value in self.begun.items():
            setattr(self.instance, name, value)

    def _post_clean(self) -> None:
        """Rules are those of `authoring`, asked when it writes; nothing is checked twice."""

    def input_of(self, problem: Any) -> str | None:
        place = None if self.assembly is None else self.assembly.place(problem.path)
        return place.field if place is not None and place.field in self.fields else super().input_of(problem)

    @property
    def spec(self) -> dict[str, Any]:
        """What the row is to say now."""
        assert self.assembly is not None
        spec: dict[str, Any] = self.assembly.body_of(self.cleaned_data)
        return spec

    def show(self, problems: Iterable[RowProblem]) -> list[ShownProblem]:
        """Note each problem beside its input; all of them as a list of ways there."""
        assert self.assembly is not None
        shown = []
        for problem in sorted(problems, key=lambda each: not each.is_error):
            left = self.assembly.note(self, [_Found(problem.path, problem.message, problem.severity.value)])
            place = None if left else self.assembly.place(problem.path)
            name = self._column_of(problem) if place is None else place.field
            where = str(problem.row) if name is None else str(capfirst(self.fields[name].label or name))
            url = "" if name is None else f"#{row_anchor(name)}"
            shown.append(ShownProblem(where, problem.message, url, problem.is_error))
        return shown

    def _column_of(self, problem: RowProblem) -> str | None:
        return super().input_of(problem)


@dataclass(frozen=True, slots=True)
class _Found:
    """A problem as `forms` notes it."""

    path: str
    text: str
    severity: str


def row_anchor(name: str) -> str:
    """The id of the part of the page that holds an input."""
    return f"row-{name}"
