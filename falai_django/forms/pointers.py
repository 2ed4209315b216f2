"""Paths into JSON as people type them: JSON Pointers, `/customer/name`, `/items/0/price` (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.objects import Alternative, OneOf
from falai_django.forms.part import Json, Label, Spot
from falai_django.forms.scalars import Text
from falai_django.outgoing.pointers import is_pointer
from falai_engine.values import MISSING

__all__ = ["Pointer", "pointer_keys", "pointer_part", "pointer_text"]

_HINT: Final = "/price"
_NEEDED: Final = gettext_lazy("Write the path, such as /price, or choose something else.")


def pointer_keys(pointer: str) -> list[str]:
    """The keys of a pointer, one after the other."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def pointer_text(keys: Iterable[str]) -> str:
    """The pointer of these keys."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


@dataclass(frozen=True, kw_only=True)
class Pointer(Text):
    """A pointer below the whole; the slash in front may be left out."""

    template: ClassVar[str] = "falai_django/forms/text.html"

    hint: Label = _HINT

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        text = inputs.strip()
        pointer = text if text.startswith("/") or not text else f"/{text}"
        if not is_pointer(pointer):
            spot.problem(_("Write ~0 for the sign ~, and ~1 for a / inside a name."))
            return was
        return pointer or MISSING


def pointer_part(label: Label, *, none: Label, help: Label = "", needed: Label = _NEEDED) -> OneOf:  # noqa: A002 - a part's word
    """A path into an answer, all of it, or none; `none` tells what that means."""
    return OneOf(
        label=label,
        help=help,
        none=none,
        alternatives=(
            Alternative(
                "path",
                gettext_lazy("At this path"),
                lambda value: isinstance(value, str) and value != "",
                Pointer(label=gettext_lazy("Path")),
                needed=needed,
            ),
            Alternative("whole", gettext_lazy("The whole answer"), lambda value: value == "", value=""),
        ),
    )
