"""A release or a draft compiled for its tenant as it is now (spec: host.md section 2).

What shapes behaviour is in the document. Live are the tenant's providers, secrets, opening hours, holidays, locale and
time zone; each save of one raises the tenant's `config_version`, and so the next turn of every process sees it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from falai_django.built_in_actions import BUILT_IN_ACTIONS, with_built_in_actions
from falai_django.conf import settings
from falai_django.definition_checks import definition_checks
from falai_django.documents import document_locale, draft_document, upgrade_document
from falai_django.errors import AgentUnavailableError, FalaiError
from falai_django.models import Agent as AgentRow
from falai_django.models import Release, Tenant
from falai_django.registry import Kind, registered
from falai_django.releases.hours import opening_hours_of
from falai_django.releases.http_kinds import HttpKinds, http_kinds
from falai_django.releases.model_providers import provider_of
from falai_django.releases.shelf import Shelf
from falai_django.rows import rows, write_alias
from falai_engine import Agent, FlowConfigurationError, Provider, Registrations, agent_from_spec
from falai_engine.providers import make_provider
from falai_engine.validation import Definition, DefinitionCheck, Finding

__all__ = [
    "assert_compiles",
    "compile_draft",
    "compile_release",
    "document_digest",
    "forget_compiled",
    "unavailable_releases",
]

_shelf: Final = Shelf(lambda: settings().compiled_agents)


def compile_release(release: Release) -> Agent:
    """The agent of a release; from this process's shelf when it stands there as it is now.

    `release` comes with `agent__tenant`, read in the query that loads the session; its `document` may be deferred, and
    is read when it is needed. Hold the agent as long as its turn runs. AgentUnavailableError names what is missing.
    """
    tenant = release.agent.tenant
    version = (release.digest, tenant.config_version)

    def build() -> Agent:
        what = _("Release %(number)d of “%(agent)s”") % {"number": release.number, "agent": release.agent}
        return _built(release.document, tenant, what)

    return _shelf.get(("release", release.pk), version, build)


def compile_draft(agent: AgentRow) -> Agent:
    """The agent of a draft as it is now, with its enabled flows. Raises as `compile_release`."""
    with transaction.atomic(using=write_alias()):
        # Whoever writes the draft holds this lock, too: no half of a save is read.
        locked = rows(AgentRow).select_for_update(of=("self",), no_key=True).select_related("tenant").get(pk=agent.pk)
        document = draft_document(locked).document
    version = (document_digest(document), locked.tenant.config_version)
    what = _("The draft of “%(agent)s”") % {"agent": locked}
    return _shelf.get(("draft", agent.pk), version, lambda: _built(document, locked.tenant, what))


def assert_compiles(document: Mapping[str, Any], tenant: Tenant) -> None:
    """Build the agent of a document once, without its model; AgentUnavailableError says why that fails."""
    _built(document, tenant, _("It"), make_provider("offline"))


def forget_compiled() -> None:
    """Empty this process's shelf; the next turn compiles anew."""
    _shelf.clear()


def document_digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a document, in hex. The order of keys counts: fields and flows have one."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def unavailable_releases(agents: Iterable[AgentRow]) -> Iterator[tuple[AgentRow, str]]:
    """Those of the agents whose active release cannot be compiled now, and why. The rows come with their tenant."""
    for agent in agents:
        release = agent.active_release
        if release is None:
            continue
        # The row that is here already, with its tenant.
        release.agent = agent
        try:
            compile_release(release)
        except FalaiError as error:
            yield agent, str(error)


def _built(document: Mapping[str, Any], tenant: Tenant, what: str, provider: Provider | None = None) -> Agent:
    """Build it, for the tenant's providers unless one is given, with every reason why not in words."""
    try:
        upgraded = with_built_in_actions(upgrade_document(document))
        _assert_definitions(upgraded, tenant)
        http = http_kinds(upgraded, tenant)
        live = {**http.document, "locale": document_locale(tenant.locale), "timezone": tenant.time_zone}
        return agent_from_spec(
            live, provider=provider or provider_of(tenant), registrations=_registrations(tenant, http)
        )
    except FlowConfigurationError as error:
        raise _unavailable(what, f"{error.where}: {error.what}. {error.fix}.") from error
    except FalaiError as error:
        raise _unavailable(what, str(error)) from error


def _unavailable(what: str, why: str) -> AgentUnavailableError:
    return AgentUnavailableError(_("%(what)s cannot be used now. %(why)s") % {"what": what, "why": why})


def _registrations(tenant: Tenant, http: HttpKinds) -> Registrations:
    built_in = {str(action.name): action for action in BUILT_IN_ACTIONS.values()}
    found = {kind: _values(kind, tenant) for kind in (Kind.ACTION, Kind.CONDITION, Kind.TOOL)}
    return Registrations(
        actions={**found[Kind.ACTION], **built_in, **http.actions},
        conditions=found[Kind.CONDITION],
        tools={**found[Kind.TOOL], **http.tools},
        business_hours=opening_hours_of(tenant).business_hours,
    )


def _values(kind: Kind, tenant: Tenant) -> dict[str, Any]:
    return {name: each.value for name, each in registered(kind, tenant.slug).items()}


def _assert_definitions(document: Mapping[str, Any], tenant: Tenant) -> None:
    """Raise AgentUnavailableError with every definition that this site cannot run for the tenant."""
    checks = definition_checks(tenant.slug)
    problems = [
        f"{definition.sort} “{definition.name}”: {found.what}. {found.fix}."
        for definition in _definitions(document)
        for found in _findings(checks, definition)
    ]
    if problems:
        raise AgentUnavailableError(" ".join(problems))


def _findings(checks: Mapping[str, DefinitionCheck], definition: Definition) -> Iterable[Finding]:
    check = checks.get(definition.spec.get("kind") or "python")
    return () if check is None else check(definition)


def _definitions(document: Mapping[str, Any]) -> Iterator[Definition]:
    for name, spec in (document.get("actions") or {}).items():
        yield Definition("action", name, spec)
    for name, spec in (document.get("conditions") or {}).items():
        yield Definition("condition", name, spec)
    for spec in document.get("tools") or ():
        yield Definition("tool", str(spec.get("id")), spec)
