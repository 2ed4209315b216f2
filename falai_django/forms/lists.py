"""Lists in one input: texts one a line, and names with a check box each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from falai_django.forms.part import Json, Page, Part, Spot, Typed
from falai_django.forms.posted import Posted, many_lines
from falai_django.forms.scalars import Option, choices
from falai_django.forms.values import UnreadableError, is_scalar, scalar_of, scalar_text, scalar_type
from falai_engine.values import MISSING

__all__ = ["Lines", "PairLines", "Picks"]


@dataclass(frozen=True, kw_only=True)
class Lines(Part):
    """Scalars, one a line. A line that was not touched keeps its value as it was written.

    `type_in` as for Scalar. `single`: one line may be a text instead of a list of one. `keep_empty`: no line is an
    empty list, which means something of its own. `template_too` as for Scalar.
    """

    template: ClassVar[str] = "falai_django/forms/text.html"

    type: str | None = "string"
    type_in: str = ""
    single: bool = False
    keep_empty: bool = False
    template_too: bool = False
    rows: int = 3

    def beside(self, body: Mapping[str, Any]) -> Part:
        return replace(self, type=scalar_type(body.get(self.type_in))) if self.type_in else self

    def _can_show(self, value: Json) -> bool:
        if isinstance(value, str):
            return self.single and "\n" not in many_lines(value)
        return isinstance(value, list) and all(is_scalar(each) and "\n" not in self._line(each) for each in value)

    def _line(self, value: Json) -> str:
        return many_lines(scalar_text(value, self.type))

    def _inputs(self, value: Json) -> str:
        if value is MISSING:
            return ""
        return "\n".join(map(self._line, [value] if isinstance(value, str) else value))

    def _read(self, data: Posted, name: str) -> str:
        return data.text(name)

    def _retyped(self, spot: Spot) -> bool:
        return bool(self.type_in) and spot.around.get(self.type_in) != spot.before.get(self.type_in)

    def _untouched(self, typed: Typed, was: Json, spot: Spot) -> bool:
        return super()._untouched(typed, was, spot) and not self._retyped(spot)

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        old = [was] if isinstance(was, str) else was or []
        stored = {} if self._retyped(spot) else {self._line(value): value for value in old}
        values = [
            stored[line] if line in stored else self._value(line.strip(), spot)
            for line in inputs.split("\n")
            if line.strip()
        ]
        if self.single and len(values) == 1 and not isinstance(was, list):
            return values[0]
        return values if values or self.keep_empty else MISSING

    def _value(self, line: str, spot: Spot) -> Json:
        if self.template_too and "{{" in line:
            return line
        type_ = scalar_type(spot.around[self.type_in].inputs) if self.type_in in spot.around else self.type
        try:
            return scalar_of(line, type_)
        except UnreadableError as error:
            spot.problem(_("“%(line)s”: %(told)s") % {"line": line, "told": error.told})
            return line

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs, "rows": max(self.rows, min(inputs.count("\n") + 1, 12)), "suggestions": ()}


@dataclass(frozen=True, kw_only=True)
class PairLines(Part):
    """An object of scalars, `name: value` a line."""

    template: ClassVar[str] = "falai_django/forms/text.html"

    type: str | None = None

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, Mapping) and all(self._is_pair(*pair) for pair in value.items())

    def _is_pair(self, key: Any, value: Json) -> bool:
        named = isinstance(key, str) and key.strip() != "" and ":" not in key
        return named and is_scalar(value) and "\n" not in self._line(key, value)

    def _line(self, key: str, value: Json) -> str:
        return many_lines(f"{key}: {scalar_text(value, self.type)}")

    def _inputs(self, value: Json) -> str:
        return "" if value is MISSING else "\n".join(self._line(*pair) for pair in value.items())

    def _read(self, data: Posted, name: str) -> str:
        return data.text(name)

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        stored = {self._line(*pair): pair for pair in (was or {}).items()}
        lines = [line for line in inputs.split("\n") if line.strip()]
        return dict(stored[line] if line in stored else self._pair(line, spot) for line in lines) or MISSING

    def _pair(self, line: str, spot: Spot) -> tuple[str, Json]:
        key, colon, text = (part.strip() for part in line.partition(":"))
        if not colon or not key:
            spot.problem(_("“%(line)s”: write a name, a colon and a value.") % {"line": line})
            return key, text
        try:
            return key, scalar_of(text, self.type)
        except UnreadableError as error:
            spot.problem(_("“%(line)s”: %(told)s") % {"line": line, "told": error.told})
            return key, text

    def _view(self, inputs: str, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs, "rows": max(2, min(inputs.count("\n") + 1, 12)), "suggestions": ()}


@dataclass(frozen=True, kw_only=True)
class Picks(Part):
    """Names whose order means nothing: a check box each. Those that stay keep their order, new ones come after."""

    template: ClassVar[str] = "falai_django/forms/picks.html"
    group: ClassVar[bool] = True

    options: Sequence[Option] = ()
    keep_empty: bool = False

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, list) and all(isinstance(name, str) and name for name in value)

    def _inputs(self, value: Json) -> tuple[str, ...]:
        return () if value is MISSING else tuple(sorted(set(map(many_lines, value))))

    def _read(self, data: Posted, name: str) -> tuple[str, ...]:
        return tuple(sorted(set(data.all(name)) - {""}))

    def _compose(self, inputs: tuple[str, ...], was: Json, _spot: Spot) -> Json:
        names = {many_lines(name): name for name in [*inputs, *(value for value, _label in self.options), *(was or ())]}
        stay = [name for name in was or () if many_lines(name) in inputs]
        new = [name for key, name in names.items() if key in inputs and name not in stay]
        order = {value: place for place, (value, _label) in enumerate(self.options)}
        chosen = [*stay, *sorted(new, key=lambda name: order.get(name, len(order)))]
        return chosen if chosen or self.keep_empty else MISSING

    def _view(self, inputs: tuple[str, ...], _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"options": choices(self.options, inputs)}
