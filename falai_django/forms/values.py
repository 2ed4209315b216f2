"""Scalars as people write them, and back (spec: flow-spec.md, `field` and `params`)."""

from __future__ import annotations

import re
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.part import Label
from falai_engine.values import boolean_of, finite, number_text

__all__ = ["TYPES", "UnreadableError", "is_scalar", "number_of", "scalar_of", "scalar_text", "scalar_type"]

TYPES: Final = (
    ("string", gettext_lazy("Text")),
    ("number", gettext_lazy("Number")),
    ("integer", gettext_lazy("Whole number")),
    ("boolean", gettext_lazy("Yes or no")),
)
"""The scalar types and what people call them."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,310}")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,300}[.,]?[0-9]{0,300}|[.,][0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?")


class UnreadableError(ValueError):
    """A text that is no value of the type; `told` says what to write instead."""

    def __init__(self, told: Label) -> None:
        super().__init__(told)
        self.told = told


def is_scalar(value: Any) -> bool:
    """Text, a number that can be written down, or a boolean."""
    return isinstance(value, str | bool) or finite(value)


def scalar_type(name: Any) -> str | None:
    """The name when it is that of a scalar type, else None."""
    return name if isinstance(name, str) and name in dict(TYPES) else None


def scalar_text(value: Any, type_: str | None) -> str:
    """The text that stands for the value in an input; `scalar_of` reads it back."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if not isinstance(value, str):
        return str(value) if isinstance(value, int) else number_text(value)
    quoted = type_ is None and (value[:1] == value[-1:] == '"' or not isinstance(_guessed(value), str))
    return f'"{value}"' if quoted else value


def scalar_of(text: str, type_: str | None) -> Any:
    """The value of this type that the text stands for; UnreadableError when it is none.

    Without a type it is a number or yes/no where it looks like one, and text where it does not or stands in quotes.
    """
    match type_:
        case "number" | "integer":
            return number_of(text, whole=type_ == "integer")
        case "boolean":
            return _boolean(text)
        case "string":
            return text
        case _ if len(text) > 1 and text[0] == text[-1] == '"':
            return text[1:-1]
    return _guessed(text)


def number_of(text: str, *, whole: bool = False) -> int | float:
    """A number as people write it, with a point or a comma; UnreadableError when it is none."""
    text = text.strip()
    value: int | float | None = None
    if _WHOLE.fullmatch(text):
        value = int(text)
    elif _DECIMAL.fullmatch(text) and not whole:
        value = float(text.replace(",", "."))
    if value is None or not finite(value):
        raise UnreadableError(_("Write a whole number, as 3.") if whole else _("Write a number, as 3 or 1.5."))
    return value


def _boolean(text: str) -> bool:
    said = text.strip().casefold()
    value = {_("yes"): True, _("no"): False}.get(said, boolean_of(said))
    if value is None:
        raise UnreadableError(_("Write yes or no."))
    return value


def _guessed(text: str) -> Any:
    said = text.strip().casefold()
    if said in (_("yes"), _("no"), "true", "false"):
        return _boolean(said)
    try:
        value = number_of(text)
    except UnreadableError:
        return text
    return value if scalar_text(value, "number") == text.strip() else text
