"""The models that a tenant's agents ask, in their order (spec: host.md section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editable import cleaned, set_values
from falai_django.authoring.editing import editing_tenant, went_live
from falai_django.authoring.row_problems import refused_at
from falai_django.errors import AgentUnavailableError, AuthoringError, EncryptionError, NotAllowedError, OutgoingError
from falai_django.models import ModelProvider, Tenant
from falai_django.outgoing.url import check_url
from falai_django.releases import SAMPLING_OPTIONS, make_model_provider
from falai_django.roles import Actor, Capability
from falai_django.rows import rows

__all__ = ["add_provider", "change_provider", "delete_provider", "order_providers"]

_VALUES: Final = frozenset(
    {"kind", "model", "base_url", "secret", "credential_env", "sampling", "json_with_tools", "is_enabled"}
)


def add_provider(actor: Actor, tenant: Tenant, **values: Any) -> ModelProvider:
    """A model to ask after all others. `values`: the row's columns; AuthoringError for one that cannot work."""
    with editing_tenant(actor, tenant, Capability.OWN, version=None) as fresh:
        last = rows(ModelProvider).filter(tenant=fresh).order_by("-position").first()
        row = ModelProvider(tenant=fresh, position=0 if last is None else last.position + 1)
        _keep(actor, row, values)
        record(actor, fresh, "provider.add", str(row))
        return row


def change_provider(actor: Actor, provider: ModelProvider, **values: Any) -> ModelProvider:
    """Other values for a provider; the next turn of every process asks it so."""
    with editing_tenant(actor, provider.tenant, Capability.OWN, version=None) as tenant:
        row = _stored(provider, tenant)
        changed = _keep(actor, row, values)
        record(actor, tenant, "provider.change", str(row), changed=sorted(changed))
        return row


def delete_provider(actor: Actor, provider: ModelProvider) -> None:
    """It is not asked any more."""
    with editing_tenant(actor, provider.tenant, Capability.OWN, version=None) as tenant:
        row = _stored(provider, tenant)
        name = str(row)
        row.delete()
        went_live(tenant)
        record(actor, tenant, "provider.delete", name)


def order_providers(actor: Actor, tenant: Tenant, keys: Sequence[int]) -> None:
    """The order in which they are asked: the keys of all of the tenant's providers."""
    with editing_tenant(actor, tenant, Capability.OWN, version=None) as fresh:
        stored = {row.pk: row for row in rows(ModelProvider).filter(tenant=fresh)}
        if sorted(keys) != sorted(stored):
            raise AuthoringError(_("The list of providers has changed meanwhile. Open it again and order it anew."))
        for position, key in enumerate(keys):
            stored[key].position = position
        rows(ModelProvider).bulk_update(stored.values(), ["position"])
        went_live(fresh)
        record(actor, fresh, "provider.order", ", ".join(str(stored[key]) for key in keys))


def _stored(provider: ModelProvider, tenant: Tenant) -> ModelProvider:
    row: ModelProvider | None = (
        rows(ModelProvider).filter(pk=provider.pk, tenant=tenant).select_related("secret").first()
    )
    if row is None:
        raise AuthoringError(_("This model provider is gone: somebody deleted it meanwhile."))
    return row


def _keep(actor: Actor, row: ModelProvider, values: dict[str, Any]) -> list[str]:
    """Set, judge and store the values; the names of those that changed."""
    before = (row.kind, row.base_url, row.credential_env)
    changed = set_values(row, cleaned(row, values, _VALUES))
    _assert_site_key(actor, row, before)
    _assert_sampling(row)
    _assert_reach(row)
    try:
        make_model_provider(row)
    except (AgentUnavailableError, EncryptionError) as error:
        raise refused_at(row, "", str(error)) from error
    row.save()
    went_live(row.tenant)
    return changed


def _assert_site_key(actor: Actor, row: ModelProvider, before: tuple[str, str, str]) -> None:
    """A key of the site is lent by a superuser, to the vendor that they chose."""
    if row.credential_env and not actor.is_superuser and before != (row.kind, row.base_url, row.credential_env):
        raise NotAllowedError(
            _("A key of the site's environment is set by a superuser alone, for the kind that it was set for.")
        )


def _assert_reach(row: ModelProvider) -> None:
    try:
        if row.base_url:
            check_url(row.base_url)
    except OutgoingError as error:
        raise refused_at(row, "base_url", capfirst(str(error))) from error


def _assert_sampling(row: ModelProvider) -> None:
    if not isinstance(row.sampling, dict):
        raise refused_at(row, "sampling", _("Sampling is a JSON object of options."))
    unknown = sorted(set(row.sampling) - set(SAMPLING_OPTIONS))
    if unknown:
        raise refused_at(
            row,
            "sampling",
            _("There is no option “%(name)s”. Options are %(options)s.")
            % {"name": unknown[0], "options": ", ".join(SAMPLING_OPTIONS)},
        )
