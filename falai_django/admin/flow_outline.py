"""A flow to read: how it starts and its steps, each in a line, and where each leads (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.admin.draft_view import DraftView
from falai_django.differences import Labels, summary
from falai_django.differences.words import condition, quoted, target
from falai_django.documents import row_spec
from falai_django.models import Step, Trigger
from falai_engine.flows import END

__all__ = ["Line", "Way", "flow_lines"]

_ENDS_WITHOUT_ELSE: Final = frozenset({Step.Kind.IF, Step.Kind.WAIT_EVENT})
"""Kinds that end the flow when what they ask for does not hold, unless `else` says otherwise."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where a step leads: `when` (empty: by itself), the words, and the step of this flow that it is, if it is one."""

    when: str
    to: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A trigger or step. `name`: what people call it, empty when nobody gave it a name."""

    row: Any
    number: int
    name: str
    kind: str
    told: str
    ways: tuple[Way, ...]
    problems: int
    is_first: bool
    is_last: bool


def flow_lines(view: DraftView, rows: Sequence[Any]) -> list[Line]:
    """The triggers or the steps of a flow, in their order."""
    counts = view.problem_counts()
    return [
        Line(
            row=row,
            number=index + 1,
            name=row.label or (row.step_id if isinstance(row, Step) else ""),
            kind=str(row.get_kind_display()),
            told=summary(row.kind, row_spec(row), view.labels),
            ways=() if isinstance(row, Trigger) else tuple(_ways(row, view.labels, rows)),
            problems=counts.get((type(row), row.pk), 0),
            is_first=index == 0,
            is_last=index == len(rows) - 1,
        )
        for index, row in enumerate(rows)
    ]


def _ways(step: Step, labels: Labels, steps: Sequence[Any]) -> Iterator[Way]:
    there = {each.step_id for each in steps}
    for way in _told_ways(step, labels, steps):
        yield way if way.step in there else replace(way, step="")


def _told_ways(step: Step, labels: Labels, steps: Sequence[Any]) -> Iterator[Way]:
    """As the step tells them, whether there is such a step or not."""
    spec, following = row_spec(step), steps[steps.index(step) + 1 :]
    branches = spec.get("branches")
    for branch in branches if isinstance(branches, list) else ():
        if isinstance(branch, Mapping) and branch.get("then") is not None:
            yield _way(_asked(branch, labels), branch["then"], labels)
    yield _way(_by_itself(step), spec.get("then") or _next(following), labels)
    if spec.get("onFail") is not None:
        yield _way(_("if it fails"), spec["onFail"], labels)
    if spec.get("else") is not None or step.kind in _ENDS_WITHOUT_ELSE:
        yield _way(_("otherwise"), spec.get("else") or END, labels)


def _by_itself(step: Step) -> str:
    """When a step goes on, where that is no matter of course."""
    told = {str(Step.Kind.IF): _("if so"), str(Step.Kind.WAIT_EVENT): _("when it happens")}
    return told.get(step.kind, "")


def _asked(branch: Mapping[str, Any], labels: Labels) -> str:
    if branch.get("when") is None and branch.get("if") is None:
        return _("never")
    if branch.get("when") is not None:
        return _("when the customer %(does)s") % {"does": quoted(branch["when"])}
    return _("if %(condition)s") % {"condition": condition(branch.get("if"), labels)}


def _next(following: Sequence[Any]) -> Any:
    return following[0].step_id if following else END


def _way(when: str, to: Any, labels: Labels) -> Way:
    step = to.get("step") if isinstance(to, Mapping) else to
    return Way(when, target(to, labels), step if isinstance(step, str) and step != END else "")
