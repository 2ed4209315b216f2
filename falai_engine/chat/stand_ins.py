"""The functions behind a document's names: those that were brought, and stand-ins for the rest."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from falai_engine.document import Registrations
from falai_engine.registry import Action, ConditionDefinition, ConditionScope, Ok, Tool, ToolResult

__all__ = ["Staged", "stage"]

OWN_KINDS: Final = frozenset({"update_state", "compare"})
"""Kinds that the engine itself brings."""
_BODY: Final = frozenset({"kind", "name", "request", "answer"})

Notice = Callable[[str, str], None]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Staged:
    """A document whose names are all registered, each entry under its own name."""

    document: dict[str, Any]
    registrations: Registrations


def stage(document: Mapping[str, Any], brought: Registrations, notice: Notice) -> Staged:
    """Bind every action, tool and condition. `notice(sort, name)` is called whenever a stand-in runs.

    Entries lose what says where their function comes from, as in a scenario file, whose functions are scripts.
    """
    actions = document.get("actions") or {}
    tools = document.get("tools") or ()
    conditions = {**{name: {} for name in brought.conditions}, **(document.get("conditions") or {})}
    bound = Registrations(
        actions={name: _action(name, each, brought, notice) for name, each in actions.items() if _is_bound(each)},
        conditions={
            name: _condition(name, each, brought, notice) for name, each in conditions.items() if _is_bound(each)
        },
        tools={each["id"]: _tool(each, brought, notice) for each in tools if _is_bound(each)},
        business_hours=None if brought.business_hours is None else _settled(brought.business_hours),
    )
    entries = {
        "actions": {name: _bare(each) for name, each in actions.items()},
        "tools": [_bare(each) for each in tools],
        "conditions": {name: _bare(each) for name, each in conditions.items()},
    }
    return Staged({**document, **{key: each for key, each in entries.items() if each}}, bound)


def _is_bound(spec: Mapping[str, Any]) -> bool:
    return spec.get("kind") not in OWN_KINDS


def _bare(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in _BODY} if _is_bound(spec) else dict(spec)


def _action(name: str, spec: Mapping[str, Any], brought: Registrations, notice: Notice) -> Action:
    found = brought.actions.get(spec.get("name") or name)
    if found is not None:
        return replace(found, handler=_settled(found.handler))

    def answer_ok(_params: Mapping[str, Any], _call: Any) -> Ok:
        notice("action", name)
        return Ok()

    return Action(answer_ok)


def _condition(name: str, spec: Mapping[str, Any], brought: Registrations, notice: Notice) -> ConditionDefinition:
    found = brought.conditions.get(spec.get("name") or name)
    if found is not None:
        return replace(found, handler=_settled(found.handler))

    def hold_when_true(argument: Any, _scope: ConditionScope) -> bool:
        notice("condition", name)
        return argument is True

    return ConditionDefinition(hold_when_true)


def _tool(spec: Mapping[str, Any], brought: Registrations, notice: Notice) -> Tool:
    found = brought.tools.get(spec.get("name") or spec["id"])
    if found is not None:
        validate = None if found.validate is None else _settled(found.validate)
        permit = None if found.permit is None else _settled(found.permit)
        return replace(found, handler=_settled(found.handler), validate=validate, permit=permit)

    def answer_ok(_arguments: Mapping[str, Any], _request: Any) -> ToolResult:
        notice("tool", spec["id"])
        return ToolResult({"ok": True})

    return Tool(id=spec["id"], handler=answer_ok)


def _settled(function: Callable[P, Any]) -> Callable[P, Any]:
    """The function with what an async one gives awaited: the chat drives its turns synchronously."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        answer = function(*args, **kwargs)
        return asyncio.run(_awaited(answer)) if inspect.isawaitable(answer) else answer

    return call


async def _awaited(answer: Awaitable[T]) -> T:
    return await answer
