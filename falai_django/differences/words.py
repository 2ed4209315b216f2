"""The vocabulary: durations, values, conditions, targets and the like as words for people.

Each takes any JSON, for drafts may hold anything: what it cannot read it tells as the JSON that it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from falai_django.differences.labels import Labels
from falai_engine import FlowConfigurationError
from falai_engine.expressions import expression_from_json, format_expression
from falai_engine.values import finite

__all__ = [
    "Text",
    "Words",
    "condition",
    "duration",
    "expression",
    "json_text",
    "listed",
    "quoted",
    "repeat",
    "target",
    "text",
    "times",
    "type_name",
    "value",
    "yes_or_no",
]

Text: TypeAlias = str | Promise
Words: TypeAlias = Callable[[Any, Labels], str]
"""The words of a value; the labels are those of the document that it stands in."""

_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")
_LONGEST_NUMBER: Final = 30
_UNITS: Final[Mapping[str, Callable[[int], str]]] = {
    "s": lambda count: ngettext("%(count)s second", "%(count)s seconds", count),
    "m": lambda count: ngettext("%(count)s minute", "%(count)s minutes", count),
    "h": lambda count: ngettext("%(count)s hour", "%(count)s hours", count),
    "d": lambda count: ngettext("%(count)s day", "%(count)s days", count),
}
_TYPES: Final[Mapping[str, Text]] = {
    "string": gettext_lazy("text"),
    "number": gettext_lazy("number"),
    "integer": gettext_lazy("whole number"),
    "boolean": gettext_lazy("yes or no"),
    "array": gettext_lazy("list"),
    "object": gettext_lazy("object"),
}
_REPEATS: Final[Mapping[str, Text]] = {
    "once": gettext_lazy("only once"),
    "always": gettext_lazy("every time"),
}


def json_text(value: Any) -> str:
    """The JSON of anything, in one line."""
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError):
        return repr(value)


def quoted(text: Any) -> str:
    """A name or text in the marks that set it off."""
    return f"“{text}”" if isinstance(text, str) else json_text(text)


def listed(parts: Iterable[str]) -> str:
    """Parts one after another; of none, the word for that."""
    return ", ".join(parts) or _("none")


def text(value: Any, _labels: Labels) -> str:
    """A text as it is, without marks."""
    return value if isinstance(value, str) else json_text(value)


def yes_or_no(value: Any) -> str:
    """A boolean."""
    if not isinstance(value, bool):
        return json_text(value)
    return _("yes") if value else _("no")


def value(given: Any, labels: Labels) -> str:
    """A value of a field, a variable or a parameter."""
    if isinstance(given, bool):
        return yes_or_no(given)
    if isinstance(given, float) and finite(given):
        return str(number_format(Decimal(str(given))))
    if isinstance(given, (list, tuple)):
        return listed(value(part, labels) for part in given)
    return quoted(given)


def duration(given: Any, _labels: Labels | None = None) -> str:
    """`"1.5h"` as “1.5 hours”, the number as the reader's language writes it."""
    match = _DURATION.fullmatch(given) if isinstance(given, str) and len(given) < _LONGEST_NUMBER else None
    if match is None:
        return quoted(given)
    number = Decimal(match[1])
    # Of a fraction there is never just one.
    count = int(number) if number == int(number) else 2
    shown = str(count) if number == int(number) else number_format(number)
    return _UNITS[match[2]](count) % {"count": shown}


def times(given: Any, _labels: Labels | None = None) -> str:
    """How often."""
    if isinstance(given, bool) or not isinstance(given, int):
        return json_text(given)
    return ngettext("%(count)s time", "%(count)s times", given) % {"count": given}


def type_name(given: Any, _labels: Labels | None = None) -> str:
    """A type of a field, variable, parameter or argument."""
    return str(_TYPES[given]) if isinstance(given, str) and given in _TYPES else quoted(given)


def repeat(given: Any, _labels: Labels | None = None) -> str:
    """Whether a trigger may start its flow again."""
    if isinstance(given, str) and given in _REPEATS:
        return str(_REPEATS[given])
    if isinstance(given, Mapping) and given.keys() == {"cooldown"}:
        return _("again after %(duration)s") % {"duration": duration(given["cooldown"])}
    return quoted(given)


def expression(given: Any, _labels: Labels) -> str:
    """An expression of update-state as its text form."""
    try:
        return format_expression(expression_from_json(given))
    except FlowConfigurationError:
        return json_text(given)


# -- conditions


def condition(given: Any, labels: Labels) -> str:
    """All that must hold, joined."""
    if not isinstance(given, Mapping):
        return quoted(given)
    parts = [part for name, argument in given.items() for part in _condition_part(name, argument, labels)]
    return _(" and ").join(parts) or _("always")


def _condition_part(name: Any, argument: Any, labels: Labels) -> list[str]:
    if name == "equals" and isinstance(argument, Mapping):
        return [_equal(field, wanted, labels) for field, wanted in argument.items()]
    if name == "known" and isinstance(argument, list):
        return [_("%(field)s is known") % {"field": quoted(labels.field(field))} for field in argument]
    if name == "silenced" and isinstance(argument, bool):
        return [_("the assistant is silenced") if argument else _("the assistant is not silenced")]
    return [_registered(name, argument, labels)]


def _equal(field: Any, wanted: Any, labels: Labels) -> str:
    return _("%(field)s is %(value)s") % {"field": quoted(labels.field(field)), "value": value(wanted, labels)}


def _registered(name: Any, argument: Any, labels: Labels) -> str:
    if argument is True:
        return quoted(name)
    told = json_text(argument) if isinstance(argument, Mapping) else value(argument, labels)
    return _("%(condition)s with %(argument)s") % {"condition": quoted(name), "argument": told}


# -- targets


def target(given: Any, labels: Labels) -> str:
    """Where a step or branch goes."""
    if given == "end":
        return _("the end of the flow")
    if isinstance(given, str):
        return _step(given, labels)
    if isinstance(given, Mapping) and given.keys() <= {"step", "clear"} and "step" in given:
        return _jump(given, labels)
    if isinstance(given, Mapping) and given.keys() <= {"flow", "input"} and "flow" in given:
        return _chain(given, labels)
    return json_text(given)


def _step(step_id: Any, labels: Labels) -> str:
    return _("step %(step)s") % {"step": quoted(labels.step(step_id))}


def _jump(given: Mapping[str, Any], labels: Labels) -> str:
    step = _step(given["step"], labels)
    if "clear" not in given:
        return step
    clear = given["clear"]
    cleared = listed(quoted(labels.field(slug)) for slug in clear) if isinstance(clear, list) else json_text(clear)
    return _("%(step)s, forgetting %(fields)s") % {"step": step, "fields": cleared}


def _chain(given: Mapping[str, Any], labels: Labels) -> str:
    flow = _("flow %(flow)s") % {"flow": quoted(labels.flow(given["flow"]))}
    if "input" not in given:
        return flow
    return _("%(flow)s, handing over %(input)s") % {"flow": flow, "input": json_text(given["input"])}
