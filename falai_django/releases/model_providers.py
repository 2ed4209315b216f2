"""A tenant's ModelProvider rows as the one provider of its agents (spec: host.md section 1, providers.md)."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.credentials import OFFLINE, credential_of
from falai_django.errors import AgentUnavailableError
from falai_django.models import ModelProvider, Tenant
from falai_django.outgoing.providers import provider_transport
from falai_django.rows import rows
from falai_engine import FlowConfigurationError, Provider
from falai_engine.providers import make_provider

__all__ = ["SAMPLING_OPTIONS", "make_model_provider", "provider_of"]

SAMPLING_OPTIONS: Final = ("temperature", "top_p", "max_tokens", "stop", "timeout", "attempts", "extra_body")
"""What a row's `sampling` may say (`falai_engine.providers.settings`); where and as whom it asks are columns."""


def provider_of(tenant: Tenant) -> Provider:
    """The enabled rows in their order: one is itself, several are asked one after another. One query.

    AgentUnavailableError when there is none, or one cannot be made; EncryptionError when its key cannot be read.
    """
    enabled = rows(ModelProvider).filter(tenant=tenant, is_enabled=True).select_related("secret")
    providers = [make_model_provider(row) for row in enabled.order_by("position", "pk")]
    if not providers:
        raise AgentUnavailableError(
            _("%(tenant)s has no model that its agents could ask. Add a model provider, or enable one.")
            % {"tenant": tenant}
        )
    return providers[0] if len(providers) == 1 else make_provider("fallback", providers=providers)


def make_model_provider(row: ModelProvider) -> Provider:
    """The provider of one row, not connected yet. Raises as `provider_of`."""
    try:
        return make_provider(row.kind, **_options(row))
    except FlowConfigurationError as error:
        raise AgentUnavailableError(
            _("The model provider “%(provider)s” cannot be used: %(what)s. %(fix)s.")
            % {"provider": row, "what": error.what.rstrip("."), "fix": error.fix.rstrip(".")}
        ) from error


def _options(row: ModelProvider) -> dict[str, Any]:
    if row.kind == OFFLINE:
        return {}
    sampling = {name: value for name, value in row.sampling.items() if name in SAMPLING_OPTIONS}
    return {
        **sampling,
        "model": row.model or None,
        "base_url": row.base_url or None,
        "api_key": credential_of(row),
        "json_with_tools": row.json_with_tools or None,
        # A base URL leads nowhere that an action could not go.
        "transport": provider_transport(),
    }
