"""A piece of flow-spec JSON and the inputs that edit it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from falai_django.forms.posted import Posted, many_lines
from falai_engine.values import MISSING

__all__ = ["Json", "Label", "Note", "Notes", "Page", "Part", "Path", "Spot", "Typed", "kept_text"]

Json: TypeAlias = Any
"""A JSON value; MISSING where there is none."""

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    Label: TypeAlias = StrOrPromise
else:
    Label = str | Promise

Path: TypeAlias = tuple[str | int, ...]
"""Where in a JSON value: keys and positions."""


class Note(NamedTuple):
    """Something to say beside an input; `severity` is `error` or `warning`."""

    text: Label
    severity: str = "error"


Notes: TypeAlias = dict[str, list[Note]]
"""By the name of the input."""


class Typed(NamedTuple):
    """What the inputs of a part hold, and whether a value that they cannot show is to go."""

    inputs: Any
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """The inputs that are being read: their name, where problems are noted, and the object around them.

    `around` is what the inputs of that object hold, `before` what they held at first: the type of an enum's values is
    written in another input than the values.
    """

    name: str
    notes: Notes = field(default_factory=dict)
    around: Mapping[str, Typed] = field(default_factory=dict)
    before: Mapping[str, Typed] = field(default_factory=dict)

    def at(self, key: str) -> Spot:
        return replace(self, name=f"{self.name}-{key}")

    def within(self, around: Mapping[str, Typed], before: Mapping[str, Typed]) -> Spot:
        return replace(self, around=around, before=before)

    def problem(self, text: Label) -> None:
        self.notes.setdefault(self.name, []).append(Note(text))


@dataclass(frozen=True, slots=True)
class Page:
    """What the templates need beside the values: how the first input is called, and the notes."""

    name: str
    id: str
    notes: Notes = field(default_factory=dict)
    described_by: str = ""
    told: set[str] = field(default_factory=set)
    """The inputs whose notes were asked for; what is left over belongs to the whole."""

    def notes_at(self, name: str) -> list[Note]:
        self.told.add(name)
        return self.notes.get(name, [])

    def untold(self) -> list[Note]:
        return [note for name in self.notes.keys() - self.told for note in self.notes[name]]

    def id_of(self, name: str) -> str:
        return self.id + name[len(self.name) :]


_DEEPEST_SHOWN: Final = 60


def kept_text(value: Json) -> str:
    """JSON for reading, of what no input can show."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=None if _depth_over(value) else 2, default=str)
    except (RecursionError, ValueError):
        text = _("(nested too deeply to be shown)")
    return many_lines(text)


def _depth_over(value: Json, left: int = _DEEPEST_SHOWN) -> bool:
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_depth_over(part, left - 1) for part in parts)


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """Inputs for one JSON value, which may be missing (null counts as missing).

    What was not touched stays as it was: when the inputs hold what the value makes them hold, the value itself comes
    back, whatever its notation. A value that the inputs cannot show is kept and shown read-only; `drop` takes it out,
    and filling the inputs replaces it.
    """

    label: Label = ""
    help: Label = ""

    template: ClassVar[str]
    group: ClassVar[bool] = False
    """Whether it is several inputs, told by a legend, or one, told by a label."""

    # -- for those who hold a part

    def typed(self, value: Json) -> Typed:
        """What the inputs hold for this value."""
        return Typed(self._inputs(self._shown(value)))

    @property
    def blank(self) -> Typed:
        return self.typed(MISSING)

    def read(self, data: Posted, name: str) -> Typed:
        """What the inputs hold that came."""
        return Typed(self._read(data, name), data.has(f"{name}-drop"))

    def take(self, typed: Typed, was: Json, spot: Spot) -> Json:
        """The value that the inputs tell: MISSING when they tell none, `was` when nothing was touched."""
        if self._untouched(typed, was, spot):
            return was
        if not self.can_show(was) and typed.inputs == self.blank.inputs:
            return MISSING if typed.drop else was
        return self._compose(typed.inputs, self._shown(was), spot)

    def make(self, typed: Typed, spot: Spot) -> Json:
        """The value that the inputs tell where there was none and must be one: even untouched inputs may tell it."""
        return self._compose(typed.inputs, MISSING, spot)

    def beside(self, _body: Mapping[str, Any]) -> Part:
        """The part for a value in that object: the type of a value may be written beside it."""
        return self

    def view(self, typed: Typed, was: Json, page: Page, name: str) -> dict[str, Any]:
        """What the template shows."""
        notes = page.notes_at(name)
        id_ = page.id_of(name)
        told = [page.described_by] if name == page.name else [f"{id_}_help"] if self.help else []
        return {
            "template": self.template,
            "name": name,
            "id": id_,
            "label": self.label,
            "help": "" if name == page.name else self.help,
            "group": self.group,
            "notes": notes,
            "invalid": any(note.severity == "error" for note in notes),
            "described_by": " ".join(filter(None, [*told, f"{id_}_notes" if notes else ""])),
            "kept": None if self.can_show(was) else kept_text(was),
            "drop": typed.drop,
            **self._view(typed.inputs, self._shown(was), page, name),
        }

    def place(self, path: Path, was: Json, name: str) -> str:
        """The name of the input that a path inside the value belongs to."""
        return self._place(path, self._shown(was), name) if self.can_show(was) else name

    def told(self, _path: Path, _was: Json, text: Label) -> Label:
        """What is said of a problem at this path: more than the text, when one input holds many things."""
        return text

    def can_show(self, value: Json) -> bool:
        return value is MISSING or value is None or self._can_show(value)

    # -- for those who write a part; none of these sees a value that it cannot show

    @abstractmethod
    def _can_show(self, value: Json) -> bool: ...

    @abstractmethod
    def _inputs(self, value: Json) -> Any: ...

    @abstractmethod
    def _read(self, data: Posted, name: str) -> Any: ...

    @abstractmethod
    def _compose(self, inputs: Any, was: Json, spot: Spot) -> Json: ...

    def _view(self, inputs: Any, _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        return {"value": inputs}

    def _place(self, _path: Path, _was: Json, name: str) -> str:
        return name

    def _untouched(self, typed: Typed, was: Json, _spot: Spot) -> bool:
        return typed == self.typed(was)

    def _shown(self, was: Json) -> Json:
        return MISSING if was is None or not self.can_show(was) else was
