"""What a step or flow says and does beside its words: branches, instructions, tools, asks (spec: flow-spec.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.conditions import condition_part
from falai_django.forms.lists import Lines, Picks
from falai_django.forms.names import Names
from falai_django.forms.objects import Alternative, Object, OneOf, Row
from falai_django.forms.part import Json, Label
from falai_django.forms.rows import NamedRows, Pair, Rows
from falai_django.forms.scalars import Choice, Duration, Text
from falai_django.forms.targets import next_part

__all__ = [
    "asks_part",
    "branches_part",
    "collect_part",
    "field_picks",
    "idle_part",
    "instructions_part",
    "phrases_part",
    "repeat_part",
    "tools_part",
]

_KINDS: Final = (("must", _("Must")), ("never", _("Never")), ("should", _("Should")))


def phrases_part(label: Label, help: Label) -> Lines:  # noqa: A002 - a part's word
    """The phrases of a trigger; none at all means something of its own."""
    return Lines(label=label, help=help, keep_empty=True, rows=4)


def collect_part(names: Names, *, label: Label, help: Label = "") -> Rows:  # noqa: A002 - a part's word
    """Fields in the order in which they are asked for."""
    return Rows(
        label=label,
        help=help,
        item=Choice(label=_("Field"), options=[each.option for each in names.fields], none=_("Choose a field…")),
        one=_("Field"),
        add=_("Add a field"),
    )


def field_picks(names: Names, *, label: Label, help: Label = "") -> Picks:  # noqa: A002 - a part's word
    """Fields and variables whose order means nothing."""
    return Picks(label=label, help=help, options=[each.option for each in names.data])


def asks_part(names: Names) -> NamedRows:
    """How to ask for a field, here."""
    field = Choice(label=_("Field"), options=[each.option for each in names.fields], none=_("Choose a field…"))
    return NamedRows(
        label=_("How to ask"),
        help=_("Guidance for single fields, in this step only. Without it the field's own guidance is used."),
        item=Pair(name=field, value=Text(label=_("How to ask for it"), rows=2)),
        one=_("Field"),
        add=_("Add guidance for a field"),
    )


def _only(key: str) -> Any:
    """Whether an object holds this key and none of the other conditions of a branch."""

    def holds(value: Json) -> bool:
        return isinstance(value, Mapping) and [name for name in value if value[name] is not None] == [key]

    return holds


def branches_part(names: Names, *, model: bool) -> Rows:
    """The branches of a step; with `model` also those that the model judges."""
    when = Row("when", Text(label=_("What the customer does"), hint=_("asks for a discount")))
    cond = condition_part(names, label=_("All of this holds"), keep_empty=True)
    judged = Alternative("when", _("When the customer…"), _only("when"), Object(rows=(when,)))
    coded = Alternative("if", _("If the data says so"), _only("if"), Object(rows=(Row("if", cond),)))
    branch = Object(
        rows=(
            Row(
                "condition",
                OneOf(label=_("Takes this way"), alternatives=(judged, coded) if model else (coded,)),
                keys=("when", "if"),
            ),
            Row("then", next_part(names, label=_("Then"))),
        )
    )
    return Rows(
        label=_("Branches"),
        help=_("Ways to go on from here. The first one that fits is taken."),
        item=branch,
        one=_("Branch"),
        add=_("Add a branch"),
    )


def instructions_part(names: Names, *, help: Label = "") -> Rows:  # noqa: A002 - a part's word
    """Instructions; each keeps its id."""
    instruction = Object(
        rows=(
            Row("kind", Choice(label=_("Kind"), options=_KINDS, none=_("Should (normal)"), closed=True)),
            Row("prompt", Text(label=_("What to do"), rows=2)),
            Row(
                "when",
                Lines(
                    label=_("Only when (judged in the conversation)"),
                    help=_("One situation a line, as “the customer is in a hurry”. Empty: always."),
                    single=True,
                    rows=2,
                ),
            ),
            Row("if", condition_part(names, label=_("Only if (all of this holds)"))),
        )
    )
    return Rows(label=_("Instructions"), help=help, item=instruction, one=_("Instruction"), add=_("Add an instruction"))


def tools_part(names: Names, *, none: Label) -> OneOf:
    """Which tools may be used: nothing said, none at all, or these."""
    picks = Picks(label=_("These tools"), options=[tool.option for tool in names.tools])
    return OneOf(
        label=_("Tools"),
        none=none,
        alternatives=(
            Alternative("none", _("No tools"), lambda value: value == [], value=[]),
            Alternative("chosen", _("Only these tools"), _is_filled, picks, needed=_("Choose a tool, or “No tools”.")),
        ),
    )


def _is_filled(value: Json) -> bool:
    return isinstance(value, list) and value != []


def repeat_part(none: Label) -> OneOf:
    """How often a trigger may start its flow."""
    return OneOf(
        label=_("How often"),
        none=none,
        alternatives=(
            Alternative("once", _("Once per conversation"), lambda value: value == "once", value="once"),
            Alternative("always", _("Every time"), lambda value: value == "always", value="always"),
            Alternative(
                "cooldown",
                _("Again after a pause"),
                lambda value: isinstance(value, Mapping) and value.get("cooldown") is not None,
                Object(
                    rows=(
                        Row("cooldown", Duration(label=_("Pause"), unit="h"), needed=_("Say how long the pause is.")),
                    )
                ),
            ),
        ),
    )


def idle_part(names: Names) -> OneOf:
    """Who answers when no flow does."""
    rows: Sequence[Row] = (
        Row("prompt", Text(label=_("What to do then"), rows=4, empty="")),
        Row("tools", tools_part(names, none=_("All tools"))),
        Row("instructions", instructions_part(names)),
    )
    return OneOf(
        label=_("When no flow answers"),
        none=_("Answer freely"),
        alternatives=(
            Alternative("silent", _("Say nothing"), lambda value: value == "silent", value="silent"),
            Alternative("prompt", _("Answer like this"), lambda value: isinstance(value, Mapping), Object(rows=rows)),
        ),
    )
