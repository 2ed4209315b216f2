"""A part as a field of a Django form, for any `ModelForm` and the stock admin."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from falai_django.forms.part import Json, Label, Note, Notes, Page, Part, Path, Spot, Typed
from falai_django.forms.posted import Posted
from falai_engine.values import MISSING

__all__ = ["PartField", "PartWidget"]

_SHOWN = "-shown"
"""Ends the name of the hidden input that says that a part was on the page: what was not stays as it is."""


class PartWidget(forms.Widget):
    """The inputs of a part."""

    template_name = "falai_django/forms/widget.html"

    def __init__(self, part: Part, original: Json, notes: Notes) -> None:
        super().__init__()
        self.part = part
        self.original = original
        self.notes = notes
        self.use_fieldset = part.group

    @property
    def media(self) -> forms.Media:
        return forms.Media(
            css={"all": ["falai_django/forms.css"]},
            js=[forms.Script("falai_django/forms.js", type="module")],  # type: ignore[list-item] # new in Django 5.2
        )

    def id_for_label(self, id_: str) -> str:
        return "" if self.use_fieldset else id_

    def value_from_datadict(self, data: Mapping[str, Any], _files: Any, name: str) -> Typed:
        posted = Posted(data)
        return self.part.read(posted, name) if posted.has(name + _SHOWN) else self.part.typed(self.original)

    def value_omitted_from_data(self, data: Mapping[str, Any], _files: Any, name: str) -> bool:
        return name + _SHOWN not in data

    def get_context(self, name: str, value: Typed, attrs: Mapping[str, Any] | None) -> dict[str, Any]:
        given = dict(attrs or {})
        id_ = str(given.get("id") or f"id_{name}")
        notes = {name + suffix: list(notes) for suffix, notes in self.notes.items()}
        for place, found in self._own_problems(name, value).items():
            notes.setdefault(place, []).extend(found)
        page = Page(name, id_, notes, str(given.get("aria-describedby") or ""))
        view = self.part.view(value, self.original, page, name)
        view["notes"] = [*view["notes"], *page.untold()]
        view["invalid"] = view["invalid"] or "aria-invalid" in given
        return {"view": view, "shown": name + _SHOWN, "disabled": bool(given.get("disabled"))}

    def _own_problems(self, name: str, typed: Typed) -> Notes:
        """What cannot be read, at each inner input; what is said of the whole is in the form's errors already."""
        spot = Spot(name)
        self.part.take(typed, self.original, spot)
        return {place: found for place, found in spot.notes.items() if place != name}


class PartField(forms.Field):
    """A field whose value is a piece of flow-spec JSON, None where there is none.

    `original` is the JSON that is edited. It comes back as it is unless something in its inputs was changed; of that,
    only what was changed differs. ValidationError when an input cannot be read: each such input says so itself.
    """

    widget: PartWidget

    def __init__(self, part: Part, original: Json = MISSING) -> None:
        self.part = part
        self.original = original
        self.notes: Notes = {}
        super().__init__(
            required=False,
            label=part.label or None,
            help_text=part.help,
            initial=None if original is MISSING else original,
            widget=PartWidget(part, original, self.notes),
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> PartField:
        copied = super().__deepcopy__(memo)
        copied.notes = copy.deepcopy(self.notes)
        copied.widget.notes = copied.notes
        return copied

    def prepare_value(self, value: Any) -> Typed:
        return value if isinstance(value, Typed) else self.part.typed(self.original)

    def has_changed(self, _initial: Any, data: Any) -> bool:
        return not self.disabled and isinstance(data, Typed) and data != self.part.typed(self.original)

    def clean(self, value: Any) -> Json:
        if not isinstance(value, Typed):
            return value
        spot = Spot("")
        taken = self.part.take(value, self.original, spot)
        told = [note.text for note in spot.notes.get("", ())]
        if told or spot.notes:
            raise ValidationError([ValidationError(str(text)) for text in told] or [_inner_problem()])
        return None if taken is MISSING else taken

    def place(self, path: Path) -> str:
        """What is added to the field's name to get the input that a path inside the value belongs to."""
        return self.part.place(path, self.original, "")

    def note(self, path: Path, text: Label, severity: str = "error") -> None:
        """Show a text beside the input that the path belongs to."""
        self.put(self.place(path), self.part.told(path, self.original, text), severity)

    def put(self, inner: str, text: Label, severity: str = "error") -> None:
        """Show a text beside an input inside, named as `place` names it."""
        self.notes.setdefault(inner, []).append(Note(text, severity))


def _inner_problem() -> ValidationError:
    return ValidationError(_("Some inputs below could not be read: each of them says why."), code="inner")
