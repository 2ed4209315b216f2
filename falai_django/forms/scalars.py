"""Single inputs: text, numbers, check boxes, lists to choose from, durations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.part import Json, Label, Page, Part, Spot, Typed
from falai_django.forms.posted import Posted, many_lines, one_line
from falai_django.forms.values import UnreadableError, is_scalar, number_of, scalar_of, scalar_text, scalar_type
from falai_engine.values import MISSING, finite

__all__ = ["Choice", "Duration", "Flag", "Number", "Option", "Scalar", "Text", "YesNo", "choices"]

Option: TypeAlias = tuple[str, Label]
"""A value and what people read."""

_CHOOSE: Final = gettext_lazy("Choose…")
_WIDE: Final = 2


def choices(options: Sequence[Option], chosen: Sequence[str]) -> list[dict[str, Any]]:
    """The options of a list, with those chosen ones that it lacks at its end, marked."""
    known = {many_lines(value): label for value, label in options}
    unknown = {value: _("%(name)s (unknown)") % {"name": value} for value in chosen if value and value not in known}
    return [
        {"value": value, "label": label, "chosen": value in chosen, "unknown": value in unknown}
        for value, label in {**known, **unknown}.items()
    ]


@dataclass(frozen=True, kw_only=True)
class Text(Part):
    """A text; `rows` of 0 is an `<input>`. A blank one is `empty`, normally no value at all.

    `spaced`: what stands around it belongs to it, too.
    """

    template: ClassVar[str] = "falai_django/forms/text.html"

    rows: int = 0
    empty: Json = MISSING
    suggestions: Sequence[str] = ()
    hint: Label = ""
    spaced: bool = False

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, str)

    def _clean(self, text: str) -> str:
        return many_lines(text) if self.rows else one_line(text)

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else self._clean(value)

    def _read(self, data: Posted, name: str) -> str:
        return self._clean(data.text(name))

    def _compose(self, inputs: str, _was: Json, _spot: Spot) -> Json:
        return (inputs if self.spaced and inputs.strip() else inputs.strip()) or self.empty

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        wide = not self.rows and not self.suggestions
        return {"value": inputs, "rows": self.rows, "suggestions": self.suggestions, "hint": self.hint, "wide": wide}


@dataclass(frozen=True, kw_only=True)
class Number(Part):
    """A number, whole if `whole`, at least `least`. How it is typed stays until it can be read."""

    template: ClassVar[str] = "falai_django/forms/number.html"

    whole: bool = True
    least: int | None = None
    hint: Label = ""

    def _can_show(self, value: Json) -> bool:
        return finite(value)

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else scalar_text(value, "number")

    def _read(self, data: Posted, name: str) -> str:
        return one_line(data.text(name))

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        if not inputs.strip():
            return MISSING
        try:
            value = number_of(inputs, whole=self.whole)
        except UnreadableError as error:
            spot.problem(error.told)
            return was
        if self.least is not None and value < self.least:
            spot.problem(_("Write %(least)s or more.") % {"least": self.least})
        return value

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs, "whole": self.whole, "hint": self.hint}


@dataclass(frozen=True, kw_only=True)
class Flag(Part):
    """A check box: true when checked. Unchecked there is no value, which means the same as false."""

    template: ClassVar[str] = "falai_django/forms/flag.html"

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, bool)

    def _inputs(self, value: Json) -> bool:
        return value is True

    def _read(self, data: Posted, name: str) -> bool:
        return data.has(name)

    def _view(self, inputs: bool, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs, "flag": True}

    def _compose(self, inputs: bool, _was: Json, _spot: Spot) -> Json:
        return inputs or MISSING


@dataclass(frozen=True, kw_only=True)
class Choice(Part):
    """One of a list. A name that the list lacks stays, marked as unknown; only `closed` lists refuse one that comes."""

    template: ClassVar[str] = "falai_django/forms/choice.html"

    options: Sequence[Option] = ()
    none: Label = _CHOOSE
    closed: bool = False

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, str) and value != ""

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else many_lines(value)

    def _read(self, data: Posted, name: str) -> str:
        return data.text(name)

    def _compose(self, inputs: str, _was: Json, spot: Spot) -> Json:
        if not inputs:
            return MISSING
        if self.closed and inputs not in dict(self.options):
            spot.problem(_("Choose one of the list."))
        return next((value for value, _label in self.options if many_lines(value) == inputs), inputs)

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs, "none": self.none, "options": choices(self.options, [inputs])}


@dataclass(frozen=True, kw_only=True)
class YesNo(Choice):
    """Yes, no, or nothing said, where nothing means something of its own (`none` tells what)."""

    options: Sequence[Option] = (("yes", gettext_lazy("Yes")), ("no", gettext_lazy("No")))
    closed: bool = True

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, bool)

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else "yes" if value else "no"

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        chosen = super()._compose(inputs, was, spot)
        return chosen if chosen is MISSING else chosen == "yes"


@dataclass(frozen=True, kw_only=True)
class Scalar(Part):
    """A value of a scalar type: a list where the type has one (`enum`, yes/no), else an input.

    `type_in` names the input beside it that holds the type; `template_too` takes a text with `{{...}}` for any type.
    """

    template: ClassVar[str] = "falai_django/forms/scalar.html"

    type: str | None = None
    type_in: str = ""
    enum: Sequence[Json] = ()
    template_too: bool = False

    def beside(self, body: Mapping[str, Any]) -> Part:
        return replace(self, type=scalar_type(body.get(self.type_in))) if self.type_in else self

    def _can_show(self, value: Json) -> bool:
        return is_scalar(value)

    def _clean(self, text: str) -> str:
        return many_lines(text) if self._rows else one_line(text)

    @property
    def _rows(self) -> int:
        return _WIDE if self.template_too and self.type in ("string", None) and not self.enum else 0

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else self._clean(scalar_text(value, self.type))

    def _read(self, data: Posted, name: str) -> str:
        return self._clean(data.text(name))

    def _untouched(self, typed: Typed, was: Json, spot: Spot) -> bool:
        retyped = self.type_in and spot.around.get(self.type_in) != spot.before.get(self.type_in)
        return super()._untouched(typed, was, spot) and not retyped

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        if not inputs.strip():
            return MISSING
        if self.template_too and "{{" in inputs:
            return inputs
        for value in self.enum:
            if is_scalar(value) and self._inputs(value) == inputs:
                return value
        try:
            return scalar_of(inputs, self._type(spot))
        except UnreadableError as error:
            spot.problem(error.told)
            return was

    def _type(self, spot: Spot) -> str | None:
        return scalar_type(spot.around[self.type_in].inputs) if self.type_in in spot.around else self.type

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        values = [*self.enum, *((True, False) if self.type == "boolean" and not self.enum else ())]
        texts = [self._inputs(value) for value in values if is_scalar(value)]
        picked = not self.template_too and bool(texts)
        return {
            "value": inputs,
            "options": choices([(text, text) for text in texts], [inputs]) if picked else [],
            "suggestions": [] if picked else texts,
            "rows": self._rows,
            "numeric": self.type in ("number", "integer") and not self.template_too,
        }


_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")
_AMOUNT: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_UNITS: Final[Sequence[Option]] = (
    ("s", gettext_lazy("seconds")),
    ("m", gettext_lazy("minutes")),
    ("h", gettext_lazy("hours")),
    ("d", gettext_lazy("days")),
)


@dataclass(frozen=True, kw_only=True)
class Duration(Part):
    """A number and a unit (spec: engine.md section 11)."""

    template: ClassVar[str] = "falai_django/forms/duration.html"

    unit: str = "m"

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, str) and _DURATION.fullmatch(value) is not None

    def _inputs(self, value: Json) -> tuple[str, str]:
        found = None if value is MISSING else _DURATION.fullmatch(value)
        return (found[1], found[2]) if found else ("", self.unit)

    def _read(self, data: Posted, name: str) -> tuple[str, str]:
        return one_line(data.text(name)), data.text(f"{name}-unit") or self.unit

    def _compose(self, inputs: tuple[str, str], _was: Json, spot: Spot) -> Json:
        number, unit = inputs[0].strip().replace(",", "."), inputs[1]
        if not number:
            return MISSING
        if not _AMOUNT.fullmatch(number):
            spot.problem(_("Write a number, as 30 or 1.5."))
        if unit not in dict(_UNITS):
            spot.problem(_("Choose one of the list."))
        return number + unit

    def _view(self, inputs: tuple[str, str], _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs[0], "units": choices(_UNITS, [inputs[1]])}
