"""What the pickers of a form offer: the names of one agent and one flow, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from falai_django.forms.scalars import Option

__all__ = ["ActionName", "ConditionName", "FieldName", "Named", "Names"]

_EXCERPT = 40


@dataclass(frozen=True, slots=True)
class Named:
    """A name, and what people call it or read about it."""

    name: str
    label: str = ""

    @property
    def option(self) -> Option:
        return self.name, f"{self.label} ({self.name})" if self.label and self.label != self.name else self.name


@dataclass(frozen=True, slots=True)
class FieldName(Named):
    """A field or variable. `type` is one of the scalar types, None when it is not known."""

    type: str | None = None
    enum: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class ActionName(Named):
    """An action; `parameters` in the shape of flow-spec.md's `params`."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True, slots=True)
class ConditionName(Named):
    """A registered condition; `argument` is flow-spec.md's `{type, items?}`, empty when nothing was declared."""

    argument: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Names:
    """All that the pickers offer (spec: ux.md). `steps` are those of the flow, in order.

    `python` are the names registered in Python, by sort: action, condition, tool. `secrets` are those of the tenant.
    """

    fields: Sequence[FieldName] = ()
    variables: Sequence[FieldName] = ()
    flows: Sequence[Named] = ()
    steps: Sequence[Named] = ()
    actions: Sequence[ActionName] = ()
    events: Sequence[Named] = ()
    conditions: Sequence[ConditionName] = ()
    tools: Sequence[Named] = ()
    python: Mapping[str, Sequence[str]] = field(default_factory=dict)
    secrets: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        document: Any,
        flow_id: str | None = None,
        *,
        step_labels: Mapping[str, str] | None = None,
        python: Mapping[str, Sequence[str]] | None = None,
        secrets: Sequence[str] = (),
    ) -> Names:
        """The names in an agent document, however broken it is; `step_labels` by step id go before those in it."""
        agent = _object(document)
        flows = [flow for flow in _list(agent.get("flows")) if isinstance(flow, Mapping)]
        flow = next((flow for flow in flows if flow_id is not None and flow.get("id") == flow_id), {})
        return cls(
            fields=tuple(_fields(agent.get("fields"))),
            variables=tuple(_fields(agent.get("variables"))),
            flows=tuple(Named(each["id"], _text(each.get("name"))) for each in flows if _text(each.get("id"))),
            steps=tuple(_steps(_list(flow.get("steps")), step_labels or {})),
            actions=tuple(_actions(agent.get("actions"))),
            events=tuple(Named(name, _text(spec.get("label"))) for name, spec in _specs(agent.get("events"))),
            conditions=tuple(
                ConditionName(name, _text(spec.get("label")), _object(spec.get("argument")))
                for name, spec in _specs(agent.get("conditions"))
            ),
            tools=tuple(_tools(_list(agent.get("tools")))),
            python=python or {},
            secrets=secrets,
        )

    @property
    def data(self) -> Sequence[FieldName]:
        """What conditions and `clear` may name: fields and variables."""
        return (*self.fields, *self.variables)

    def datum(self, name: str) -> FieldName | None:
        """The field or variable of this name."""
        return next((each for each in self.data if each.name == name), None)

    def action(self, name: str) -> ActionName | None:
        return next((each for each in self.actions if each.name == name), None)

    def condition(self, name: str) -> ConditionName | None:
        return next((each for each in self.conditions if each.name == name), None)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _specs(registry: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, spec in _object(registry).items():
        if name and isinstance(name, str):
            yield name, _object(spec)


def _fields(registry: Any) -> Iterator[FieldName]:
    for name, spec in _specs(registry):
        enum = tuple(_list(spec.get("enum")))
        yield FieldName(name, _text(spec.get("label")), _text(spec.get("type")) or None, enum)


def _actions(registry: Any) -> Iterator[ActionName]:
    for name, spec in _specs(registry):
        parameters = {key: _object(each) for key, each in _specs(spec.get("parameters"))}
        yield ActionName(name, _text(spec.get("label")), parameters, _text(spec.get("description")))


def _tools(tools: Sequence[Any]) -> Iterator[Named]:
    for tool in map(_object, tools):
        if _text(tool.get("id")):
            yield Named(tool["id"], _text(tool.get("label")))


def _steps(steps: Sequence[Any], labels: Mapping[str, str]) -> Iterator[Named]:
    for number, step in enumerate(map(_object, steps), 1):
        step_id = _text(step.get("id"))
        if step_id:
            told = labels.get(step_id) or _text(step.get("label")) or _excerpt(step) or step_id
            yield Named(step_id, f"{number}. {told}")


def _excerpt(step: Mapping[str, Any]) -> str:
    """The first words of what a step without a label says."""
    said = next((text for key in ("say", "question", "prompt", "do") if (text := _text(step.get(key)).strip())), "")
    return said if len(said) <= _EXCERPT else said[:_EXCERPT].rstrip() + "…"
