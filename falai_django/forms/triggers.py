"""The inputs of triggers, kind by kind (spec: flow-spec.md, `trigger`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from falai_django.forms.assembly import Assembly, assemble
from falai_django.forms.conditions import condition_part
from falai_django.forms.declarations import params_part
from falai_django.forms.names import Names
from falai_django.forms.objects import Row
from falai_django.forms.part import Json, Label
from falai_django.forms.scalars import Choice, Duration, Flag
from falai_django.forms.talk import phrases_part, repeat_part

__all__ = ["TRIGGER_KINDS", "trigger_fields"]

_HIDDEN: Final = frozenset({"kind", "label", "ui", "schemaVersion"})
_ONCE: Final = _("As usual: once per conversation")
_ALWAYS: Final = _("As usual: every time")
_HOURS: Final = _("Only within opening hours")
_EXCLUDES: Final = _("One a line. A line that begins with “!” says when it does not start.")


def trigger_fields(kind: str, body: Json, names: Names) -> Assembly:
    """The form fields of a trigger of this kind; KeyError for a kind that is none (TRIGGER_KINDS has them all)."""
    return assemble(body, _TRIGGERS[kind](names), _HIDDEN)


def _common(names: Names, usual: Label) -> tuple[Row, ...]:
    return (
        Row("repeat", repeat_part(usual)),
        Row("if", condition_part(names, label=_("Only if all of this holds"))),
    )


def _message(names: Names) -> tuple[Row, ...]:
    catch_all = _("With no line at all it starts on every message that nothing else answers.")
    phrases = phrases_part(_("Starts when the customer…"), _joined(_EXCLUDES, catch_all))
    return Row("message", phrases), *_common(names, _ONCE)


def _mention(names: Names) -> tuple[Row, ...]:
    extract = params_part(_("What to note from the message"), _("The flow reads it as {{input.name}}."))
    return (
        Row("mention", phrases_part(_("Starts when the customer mentions…"), _EXCLUDES)),
        Row("extract", extract),
        *_common(names, _ONCE),
    )


def _silence(names: Names) -> tuple[Row, ...]:
    silence = Duration(label=_("Starts when the customer is silent for"), unit="h")
    return Row("silence", silence), Row("businessHours", Flag(label=_HOURS)), *_common(names, _ONCE)


def _event(names: Names) -> tuple[Row, ...]:
    event = Choice(
        label=_("Starts on the event"), options=[each.option for each in names.events], none=_("Choose an event…")
    )
    after = Duration(label=_("After a delay of"), help=_("Empty: at once."))
    return (
        Row("event", event),
        Row("after", after),
        Row("businessHours", Flag(label=_HOURS)),
        *_common(names, _ALWAYS),
    )


def _joined(first: Label, second: Label) -> Label:
    return format_lazy("{} {}", first, second)


_TRIGGERS: Final[Mapping[str, Callable[[Names], tuple[Row, ...]]]] = {
    "message": _message,
    "mention": _mention,
    "silence": _silence,
    "event": _event,
}
TRIGGER_KINDS: Final = tuple(_TRIGGERS)
"""The kinds of triggers that have inputs: all."""
