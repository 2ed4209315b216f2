"""What Python code brings to the agents of a site: actions, conditions, tools, senders, context providers.

A module `falai_registry` of any installed app holds them; it is found when the site starts (spec: host.md section 1):

    from falai_django.registry import action

    @action("crm.save", parameters={"name": {"type": "string"}}, idempotent=True, tenants=["acme"])
    def save(params, call):
        ...

Rows name a registration by its name, and get it only in the tenants that it is for: what is offered, imported, compiled
and called all asks here. Handlers are those of `falai_engine.registry`. Async ones are run for the synchronous host.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, wraps
from typing import Any, Final, TypedDict, TypeVar, Unpack

from asgiref.sync import async_to_sync
from django.utils.translation import gettext as _

from falai_django.errors import RegistrationError
from falai_engine import Action, ConditionDefinition, Tool

__all__ = [
    "Kind",
    "Registration",
    "action",
    "condition",
    "context_provider",
    "isolated",
    "registered",
    "registration",
    "sender",
    "tool",
]

F = TypeVar("F", bound=Callable[..., Any])


class ToolParts(TypedDict, total=False):
    """What a tool may say beside its name, its parameters and its description; as in `falai_engine.Tool`."""

    read_only: bool
    destructive: bool
    concurrency_safe: bool | None
    idempotent: bool
    max_result_size_chars: int | None
    validate: Callable[..., Any] | None
    permit: Callable[..., Any] | None


class Kind(StrEnum):
    """What a registration is."""

    ACTION = "action"
    CONDITION = "condition"
    TOOL = "tool"
    SENDER = "sender"
    CONTEXT_PROVIDER = "context_provider"


@dataclass(frozen=True, slots=True)
class Registration:
    """One name of one kind; `value` is what the engine takes (Action, ConditionDefinition, Tool) or a function.

    `tenants`: slugs of those that may use it, None for all. `place`: where it stands, for people.
    """

    kind: Kind
    name: str
    value: Any
    tenants: frozenset[str] | None
    description: str
    place: str

    def is_for(self, tenant: str) -> bool:
        """Whether a tenant, by its slug, may use it."""
        return self.tenants is None or tenant in self.tenants


_registrations: dict[tuple[Kind, str], Registration] = {}
# What flow-spec.md says itself where a condition may be named.
_OWN_CONDITIONS: Final = frozenset({"equals", "known", "silenced"})
# The app's own names, as those of built_in_actions.
_RESERVED: Final = "falai."


def action(
    name: str | None = None,
    *,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    description: str | None = None,
    idempotent: bool = False,
    tenants: Collection[str] | None = None,
) -> Callable[[F], F]:
    """Register `handler(params, call)` under a name, by default its own (`falai_engine.Action`).

    `parameters` (flow-spec.md, params; None: any) are offered where an action is made of it. `idempotent`: it may run
    again after a crash. Raises RegistrationError for a name that is taken, as the other decorators do.
    """

    def value(handler: F, text: str, _name: str) -> Action:
        return Action(_synchronous(handler), parameters, text or None, idempotent=idempotent)

    return _decorator(Kind.ACTION, name, description, tenants, value)


def condition(
    name: str | None = None,
    *,
    argument: Mapping[str, Any] | None = None,
    description: str | None = None,
    tenants: Collection[str] | None = None,
) -> Callable[[F], F]:
    """Register `handler(argument, scope)`, which returns whether it holds (`falai_engine.ConditionDefinition`).

    Conditions are pure: no I/O, so none is async. `argument` describes the type of what an author gives it.
    """

    def value(handler: F, text: str, _name: str) -> ConditionDefinition:
        if _is_async(handler):
            raise RegistrationError(
                _("%(place)s is async, but a condition does no I/O. Have it judge `scope.context` in a plain function.")
                % {"place": _place(handler)}
            )
        return ConditionDefinition(handler, argument, text or None)

    return _decorator(Kind.CONDITION, name, description, tenants, value)


def tool(
    name: str | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    description: str | None = None,
    tenants: Collection[str] | None = None,
    **more: Unpack[ToolParts],
) -> Callable[[F], F]:
    """Register `handler(arguments, request)`, which the model may call (`falai_engine.Tool`, which has `more`, too).

    `parameters` is a JSON Schema object.
    """

    def value(handler: F, text: str, own_name: str) -> Tool:
        parts: dict[str, Any] = {
            key: _synchronous(part) if callable(part) else part for key, part in more.items() if part is not None
        }
        if parameters is not None:
            parts["parameters"] = parameters
        return Tool(id=own_name, handler=_synchronous(handler), description=text, **parts)

    return _decorator(Kind.TOOL, name, description, tenants, value)


def sender(
    name: str | None = None, *, description: str | None = None, tenants: Collection[str] | None = None
) -> Callable[[F], F]:
    """Register a way for messages to leave (a Sender of kind `python` names it)."""
    return _decorator(Kind.SENDER, name, description, tenants, _function)


def context_provider(
    name: str | None = None, *, description: str | None = None, tenants: Collection[str] | None = None
) -> Callable[[F], F]:
    """Register what adds fresh values to the context of every turn."""
    return _decorator(Kind.CONTEXT_PROVIDER, name, description, tenants, _function)


def registered(kind: Kind | str, tenant: str) -> dict[str, Registration]:
    """All of a kind that a tenant (its slug) may use, by name, in the order of names."""
    found = [each for each in _registrations.values() if each.kind == kind and each.is_for(tenant)]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def registration(kind: Kind | str, name: str, tenant: str) -> Registration:
    """One by its name. RegistrationError, which names it, when there is none that the tenant may use."""
    found = _registrations.get((Kind(kind), name))
    if found is None or not found.is_for(tenant):
        raise RegistrationError(
            _(
                "No Python %(kind)s “%(name)s” is registered for this tenant. Register it in a module "
                "falai_registry, or name another."
            )
            % {"kind": Kind(kind), "name": name}
        )
    return found


@contextmanager
def isolated(*, empty: bool = False) -> Iterator[None]:
    """For tests: what is registered within is forgotten behind it. `empty`: what was there before is not seen."""
    before = dict(_registrations)
    if empty:
        _registrations.clear()
    try:
        yield
    finally:
        _registrations.clear()
        _registrations.update(before)


def _decorator(
    kind: Kind,
    name: str | None,
    description: str | None,
    tenants: Collection[str] | None,
    value: Callable[[F, str, str], Any],
) -> Callable[[F], F]:
    if name is not None and not isinstance(name, str):
        raise RegistrationError(
            _("A decorator of falai_django.registry stands without its brackets. Write @%(kind)s().") % {"kind": kind}
        )
    if isinstance(tenants, str):
        raise RegistrationError(_("`tenants` is one text. Give a list of slugs: [“%(slug)s”].") % {"slug": tenants})

    def register(handler: F) -> F:
        own_name = handler.__name__ if name is None else name
        text = inspect.cleandoc(handler.__doc__ or "") if description is None else description
        only = None if tenants is None else frozenset(tenants)
        _add(Registration(kind, own_name, value(handler, text, own_name), only, text, _place(handler)))
        return handler

    return register


def _add(new: Registration) -> None:
    is_word = new.kind is Kind.CONDITION and new.name in _OWN_CONDITIONS
    if is_word or not new.name.strip() or new.name.startswith(_RESERVED):
        raise RegistrationError(
            _("%(place)s: a %(kind)s cannot be called “%(name)s”. Give it another name.")
            % {"place": new.place, "kind": new.kind, "name": new.name}
        )
    old = _registrations.get((new.kind, new.name))
    # The same place comes again when its module is loaded anew.
    if old is not None and old.place != new.place:
        raise RegistrationError(
            _("Two of kind %(kind)s are called “%(name)s”: %(old)s and %(new)s. Give one of them another name.")
            % {"kind": new.kind, "name": new.name, "old": old.place, "new": new.place}
        )
    _registrations[new.kind, new.name] = new


def _place(handler: Any) -> str:
    """`shop.falai_registry.save (/srv/shop/falai_registry.py:12)`."""
    plain = inspect.unwrap(handler)
    while isinstance(plain, partial):
        plain = inspect.unwrap(plain.func)
    code = getattr(plain, "__code__", None)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    where = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
    return f"{getattr(plain, '__module__', '?')}.{name}{where}"


def _is_async(handler: Any) -> bool:
    """Also for an object that is called like a function."""
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


def _function(handler: F, _text: str, _name: str) -> Callable[..., Any]:
    return _synchronous(handler)


def _synchronous(handler: Callable[..., Any]) -> Callable[..., Any]:
    """The handler as the synchronous host calls it."""
    if not _is_async(handler):
        return handler
    called = async_to_sync(handler)

    @wraps(handler)
    def call(*args: Any, **kwargs: Any) -> Any:
        return called(*args, **kwargs)

    return call
