"""Every rule of flow-spec.md, once: its code, how bad it is, and what is said (spec: flow-spec.md, `validate_flow`).

The texts are templates over a problem's `values`, so that a host can translate them by code. `{key}` is the path below
the place that the message names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from falai_engine.expressions import EXPRESSION_RULES

__all__ = ["NAME_RULES", "RULES", "Rule", "Severity"]


class Severity(StrEnum):
    """An error keeps a flow from being used; a warning says what will probably surprise its author."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """`what` is wrong and how to `fix` it; `near` is the fix when a known name is near the one written."""

    what: str
    fix: str
    near: str | None = None
    severity: Severity = Severity.ERROR


def _warning(what: str, fix: str, near: str | None = None) -> Rule:
    return Rule(what, fix, near, Severity.WARNING)


def _unknown(what: str, fix: str) -> Rule:
    return Rule(f"{{key}} names {{name}}, an unknown {what}", fix, f"Write {{near}}, or {fix[0].lower()}{fix[1:]}")


_JSON: Final[Mapping[str, Rule]] = {
    "not-an-object": Rule("{key} is {shown}, not an object", "Write a JSON object"),
    "not-a-list": Rule("{key} is {shown}, not a list", "Write a JSON list"),
    "not-text": Rule("{key} is {shown}, not text", "Write text in quotes"),
    "not-a-boolean": Rule("{key} is {shown}, not a boolean", "Write true or false"),
    "not-a-whole-number": Rule(
        "{key} is {shown}, not a whole number of at least {least}", "Write a whole number, {least} or more"
    ),
    "not-in-range": Rule("{key} is {shown}, not between {least} and {most}", "Write a number from {least} to {most}"),
    "not-one-of": Rule("{key} is {shown}, not one of {choices}", "Write one of them", "Write {near}"),
    "missing": Rule("{key} is missing", "Add it"),
    "too-deep": Rule("{key} is nested deeper than {most} levels", "Make it flatter"),
    "bad-duration": Rule(
        "{key} is {shown}, not a duration", 'Write a number and one of s, m, h, d without a space, as "30s" or "24h"'
    ),
}

_NAMES: Final[Mapping[str, Rule]] = {
    "unknown-field": _unknown("field", "Declare the field on the agent"),
    "unknown-tool": _unknown("tool", "Add the tool to the agent"),
    "unknown-action": _unknown("action", "Register the action with the agent"),
    "unknown-event": _unknown("event", "Register the event with the agent"),
    "unknown-condition": _unknown("condition", "Register the condition with the agent"),
    "unknown-flow": _unknown("flow", "Add the flow to the agent"),
    "unknown-step": _unknown("step", 'Choose a step of this flow, or "end" by itself'),
    "variable-collected": Rule(
        "{key} names {name}, a variable, which is never asked for", "Choose a field, or declare {name} as one"
    ),
}

NAME_RULES: Final = frozenset(_NAMES)
"""Those about a name; what is no text is no name."""

_FLOW: Final[Mapping[str, Rule]] = {
    "flow-without-id": Rule("it has no id", "Give it an `id`"),
    "flow-without-steps": Rule("it has no list of steps", "Add `steps`, a list"),
    "triggers-without-steps": Rule("it has triggers but no steps", "Add a step, or remove the triggers"),
    "trigger-without-kind": Rule("it says no kind of start", "Add one of `message`, `mention`, `silence` or `event`"),
    "trigger-with-two-kinds": Rule("it has both {first} and {second}", "Make two triggers of it"),
    "trigger-without-phrases": Rule(
        "{key} holds only exclusions or blanks, so nothing can match",
        "Add a phrase without `!`, or leave the list empty",
    ),
    "bad-repeat": Rule("{key} is {shown}", 'Write "once", "always" or {{"cooldown": "24h"}}'),
    "step-without-id": Rule("it has no id", "Give it an `id`"),
    "step-id-reserved": Rule('its id is "end", which stands for the end of the flow', "Choose another id"),
    "step-id-twice": Rule("another step before it has the same id", "Choose another id"),
    "step-empty": Rule(
        "it does nothing",
        "Add one of `prompt`, `collect`, `say`, `do`, `wait` or `if`",
        "Write {near} instead of {shown}",
    ),
    "step-does-two-things": Rule("it has both {first} and {second}", "Make two steps of it"),
    "step-kind-mismatch": Rule("{key} is {shown}, but the body is that of {kind}", "Write {kind}, or change the body"),
    "collect-empty": Rule("{key} names no field", "Name a field to collect"),
    "question-without-collect": Rule("{key} is set, but the step collects nothing", "Add `collect`, or use `say`"),
    "wait-without-event": Rule("{key} names no event", 'Write {{"event": name}}'),
    "next-unreadable": Rule(
        "{key} is {shown}, which is no target", 'Write a step id, "end", {{"step": id}} or {{"flow": id}}'
    ),
    "if-jumps-back": Rule(
        "{key} leads back to {name}, and without `else` the flow just ends when it does not hold",
        "Add `else`, the way out of the loop",
    ),
    "branch-without-then": Rule("{key} is missing", "Say where the branch leads"),
    "branch-without-condition": Rule("{key} has neither `when` nor `if`", "Add one of them"),
    "branch-with-two-conditions": Rule("{key} has both `when` and `if`", "Make two branches of it"),
    "branch-when-on-wait": Rule("{key} is judged by the model, which a wait does not ask", "Use `if`"),
    "equals-null": Rule("{key} is null, which nothing equals", "Use `known`"),
    "equals-type": Rule(
        "{key} is {shown}, but {declared} is of the type {type}", "Write a value of that type: nothing is converted"
    ),
    "equals-enum": Rule("{key} is {shown}, which is no value of the field", "Write one of {choices}", "Write {near}"),
    "parameter-missing": Rule("{key} is missing, and the action needs it", "Add it to `with`"),
    "parameter-unknown": Rule("{key} is no parameter of the action", "Remove it", "Write {near}, or remove it"),
    "parameter-type": Rule("{key} is {shown}, but the parameter is of the type {type}", "Write a value of that type"),
    "parameter-enum": Rule(
        "{key} is {shown}, which the parameter does not take", "Write one of {choices}, or a template", "Write {near}"
    ),
}

_AGENT: Final[Mapping[str, Rule]] = {
    "flow-id-twice": Rule("another flow before it has the same id", "Choose another id"),
    "tool-id-twice": Rule("another tool before it has the same id", "Choose another id"),
    "tool-parameters": Rule(
        "{key} is no JSON Schema of an object", 'Write {{"type": "object", "properties": {{...}}}}'
    ),
    "condition-name-reserved": Rule("its name has a meaning of its own", "Choose another name"),
    "variable-is-field": Rule("a field has the same name", "Choose another name, or remove one of them"),
    "value-type": Rule("{key} is {shown}, but the type is {type}", "Write a value of that type"),
    "enum-empty": Rule("{key} allows no value", "Add a value, or remove the list"),
    "unknown-timezone": Rule("{key} is {shown}, which is no time zone", 'Write an IANA name, as "America/Sao_Paulo"'),
    "compare-path": Rule(
        "{key} is {shown}, which is no path", 'Write `data.`, `context.` or `input.` and a name, as "context.lead.name"'
    ),
    "definition": Rule("{key}: {what}", "{fix}"),
}

_EXPRESSIONS: Final[Mapping[str, Rule]] = {
    f"expression-{code}": Rule(f"{{key}}: {rule.what}", rule.fix, rule.near) for code, rule in EXPRESSION_RULES.items()
}

_WARNINGS: Final[Mapping[str, Rule]] = {
    "jumps-back": _warning(
        "{key} leads back to {name} and clears nothing, so what is known stays known",
        "Add `clear` with the fields to ask again",
    ),
    "collect-unguided": _warning(
        "the model is not told how to ask for {names}",
        "Add a `prompt`, a `question`, or an `ask` on the step or the field",
    ),
    "never-collected": _warning(
        "{key} names {name}, which is only heard when it was asked for, and no step collects it",
        'Collect it in a step, or set the field to "extract": "anywhere"',
    ),
    "answer-unheard": _warning(
        "{name} is only heard when it was asked for, and the step gives up before the answer comes",
        'Set `maxAsks` to 2 or more, or the field to "extract": "anywhere"',
    ),
    "step-unreachable": _warning("no path leads to it", "Lead a step to it, or remove it"),
    "endless-cycle": _warning(
        "from here it only goes round in a circle that never talks, waits or ends", "Put a wait in it, or a way out"
    ),
    "only-by-hand": _warning(
        "no trigger and no other flow starts it", "Add a trigger, unless it is only started by hand (`start`)"
    ),
    "template-unknown-field": _warning(
        "{key} names {name}, no field or variable, so the customer may read the placeholder",
        "Declare it on the agent",
        "Write {near}",
    ),
    "template-unknown-root": _warning(
        "{key} holds the placeholder {name}, which nothing fills",
        "Begin it with `data.`, `context.` or `input.`",
        "Write {near}",
    ),
    "phrases-shared": _warning(
        "{key} shares {names} with a message trigger of the flow {flow}, so one message starts both",
        "Keep the phrases of a mention apart from those that route",
    ),
    "silence-always": _warning(
        "it nudges again and again until the customer answers", 'Use {{"cooldown": "24h"}}, or "once"'
    ),
    "unknown-key": _warning(
        "{key} has no meaning here, so nothing reads it", "Remove it", "Write {near}, or remove it"
    ),
    "separator-in-id": _warning(
        "its id holds `:` or `#`, which separate the engine's keys", "Use only a-z, 0-9, `_` and `-`"
    ),
    "condition-argument": _warning(
        "{key} is {shown}, but the condition takes the type {type}", "Write a value of that type"
    ),
}

RULES: Final[Mapping[str, Rule]] = {**_JSON, **_NAMES, **_FLOW, **_AGENT, **_EXPRESSIONS, **_WARNINGS}
"""By code, a stable slug."""
