"""Whether a value fits what takes it: a field, a variable or an `llm` node (spec: update-state.md, engine.md 11)."""

from __future__ import annotations

from typing import Any, Final

from falai_engine.error_words import shown
from falai_engine.expressions.nodes import Llm
from falai_engine.flows import Field, Variable
from falai_engine.values import NOT_IN_ENUM, coerce

__all__ = ["fitted"]

_CHOICES_SHOWN: Final = 20


def fitted(taker: Field | Variable | Llm, value: Any) -> tuple[Any, str | None]:
    """The value as its taker keeps it and None, or None and the reason that the model or the author reads.

    Coerced and enum-checked like any model value; null fits everywhere, for it takes the value away.
    """
    if value is None:
        return None, None
    enum = None if isinstance(taker, Variable) else taker.enum
    coerced, code = coerce(taker.type, value, enum)
    if code is None:
        return coerced, None
    if enum is None or code != NOT_IN_ENUM:
        return None, f"{code}: {shown(value)} is no {taker.type}"
    return None, f"{code}: {shown(value)} is none of {', '.join(map(shown, enum[:_CHOICES_SHOWN]))}"
