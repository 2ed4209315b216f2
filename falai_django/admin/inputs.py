"""Inputs for what columns keep in another shape than people write."""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

__all__ = ["DurationField", "LinesField", "SecondsField"]

_MOST_SECONDS: Final = 60
_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")
_UNITS: Final = (
    ("m", gettext_lazy("minutes")),
    ("h", gettext_lazy("hours")),
    ("d", gettext_lazy("days")),
    ("s", gettext_lazy("seconds")),
)


class LinesField(forms.CharField):
    """A list of texts, one a line; empty lines count for nothing."""

    widget = forms.Textarea(attrs={"rows": 3, "cols": 40})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> Any:
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        before = initial if isinstance(initial, list | tuple) else []
        return list(before) != [line.strip() for line in str(data or "").splitlines() if line.strip()]


class SecondsField(forms.DecimalField):
    """Milliseconds, written as seconds."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=_MOST_SECONDS, decimal_places=3, **options)
        self.widget.attrs["step"] = "any"

    def prepare_value(self, value: Any) -> Any:
        return f"{value / 1000:g}" if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        seconds = super().clean(value)
        return None if seconds is None else int(seconds * 1000)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class DurationWidget(forms.MultiWidget):
    """A number and a unit."""

    template_name = "falai_django/admin/duration.html"
    use_fieldset = True

    def __init__(self, attrs: Any = None) -> None:
        number = forms.NumberInput(attrs={"min": 0, "step": "any", "aria-label": gettext_lazy("number")})
        super().__init__([number, forms.Select(choices=_UNITS, attrs={"aria-label": gettext_lazy("unit")})], attrs)

    def decompress(self, value: Any) -> list[str]:
        found = _DURATION.fullmatch(str(value or ""))
        return [found[1], found[2]] if found else ["", "h"]


class DurationField(forms.MultiValueField):
    """A duration as flow-spec.md writes it (`12h`)."""

    widget = DurationWidget

    def __init__(self, **options: Any) -> None:
        fields = (forms.DecimalField(min_value=0), forms.ChoiceField(choices=_UNITS))
        super().__init__(fields, require_all_fields=True, **options)

    def compress(self, data_list: Any) -> str:
        if not data_list:
            raise ValidationError(_("Write a number and choose a unit."))
        number, unit = data_list
        return f"{number.normalize():f}{unit}"
