"""What a flow may name (spec: flow-spec.md, `validate_flow`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import Field, Variable
from falai_engine.registry import Action, ConditionDefinition, Event
from falai_engine.spec.declarations import EVENT, FIELD, VARIABLE
from falai_engine.spec.rows import Shape

__all__ = ["Known", "Registries"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Registries:
    """All the names of an agent. `conditions` as a mapping tells their arguments too.

    `flows` None: the agent's flows are not known, so targets of chains are not checked.
    """

    fields: Mapping[str, Field] = field(default_factory=dict)
    actions: Mapping[str, Action] = field(default_factory=dict)
    events: Mapping[str, Event] = field(default_factory=dict)
    conditions: Mapping[str, ConditionDefinition] | Collection[str] = ()
    tools: Collection[str] = ()
    flows: Collection[str] | None = None
    variables: Mapping[str, Variable] = field(default_factory=dict)

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Registries:
        """The names of an agent document, or of one that lists `conditions`, `tools` and `flows` by name alone.

        Lenient, so that one bad declaration does not make its name unknown everywhere. Values that are dataclasses
        already are taken as they are. FlowConfigurationError when it is no object.
        """
        if not isinstance(spec, Mapping):
            raise FlowConfigurationError("registries", "they are not an object", "Write a JSON object")
        flows = spec.get("flows")
        return cls(
            fields=_members(spec.get("fields"), _reader(FIELD, Field(""))),
            actions=_members(spec.get("actions"), _action),
            events=_members(spec.get("events"), _reader(EVENT, Event())),
            conditions=_members(spec.get("conditions"), _condition),
            tools=_ids(spec.get("tools")),
            flows=None if flows is None else _ids(flows),
            variables=_members(spec.get("variables"), _reader(VARIABLE, Variable(""))),
        )

    def joined(self, other: Registries) -> Registries:
        """The names of both; on a clash the other's declaration counts."""
        return Registries(
            fields={**self.fields, **other.fields},
            actions={**self.actions, **other.actions},
            events={**self.events, **other.events},
            conditions={**_definitions(self.conditions), **_definitions(other.conditions)},
            tools=(*self.tools, *other.tools),
            flows=None if self.flows is None and other.flows is None else (*(self.flows or ()), *(other.flows or ())),
            variables={**self.variables, **other.variables},
        )


def _definitions(
    conditions: Mapping[str, ConditionDefinition] | Collection[str],
) -> Mapping[str, ConditionDefinition]:
    return conditions if isinstance(conditions, Mapping) else {name: _condition(None) for name in conditions}


def _members(value: Any, read: Callable[[Any], T]) -> dict[str, T]:
    if isinstance(value, Mapping):
        return {name: read(member) for name, member in value.items()}
    return {name: read(None) for name in _ids(value)}


def _ids(value: Any) -> tuple[str, ...]:
    """The names in a list of names, of objects or of values with an `id`."""
    items = list(value) if isinstance(value, (list, tuple, set, frozenset, Mapping)) else []
    ids = (item.get("id") if isinstance(item, Mapping) else getattr(item, "id", item) for item in items)
    return tuple(name for name in ids if isinstance(name, str))


def _reader(shape: Shape[T], unreadable: T) -> Callable[[Any], T]:
    def read(member: Any) -> T:
        if isinstance(member, type(unreadable)):
            return member
        readable = isinstance(member, Mapping) and shape.missing(member) is None
        return shape.read(member) if readable else unreadable

    return read


def _named_only(*_: Any) -> Any:
    raise FlowConfigurationError("registries", "a name was called that has no handler", "Register a handler for it")


def _action(member: Any) -> Action:
    if isinstance(member, Action):
        return member
    spec = member if isinstance(member, Mapping) else {}
    parameters, description = spec.get("parameters"), spec.get("description")
    return Action(
        _named_only,
        parameters if isinstance(parameters, Mapping) else {},
        description if isinstance(description, str) else None,
    )


def _condition(member: Any) -> ConditionDefinition:
    if isinstance(member, ConditionDefinition):
        return member
    argument = member.get("argument") if isinstance(member, Mapping) else None
    return ConditionDefinition(_named_only, argument if isinstance(argument, Mapping) else None)


@dataclass(frozen=True, slots=True)
class Known:
    """Registries made ready for many look-ups; `data` is what lives in `session.data`: fields and variables."""

    fields: Mapping[str, Field]
    data: Mapping[str, Field | Variable]
    actions: Mapping[str, Action]
    events: Collection[str]
    conditions: Collection[str]
    arguments: Mapping[str, Mapping[str, Any]]
    tools: Collection[str]
    flows: Collection[str] | None

    @classmethod
    def of(cls, registries: Registries) -> Known:
        conditions = registries.conditions
        return cls(
            fields=registries.fields,
            data={**registries.variables, **registries.fields},
            actions=registries.actions,
            events=registries.events,
            conditions=frozenset(conditions),
            arguments=_arguments(conditions) if isinstance(conditions, Mapping) else {},
            tools=frozenset(registries.tools),
            flows=None if registries.flows is None else frozenset(registries.flows),
        )


def _arguments(conditions: Mapping[str, ConditionDefinition]) -> dict[str, Mapping[str, Any]]:
    """By condition, the type of its argument, where it says one. A bare handler says none."""
    types = ((name, getattr(definition, "argument", None)) for name, definition in conditions.items())
    return {name: type_ for name, type_ in types if isinstance(type_, Mapping)}
