"""Actions and tools of kind http, bound for the agents of a tenant (spec: flow-spec.md, action and tool; host.md 6).

Their secrets are read once, when an agent is compiled; each save of one raises the tenant's `config_version`, so the
next turn of every process has the new one. A secret that is missing or cannot be read fails the calls that need it, and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from falai_django.encryption import decrypt
from falai_django.errors import EncryptionError, OutgoingError
from falai_django.models import Secret, Tenant
from falai_django.outgoing.handlers import http_action, http_tool
from falai_django.outgoing.secret_values import SecretOf, SecretValue, no_secrets
from falai_django.outgoing.shares import send_for
from falai_django.rows import rows
from falai_engine import Action, Tool

__all__ = ["HttpKinds", "declared_of", "http_kinds", "secret_names", "secrets_of"]

_HTTP: Final = "http"
# No registered Python name begins like this, so that none is taken for another.
_NAME: Final = "falai.http:{}".format


@dataclass(frozen=True, slots=True)
class HttpKinds:
    """`document` names `actions` and `tools` by the names that they have here."""

    document: Mapping[str, Any]
    actions: Mapping[str, Action]
    tools: Mapping[str, Tool]


def http_kinds(document: Mapping[str, Any], tenant: Tenant) -> HttpKinds:
    """The handlers of an agent document. At most one query. OutgoingError for a definition that cannot be."""
    actions: Mapping[str, Any] = document.get("actions") or {}
    tools = document.get("tools") or ()
    mine = {name: spec for name, spec in actions.items() if _is_http(spec)}
    my_tools = [spec for spec in tools if _is_http(spec)]
    if not mine and not my_tools:
        return HttpKinds(document, {}, {})
    secret_of = secrets_of(tenant, {name for spec in (*mine.values(), *my_tools) for name in secret_names(spec)})
    named = {
        **document,
        "actions": {name: _named(spec, name) if name in mine else spec for name, spec in actions.items()},
        "tools": [_named(spec, spec["id"]) if _is_http(spec) else spec for spec in tools],
    }
    how = (secret_of, declared_of(document), send_for(tenant.pk))
    return HttpKinds(
        named,
        {_NAME(name): http_action(name, spec, *how) for name, spec in mine.items()},
        {_NAME(spec["id"]): http_tool(spec, *how) for spec in my_tools},
    )


def declared_of(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The fields and variables of an agent document, by name."""
    parts = (document.get("fields") or {}, document.get("variables") or {})
    return {name: spec for part in parts for name, spec in part.items()}


def secrets_of(tenant: Tenant, names: set[str]) -> SecretOf:
    """The secrets of these names, read now; asking for one that no key of the site reads raises OutgoingError."""
    if not names:
        return no_secrets
    found = {row.name: _opened(row) for row in rows(Secret).filter(tenant=tenant, name__in=names)}

    def secret_of(name: str) -> SecretValue | None:
        return found[name]() if name in found else None

    return secret_of


def _opened(row: Secret) -> Callable[[], SecretValue]:
    try:
        value = SecretValue(row.name, decrypt(row.ciphertext), tuple(map(str, row.allowed_hosts)))
    except EncryptionError as error:
        return _failing(row.name, str(error))
    return lambda: value


def _failing(name: str, why: str) -> Callable[[], SecretValue]:
    def fail() -> SecretValue:
        raise OutgoingError("refused", f"{name}: {why}")

    return fail


def _is_http(spec: Any) -> bool:
    return isinstance(spec, Mapping) and spec.get("kind") == _HTTP


def _named(spec: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**spec, "name": _NAME(name)}


def secret_names(spec: Mapping[str, Any]) -> Iterator[str]:
    """The secrets that a definition of kind http names."""
    request = spec.get("request")
    secrets = request.get("secrets") if isinstance(request, Mapping) else None
    if isinstance(secrets, Mapping):
        yield from map(str, secrets)
