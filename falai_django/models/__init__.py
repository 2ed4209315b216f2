"""The tables (spec: host.md section 1). Every row but a tenant belongs to one, directly or through the row above it."""

from falai_django.models.access import ApiKey, AuditRecord, Scope, Secret
from falai_django.models.authored import SCHEMA_VERSION, Agent, Deliver, Field, Flow, Step, Trigger
from falai_django.models.contacts import Anchor, AnchorSession, Claim
from falai_django.models.conversations import KEY_LENGTH, Message, Receipt, Session, SessionRun, Turn, Wake
from falai_django.models.deliveries import Delivery
from falai_django.models.links import PROVIDER_KINDS, ModelProvider, Sender
from falai_django.models.registries import Action, Condition, Event, RegistryRow, Tool
from falai_django.models.releases import Release
from falai_django.models.tenancy import TenantRow, TenantRows, tenant_key, tenant_lookup
from falai_django.models.tenants import Holiday, Membership, OpeningSpan, Role, Tenant, slug_validator
from falai_django.models.usage import TokenCount

__all__ = [
    "KEY_LENGTH",
    "PROVIDER_KINDS",
    "SCHEMA_VERSION",
    "Action",
    "Agent",
    "Anchor",
    "AnchorSession",
    "ApiKey",
    "AuditRecord",
    "Claim",
    "Condition",
    "Deliver",
    "Delivery",
    "Event",
    "Field",
    "Flow",
    "Holiday",
    "Membership",
    "Message",
    "ModelProvider",
    "OpeningSpan",
    "Receipt",
    "RegistryRow",
    "Release",
    "Role",
    "Scope",
    "Secret",
    "Sender",
    "Session",
    "SessionRun",
    "Step",
    "Tenant",
    "TenantRow",
    "TenantRows",
    "TokenCount",
    "Tool",
    "Trigger",
    "Turn",
    "Wake",
    "slug_validator",
    "tenant_key",
    "tenant_lookup",
]
