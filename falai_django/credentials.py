"""What opens a vendor's or a receiver's door: a Secret, which goes only to its hosts, or a variable of the environment.

Spec: host.md sections 1 and 6. What is given here is never written down: not in a release, a log, an error or a page.
"""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.encryption import decrypt
from falai_django.errors import AgentUnavailableError
from falai_django.models import ModelProvider, Secret
from falai_engine.providers.vendor import VENDORS

__all__ = ["OFFLINE", "credential_of", "host_of", "provider_host", "secret_value", "takes_a_key"]

OFFLINE: Final = "offline"
"""The kind that asks nobody."""


def secret_value(secret: Secret, host: str) -> str:
    """The value, for a request to that host. AgentUnavailableError for another host, EncryptionError for a lost key."""
    if host.lower() not in {str(each).lower() for each in secret.allowed_hosts}:
        raise AgentUnavailableError(
            _("The secret “%(name)s” does not go to %(host)s. Add that host to the secret, if it is meant for it.")
            % {"name": secret.name, "host": host or "?"}
        )
    return decrypt(secret.ciphertext)


def host_of(url: str) -> str:
    """The host that a URL leads to, in small letters; empty when it is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def takes_a_key(kind: str) -> bool:
    """Whether providers of that kind have a vendor that asks for a key."""
    return kind != OFFLINE and VENDORS[kind].needs_key


def provider_host(provider: ModelProvider) -> str:
    """The host that the provider's requests go to; empty when it has none."""
    vendor = VENDORS.get(provider.kind)
    return host_of(provider.base_url or (vendor.base_url if vendor is not None else None) or "")


def credential_of(provider: ModelProvider) -> str | None:
    """The API key that the provider's requests carry, None when it has none of its own.

    AgentUnavailableError when it may not be used or is not there, EncryptionError when no key of the site reads it.
    """
    if provider.credential_env:
        return _from_environment(provider)
    return None if provider.secret is None else secret_value(provider.secret, provider_host(provider))


def _from_environment(provider: ModelProvider) -> str:
    name = provider.credential_env
    vendor = VENDORS.get(provider.kind)
    if provider.base_url or vendor is None or vendor.base_url is None:
        # A key of the whole site would else go wherever the owner of one tenant writes.
        raise AgentUnavailableError(
            _("A key of the environment goes to the vendor's own address only. Leave the base URL empty.")
        )
    if name not in settings().credential_env:
        raise AgentUnavailableError(_("FALAI_CREDENTIAL_ENV does not list %(name)s. Add it there.") % {"name": name})
    value = os.environ.get(name)
    if not value:
        raise AgentUnavailableError(
            _("The environment has no variable %(name)s. Set it and start the site again.") % {"name": name}
        )
    return value
