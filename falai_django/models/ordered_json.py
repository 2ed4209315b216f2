"""JSON whose keys keep their order: PostgreSQL's jsonb would sort them, and the order of fields has meaning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

__all__ = ["OrderedJSONField"]


if TYPE_CHECKING:
    _Field = models.Field[Any, Any]
else:
    _Field = models.Field


class OrderedJSONField(_Field):
    """Any JSON, kept as text; never searched by its content. None is NULL.

    NUL and lone surrogates lie escaped in the text, so that every database takes them.
    """

    description = "JSON that keeps the order of its keys"

    def get_internal_type(self) -> str:
        return "TextField"

    def from_db_value(self, value: str | None, _expression: Any, _connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> Any:
        if value is None or hasattr(value, "resolve_expression"):
            return value
        return json.dumps(value, allow_nan=False, separators=(",", ":"))

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError as error:
            raise ValidationError(_("This is no JSON.")) from error

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj))

    def formfield(self, **_kwargs: Any) -> None:
        """No form edits raw JSON."""
        return
