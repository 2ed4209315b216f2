"""Objects and alternatives: parts put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.part import Json, Label, Page, Part, Path, Spot, Typed, kept_text
from falai_django.forms.posted import Posted
from falai_engine.values import MISSING

__all__ = ["Alternative", "Kept", "Leftovers", "Object", "OneOf", "Row", "merged"]


_CHOOSE: Final = gettext_lazy("Choose…")
_FILL_IN: Final = gettext_lazy("Fill this in, or choose something else.")


@dataclass(frozen=True, slots=True)
class Row:
    """A key of an object and the part that edits it; with `keys`, several keys at once, as an object of their own.

    `needed` is what is said when there must be a value and is none. `when` names another row and the values of its
    input with which this one matters: a browser with scripts shows it only then.
    """

    name: str
    part: Part
    keys: tuple[str, ...] = ()
    needed: Label = ""
    when: tuple[str, ...] = ()

    def owns(self, key: str | int) -> bool:
        return key in (self.keys or (self.name,))

    def of(self, body: Mapping[str, Json]) -> Json:
        """What this row edits of an object."""
        if not self.keys:
            return body.get(self.name, MISSING)
        return {key: body[key] for key in self.keys if key in body} or MISSING

    def path_below(self, path: Path) -> Path:
        return path if self.keys else path[1:]


def merged(was: Json, changes: Iterable[tuple[Row, Json]]) -> dict[str, Json]:
    """The object with the values of these rows: each key stays where it was, new ones come last, other keys stay."""
    body = dict(was) if isinstance(was, Mapping) else {}
    for row, value in changes:
        if not row.keys:
            _put(body, row.name, value)
            continue
        for key in row.keys:
            _put(body, key, value.get(key, MISSING) if isinstance(value, Mapping) else MISSING)
    return body


def _put(body: dict[str, Json], key: str, value: Json) -> None:
    if value is MISSING:
        body.pop(key, None)
    else:
        body[key] = value


@dataclass(frozen=True, kw_only=True)
class Object(Part):
    """An object by its rows. Keys that no row owns stay; `keep_empty`: it is there even when nothing is in it."""

    template: ClassVar[str] = "falai_django/forms/object.html"
    group: ClassVar[bool] = True

    rows: Sequence[Row] = ()
    keep_empty: bool = False

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, Mapping)

    def _inputs(self, value: Json) -> dict[str, Typed]:
        body = value or {}
        return {row.name: row.part.beside(body).typed(row.of(body)) for row in self.rows}

    def _read(self, data: Posted, name: str) -> dict[str, Typed]:
        return {row.name: row.part.read(data, f"{name}-{row.name}") for row in self.rows}

    def _compose(self, inputs: dict[str, Typed], was: Json, spot: Spot) -> Json:
        inner = spot.within(inputs, self._inputs(was))
        values = [(row, self._taken(row, inputs, was, inner.at(row.name))) for row in self.rows]
        body = merged(was, values)
        return body if body or self.keep_empty else MISSING

    def _taken(self, row: Row, inputs: Mapping[str, Typed], was: Json, spot: Spot) -> Json:
        part, typed = row.part.beside(was or {}), inputs[row.name]
        value = part.make(typed, spot) if was is MISSING else part.take(typed, row.of(was), spot)
        if value is MISSING and row.needed and spot.name not in spot.notes:
            spot.problem(row.needed)
        return value

    def _view(self, inputs: dict[str, Typed], was: Json, page: Page, name: str) -> dict[str, Any]:
        body = was or {}
        rows = [
            {
                "view": row.part.beside(body).view(inputs[row.name], row.of(body), page, f"{name}-{row.name}"),
                "when": f"{name}-{row.when[0]}" if row.when else "",
                "values": " ".join(row.when[1:]),
            }
            for row in self.rows
        ]
        return {"rows": rows}

    def _place(self, path: Path, was: Json, name: str) -> str:
        body = {} if was is MISSING or was is None else was
        for row in self.rows:
            if path and row.owns(path[0]):
                return row.part.place(row.path_below(path), row.of(body), f"{name}-{row.name}")
        return name


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the things that a value may be: which values are it, and the part that edits it, or its one value.

    `takes` are the values from which the part may start, so that a change of alternative keeps what both hold.
    """

    key: str
    label: Label
    holds: Callable[[Json], bool]
    part: Part | None = None
    value: Json = MISSING
    needed: Label = _FILL_IN
    takes: Callable[[Json], bool] | None = None

    def start(self, value: Json) -> Json:
        """What of the value the part edits."""
        known = value is not MISSING and value is not None
        return value if known and (self.takes or self.holds)(value) else MISSING

    def can_show(self, value: Json) -> bool:
        return self.holds(value) and (self.part is None or self.part.can_show(value))


@dataclass(frozen=True, kw_only=True)
class OneOf(Part):
    """A list of alternatives, and the inputs of the chosen one. `none` is what no value means.

    The input of the list has the part's own name.
    """

    template: ClassVar[str] = "falai_django/forms/one_of.html"

    alternatives: Sequence[Alternative] = ()
    none: Label = _CHOOSE

    def _of(self, value: Json) -> Alternative | None:
        if value is MISSING or value is None:
            return None
        return next((each for each in self.alternatives if each.can_show(value)), None)

    def _can_show(self, value: Json) -> bool:
        return self._of(value) is not None

    def _inputs(self, value: Json) -> dict[str, Typed]:
        chosen = self._of(value)
        parts = {
            each.key: each.part.typed(value if each is chosen else MISSING)
            for each in self.alternatives
            if each.part is not None
        }
        return {"": Typed(chosen.key if chosen else ""), **parts}

    def _read(self, data: Posted, name: str) -> dict[str, Typed]:
        parts = {each.key: each.part.read(data, f"{name}-{each.key}") for each in self.alternatives if each.part}
        return {"": Typed(data.text(name)), **parts}

    def _compose(self, inputs: dict[str, Typed], was: Json, spot: Spot) -> Json:
        key = inputs[""].inputs
        if not key:
            return MISSING
        chosen = next((each for each in self.alternatives if each.key == key), None)
        if chosen is None:
            spot.problem(_("Choose one of the list."))
            return was
        if chosen.part is None:
            return was if chosen is self._of(was) else chosen.value
        inner = spot.at(key)
        start = chosen.start(was)
        value = (
            chosen.part.make(inputs[key], inner) if start is MISSING else chosen.part.take(inputs[key], start, inner)
        )
        if value is MISSING and not any(name.startswith(inner.name) for name in spot.notes):
            inner.problem(chosen.needed)
        return value

    def _view(self, inputs: dict[str, Typed], was: Json, page: Page, name: str) -> dict[str, Any]:
        key = inputs[""].inputs
        parts = [
            {
                "key": each.key,
                "label": each.label,
                "inline": _is_one_input(each.part),
                "view": each.part.view(inputs[each.key], each.start(was), page, f"{name}-{each.key}"),
            }
            for each in self.alternatives
            if each.part
        ]
        options = [{"value": each.key, "label": each.label, "chosen": each.key == key} for each in self.alternatives]
        return {"value": key, "none": self.none, "options": options, "alternatives": parts}

    def _place(self, path: Path, was: Json, name: str) -> str:
        chosen = self._of(was)
        if chosen is None or chosen.part is None or (not path and chosen.part.group):
            return name
        return chosen.part.place(path, was, f"{name}-{chosen.key}")


def _is_one_input(part: Part) -> bool:
    """Whether it fits beside the list that it is chosen from."""
    if isinstance(part, Object):
        shown = [row.part for row in part.rows if not isinstance(row.part, Kept)]
        return len(shown) == 1 and not shown[0].group
    return not part.group


@dataclass(frozen=True, kw_only=True)
class Kept(Part):
    """A value that is shown and not edited here: it always stays as it is. `quiet`: without one nothing is shown."""

    template: ClassVar[str] = "falai_django/forms/kept.html"
    group: ClassVar[bool] = True

    quiet: bool = False

    def _can_show(self, _value: Json) -> bool:
        return True

    def _inputs(self, _value: Json) -> None:
        return None

    def _read(self, _data: Posted, _name: str) -> None:
        return None

    def _untouched(self, _typed: Typed, _was: Json, _spot: Spot) -> bool:
        return True

    def _compose(self, _inputs: None, was: Json, _spot: Spot) -> Json:
        return was

    def _view(self, _inputs: None, was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"text": "" if was is MISSING else kept_text(was), "nothing": self.quiet and was is MISSING}


@dataclass(frozen=True, kw_only=True)
class Leftovers(Part):
    """Keys that no input edits: shown, each with a check box that takes it out."""

    template: ClassVar[str] = "falai_django/forms/leftovers.html"
    group: ClassVar[bool] = True

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, Mapping)

    def _inputs(self, _value: Json) -> tuple[str, ...]:
        return ()

    def _read(self, data: Posted, name: str) -> tuple[str, ...]:
        return tuple(sorted(set(data.all(name))))

    def _compose(self, inputs: tuple[str, ...], was: Json, _spot: Spot) -> Json:
        kept = {key: value for place, (key, value) in enumerate((was or {}).items()) if str(place) not in inputs}
        return kept or MISSING

    def _view(self, inputs: tuple[str, ...], was: Json, _page: Page, _name: str) -> dict[str, Any]:
        entries = [
            {"place": str(place), "key": key, "text": kept_text(value), "chosen": str(place) in inputs}
            for place, (key, value) in enumerate((was or {}).items())
        ]
        return {"entries": entries}
