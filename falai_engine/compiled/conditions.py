"""Conditions, bound once and judged in order (spec: engine.md section 11).

`equals`, `known` and `silenced` are ours; any other key is a registered condition, a plain or async function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from falai_engine.errors import FlowConfigurationError
from falai_engine.registry import ConditionDefinition, ConditionScope
from falai_engine.values import MISSING, is_known, json_equal

__all__ = ["OWN_CONDITIONS", "Condition", "OwnTest", "RegisteredTest", "bind_condition", "is_async"]

OwnTest: TypeAlias = Callable[[Mapping[str, Any], bool], bool]
"""`(data, silenced) -> holds`"""


@dataclass(frozen=True, slots=True)
class RegisteredTest:
    """A host's condition with its argument."""

    name: str
    handler: Callable[[ConditionScope], Any]


@dataclass(frozen=True, slots=True)
class Condition:
    """All tests must hold; the first that does not ends the judging."""

    tests: tuple[OwnTest | RegisteredTest, ...]


def is_async(value: object) -> bool:
    """Whether a handler's answer still has to be awaited."""
    return inspect.isawaitable(value)


def _equals(argument: Mapping[str, Any]) -> OwnTest:
    wanted = tuple(argument.items())
    return lambda data, silenced: all(json_equal(data.get(slug, MISSING), value) for slug, value in wanted)


def _known(argument: Any) -> OwnTest:
    slugs = tuple(argument)
    return lambda data, silenced: all(is_known(data.get(slug)) for slug in slugs)


def _silenced(argument: Any) -> OwnTest:
    return lambda data, silenced: silenced is argument


OWN_CONDITIONS: Final[Mapping[str, Callable[[Any], OwnTest]]] = {
    "equals": _equals,
    "known": _known,
    "silenced": _silenced,
}


def _unknown(name: str) -> RegisteredTest:
    def refuse(_scope: ConditionScope) -> bool:
        raise FlowConfigurationError(
            f'condition "{name}"', "no condition of this name is registered", "Register it with the agent or rename it"
        )

    return RegisteredTest(name, refuse)


def _registered(name: str, argument: Any, registry: Mapping[str, ConditionDefinition]) -> RegisteredTest:
    definition = registry.get(name)
    if definition is None:
        return _unknown(name)
    handler = definition.handler
    return RegisteredTest(name, lambda scope: handler(argument, scope))


def bind_condition(
    condition: Mapping[str, Any] | Callable[[ConditionScope], Any] | None,
    registry: Mapping[str, ConditionDefinition],
) -> Condition | None:
    """A condition ready to judge, None for none; a null-valued key is skipped, an unknown name raises when reached."""
    if condition is None:
        return None
    if not isinstance(condition, Mapping):
        return Condition((RegisteredTest(getattr(condition, "__name__", "predicate"), condition),))
    return Condition(
        tuple(
            OWN_CONDITIONS[name](argument) if name in OWN_CONDITIONS else _registered(name, argument, registry)
            for name, argument in condition.items()
            if argument is not None
        )
    )
