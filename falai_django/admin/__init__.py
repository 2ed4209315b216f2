"""The stock Django admin of the app (spec: ux.md); every page calls `authoring`, no rule lives here.

Django's autodiscover loads this package; each module registers its pages.
"""

from falai_django.admin import (
    agents,
    api_keys,
    audit,
    conversations,
    definitions,
    flow_parts,
    flows,
    machine,
    members,
    model_providers,
    releases,
    secret_values,
    senders,
    tenants,
)

__all__ = [
    "agents",
    "api_keys",
    "audit",
    "conversations",
    "definitions",
    "flow_parts",
    "flows",
    "machine",
    "members",
    "model_providers",
    "releases",
    "secret_values",
    "senders",
    "tenants",
]
