"""Where a step leads (spec: flow-spec.md, `next`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from falai_django.forms.lists import Picks
from falai_django.forms.names import Names
from falai_django.forms.objects import Alternative, Kept, Object, OneOf, Row
from falai_django.forms.part import Json, Label, Spot
from falai_django.forms.scalars import Choice, Option, Text
from falai_engine.flows import END
from falai_engine.values import MISSING

__all__ = ["next_part", "step_options"]

_CHOOSE_STEP: Final = _("Choose the step.")
_CHOOSE_FLOW: Final = _("Choose the flow.")


def step_options(names: Names) -> list[Option]:
    """The steps of the flow as people call them, in order."""
    return [(step.name, step.label or step.name) for step in names.steps]


@dataclass(frozen=True, kw_only=True)
class _StepChoice(Choice):
    """A step by its id, which may be written as text or as `{step}`; the notation stays."""

    def _can_show(self, value: Json) -> bool:
        return super()._can_show(value.get("step") if isinstance(value, Mapping) else value)

    def _inputs(self, value: Json) -> str:
        return super()._inputs(value["step"] if isinstance(value, Mapping) else value)

    def _compose(self, inputs: str, was: Json, spot: Spot) -> Json:
        step = super()._compose(inputs, was, spot)
        return {**was, "step": step} if isinstance(was, Mapping) and step is not MISSING else step


def _part_of(value: Json, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _is_step(value: Json) -> bool:
    if isinstance(value, str):
        return value not in ("", END)
    return isinstance(_part_of(value, "step"), str) and _part_of(value, "clear") is None and not _is_chain(value)


def _clears(value: Json) -> bool:
    return _part_of(value, "step") is not None and _part_of(value, "clear") is not None and not _is_chain(value)


def _is_chain(value: Json) -> bool:
    return _part_of(value, "flow") is not None


def _is_flow(value: Json) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("flow"), str) and value.get("step") is None


def _is_template(value: Json) -> bool:
    return _is_flow(value) and "{{" in value["flow"]


def next_part(names: Names, *, label: Label, none: Label = "", help: Label = "") -> OneOf:  # noqa: A002 - a part's word
    """The inputs of a target; `none` says what happens without one, "" where there must be one."""
    steps = step_options(names)
    alternatives = (
        Alternative(
            "step",
            _("Jump to a step"),
            _is_step,
            _StepChoice(label=_("Step"), options=steps, none=_("Choose a step…")),
            needed=_CHOOSE_STEP,
        ),
        Alternative("clear", _("Jump to a step and forget answers"), _clears, _clearing(names, steps)),
        Alternative("end", _("End the flow"), lambda value: value == END, value=END),
        Alternative(
            "flow",
            _("Continue in another flow"),
            lambda value: _is_flow(value) and not _is_template(value),
            _chain(Choice(label=_("Flow"), options=[flow.option for flow in names.flows], none=_("Choose a flow…"))),
            takes=_is_flow,
        ),
        Alternative(
            "template",
            _("Continue in the flow that a placeholder names"),
            _is_template,
            _chain(Text(label=_("Placeholder"), help=_("As {{data.next_flow}}: it must hold the name of a flow."))),
            takes=_is_flow,
        ),
    )
    return OneOf(label=label, help=help, none=none or _("Choose where it leads…"), alternatives=alternatives)


def _clearing(names: Names, steps: list[Option]) -> Object:
    fields = [each.option for each in names.data]
    return Object(
        rows=(
            Row(
                "step",
                Choice(label=_("Step"), options=steps, none=_("Choose a step…")),
                needed=_CHOOSE_STEP,
            ),
            Row("clear", Picks(label=_("Forget these answers, to ask again"), options=fields, keep_empty=True)),
        )
    )


def _chain(flow: Choice | Text) -> Object:
    return Object(
        rows=(
            Row("flow", flow, needed=_CHOOSE_FLOW),
            Row("input", Kept(label=_("What it is given"), quiet=True)),
        )
    )
