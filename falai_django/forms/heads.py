"""The inputs of a flow and of an agent beside their rows (spec: flow-spec.md, `flow` and `agent`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.assembly import Assembly, assemble
from falai_django.forms.conditions import condition_part
from falai_django.forms.declarations import variables_part
from falai_django.forms.names import Names
from falai_django.forms.objects import Object, Row
from falai_django.forms.part import Json
from falai_django.forms.scalars import Choice, Number, Text, YesNo
from falai_django.forms.talk import collect_part, field_picks, idle_part, instructions_part, tools_part

__all__ = ["agent_head_fields", "flow_head_fields"]

_FLOW_HIDDEN: Final = frozenset({"id", "name", "description", "on", "steps", "ui", "schemaVersion"})
_AGENT_HIDDEN: Final = frozenset(
    {
        "specVersion",
        "name",
        "locale",
        "timezone",
        "fields",
        "flows",
        "actions",
        "events",
        "conditions",
        "tools",
        "schemaVersion",
    }
)
_ON_END: Final = (
    ("end", _("The flow is over")),
    ("stay", _("Stay and keep talking")),
    ("reset", _("Start again from the beginning")),
)


def flow_head_fields(head: Json, names: Names) -> Assembly:
    """The form fields of a flow's head, without id, name, description, triggers and steps."""
    return assemble(head, _flow_rows(names), _FLOW_HIDDEN)


def _flow_rows(names: Names) -> tuple[Row, ...]:
    return (
        Row("while", condition_part(names, label=_("Goes on only while all of this holds"))),
        Row(
            "collect",
            collect_part(
                names,
                label=_("Also listens for"),
                help=_("Fields that are noted whenever the customer says them, besides those that its steps ask for."),
            ),
        ),
        Row("clearOnStart", field_picks(names, label=_("Forget these answers when it starts"))),
        Row("onEnd", Choice(label=_("At the end"), options=_ON_END, none=_("As usual: the flow is over"), closed=True)),
        Row("tools", tools_part(names, none=_("All tools"))),
        Row("instructions", instructions_part(names, help=_("They hold while this flow talks."))),
        Row("anchor", Text(label=_("Once for each"), help=_ANCHOR)),
    )


_ANCHOR: Final = _(
    "What counts as one customer: a name that your system gives with each message, as “lead”. Empty: the conversation."
)


def agent_head_fields(head: Json, names: Names, only: Collection[str] = ()) -> Assembly:
    """The form fields of an agent, without its name, locale, time zone and registries; with `only`, just these keys."""
    rows = tuple(row for row in _agent_rows(names) if not only or row.name in only)
    hidden = _AGENT_HIDDEN | {row.name for row in _agent_rows(names)} - {row.name for row in rows}
    return assemble(head, rows, hidden)


def _agent_rows(names: Names) -> tuple[Row, ...]:
    return (
        Row("goal", Text(label=_("Goal"), rows=2)),
        Row("persona", Text(label=_("Persona"), help=_("Who the assistant is and how it speaks."), rows=5)),
        Row("knowledgeBase", Text(label=_("Knowledge"), help=_("Facts that the assistant may use."), rows=10)),
        Row("instructions", instructions_part(names, help=_("They hold in every conversation."))),
        Row("idle", idle_part(names)),
        Row("variables", variables_part()),
        Row(
            "maxToolLoops",
            Number(label=_("Tool rounds"), help=_("How often tools may be used for one reply. Empty: 5."), least=0),
        ),
        Row("compaction", _compaction()),
    )


def _compaction() -> Object:
    threshold = Number(label=_("Start at this share of the tokens"), whole=False, hint="0.8")
    return Object(
        label=_("Shorten long conversations"),
        help=_("Older messages are summed up when a conversation gets longer than this."),
        rows=(
            Row("maxTokens", Number(label=_("Tokens at most"), least=1)),
            Row("compactionThreshold", threshold),
            Row("preserveRecentCount", Number(label=_("Newest messages to keep as they are"), hint="4")),
            Row("maxToolResultChars", Number(label=_("Characters of a tool result to keep"), hint="5000")),
            Row("enabled", YesNo(label=_("Switched on"), none=_("As usual: yes"))),
        ),
    )
