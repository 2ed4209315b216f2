"""The inputs of steps and triggers, kind by kind (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.action_call import ActionCall
from falai_django.forms.assembly import Assembly, assemble
from falai_django.forms.conditions import condition_part
from falai_django.forms.names import Names
from falai_django.forms.objects import Object, Row
from falai_django.forms.part import Json, Label
from falai_django.forms.scalars import Choice, Duration, Flag, Number, Text
from falai_django.forms.talk import (
    asks_part,
    branches_part,
    collect_part,
    instructions_part,
    tools_part,
)
from falai_django.forms.targets import next_part

__all__ = ["STEP_KINDS", "step_fields"]

_HIDDEN: Final = frozenset({"id", "kind", "label", "ui", "schemaVersion"})
_THEN: Final = _("Then")
_NEXT_STEP: Final = _("Go to the next step")
_HOURS: Final = _("Only within opening hours")
_PLACEHOLDERS: Final = _("May hold placeholders, as {{data.name}}.")


def step_fields(kind: str, body: Json, names: Names) -> Assembly:
    """The form fields of a step of this kind; KeyError for a kind that is none (STEP_KINDS has them all).

    The step's id, kind, label and `ui` are not among them; in the body they stay as they are.
    """
    return assemble(body, _STEPS[kind](body if isinstance(body, Mapping) else {}, names), _HIDDEN)


def _then(names: Names, label: Label = _THEN, none: Label = _NEXT_STEP) -> Row:
    return Row("then", next_part(names, label=label, none=none))


def _talk_rows(names: Names) -> tuple[Row, ...]:
    return (
        Row("branches", branches_part(names, model=True)),
        _then(names),
        Row("tools", tools_part(names, none=_("As the flow says"))),
        Row("instructions", instructions_part(names, help=_("They hold while this step talks."))),
    )


def _asking_rows(names: Names) -> tuple[Row, ...]:
    asks = Number(
        label=_("Ask at most"),
        help=_("How many times each field is asked for before going on without it. Empty: 3."),
        least=1,
        hint="3",
    )
    return Row("ask", asks_part(names)), Row("maxAsks", asks)


def _prompt(body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    prompt = Text(label=_("What to talk about"), help=_PLACEHOLDERS, rows=5)
    # What asks for nothing needs no guidance on how to ask, unless somebody gave it some.
    asking = tuple(row for row in _asking_rows(names) if row.name in body)
    return Row("prompt", prompt), *asking, *_talk_rows(names)


def _collect(_body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    question = Text(
        label=_("First question, word for word"),
        help=_("Sent as it is the first time. Empty: the assistant finds the words."),
        rows=3,
    )
    return (
        Row("collect", collect_part(names, label=_("Find out"), help=_("Asked for in this order."))),
        Row("question", question),
        Row("prompt", Text(label=_("How to talk about it"), help=_PLACEHOLDERS, rows=4)),
        *_asking_rows(names),
        *_talk_rows(names),
    )


def _say(_body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    slug = Text(label=_("Media"), help=_("The short name by which your system knows the picture or file."))
    once = Flag(label=_("Only once per conversation"))
    return (
        Row("say", Text(label=_("Message, word for word"), help=_PLACEHOLDERS, rows=5)),
        Row("media", Object(label=_("Picture or file"), rows=(Row("slug", slug),))),
        Row("once", once),
        _then(names),
    )


def _do(body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    keys = ("do", "with")
    call = {key: body[key] for key in keys if key in body}
    help_ = _("Every input may hold placeholders, as {{data.name}}.")
    action = ActionCall(label=_("Action"), help=help_, names=names, original=call)
    on_fail = next_part(names, label=_("If it fails"), none=_("Go on as if it had worked"))
    return Row("do", action, keys=keys), _then(names), Row("onFail", on_fail)


def _wait(_body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    answered = next_part(names, label=_("If the customer writes"), none=_("Keep waiting"))
    return (
        Row("wait", Duration(label=_("Wait for"))),
        Row("businessHours", Flag(label=_HOURS)),
        _then(names, _("When the time is over")),
        Row("else", answered),
        Row("branches", branches_part(names, model=False)),
    )


def _wait_event(_body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    event = Choice(label=_("Event"), options=[each.option for each in names.events], none=_("Choose an event…"))
    up_to = Duration(label=_("At most"), help=_("Empty: 30 days."), unit="d")
    wait = Object(label=_("Wait until"), rows=(Row("event", event), Row("upTo", up_to)))
    late = next_part(names, label=_("If it does not happen in time"), none=_("End the flow"))
    return Row("wait", wait), _then(names, _("When it happens")), Row("else", late)


def _if(_body: Mapping[str, Any], names: Names) -> tuple[Row, ...]:
    otherwise = next_part(names, label=_("Otherwise"), none=_("End the flow"))
    return (
        Row("if", condition_part(names, label=_("If all of this holds"), keep_empty=True)),
        _then(names),
        Row("else", otherwise),
    )


_STEPS: Final[Mapping[str, Callable[[Mapping[str, Any], Names], tuple[Row, ...]]]] = {
    "prompt": _prompt,
    "collect": _collect,
    "say": _say,
    "do": _do,
    "wait": _wait,
    "waitEvent": _wait_event,
    "if": _if,
}
STEP_KINDS: Final = tuple(_STEPS)
"""The kinds of steps that have inputs: all."""
