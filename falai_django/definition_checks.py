"""The host's look at what flow-spec.md leaves to it: registered Python names, HTTP requests (`DefinitionCheck`)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from falai_django.built_in_actions import BUILT_IN_ACTIONS
from falai_django.models import Secret
from falai_django.outgoing.findings import KnownNames
from falai_django.outgoing.validation import http_check
from falai_django.registry import Kind, registered
from falai_django.rows import rows
from falai_engine.validation import Definition, DefinitionCheck

__all__ = ["DefinitionFinding", "definition_checks", "python_names"]

_KINDS: Final = {"action": Kind.ACTION, "condition": Kind.CONDITION, "tool": Kind.TOOL}


@dataclass(frozen=True, slots=True)
class DefinitionFinding:
    """One thing that is wrong with a definition; `path` below it (`falai_engine.validation.Finding`)."""

    path: str
    what: str
    fix: str


def definition_checks(tenant: str, document: Mapping[str, Any] | None = None) -> Mapping[str, DefinitionCheck]:
    """What `validate_agent_all` is given as `checks` for the agents of a tenant (its slug).

    With the `document` that is judged, HTTP definitions are held against its fields, the tenant's secrets (one query,
    when there is one to look at) and what may be reached; without, only against their own form: a running agent goes
    on when a secret is gone, and the calls that need it say so.
    """
    return {"python": partial(_python, tenant), "http": _http(tenant, document)}


def python_names(kind: Kind | str, tenant: str) -> list[str]:
    """The names that a definition of kind `python` may have in a tenant, sorted; built-in actions last."""
    built_in = [str(action.name) for action in BUILT_IN_ACTIONS.values()] if kind == Kind.ACTION else []
    return [*registered(kind, tenant), *built_in]


def _python(tenant: str, definition: Definition) -> Iterator[DefinitionFinding]:
    name = definition.spec.get("name") or definition.name
    names = python_names(_KINDS[definition.sort], tenant)
    if not isinstance(name, str) or name in names:
        return
    near = difflib.get_close_matches(name, names, 1)
    fix = (
        _("Write “%(near)s”, or register it in a module falai_registry") if near else _("Register it, or name another")
    )
    yield DefinitionFinding(
        "name",
        _("no Python code of this site is registered as “%(name)s” for this tenant") % {"name": name},
        fix % {"near": near[0]} if near else fix,
    )


def _http(tenant: str, document: Mapping[str, Any] | None) -> DefinitionCheck:
    if document is None:
        return http_check(reach=False)
    data = [name for part in ("fields", "variables") for name in _names(document.get(part))]
    secrets: Any = SimpleLazyObject(lambda: _secret_hosts(tenant))
    return http_check(KnownNames(data=data, secrets=secrets))


def _names(part: Any) -> list[str]:
    return [str(name) for name in part] if isinstance(part, Mapping) else []


def _secret_hosts(tenant: str) -> dict[str, list[str]]:
    """The names of a tenant's secrets, and the hosts that each goes to."""
    found = rows(Secret).filter(tenant__slug=tenant).values_list("name", "allowed_hosts")
    return {name: list(map(str, hosts)) for name, hosts in found}
