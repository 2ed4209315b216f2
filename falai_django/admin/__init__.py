"""The stock Django admin of the app (spec: ux.md); every page calls `authoring`, no rule lives here.

Django's autodiscover loads this package; each module registers its pages.
"""

from falai_django.admin.agents import AgentAdmin
from falai_django.admin.api_keys import ApiKeyAdmin
from falai_django.admin.audit import AuditRecordAdmin
from falai_django.admin.conversations import SessionAdmin
from falai_django.admin.definitions import ActionAdmin, ConditionAdmin, EventAdmin, FieldAdmin, ToolAdmin
from falai_django.admin.deliveries import DeliveryAdmin, MessageAdmin
from falai_django.admin.flow_parts import StepAdmin, TriggerAdmin
from falai_django.admin.flows import FlowAdmin
from falai_django.admin.machine import (
    AnchorAdmin,
    ClaimAdmin,
    ReceiptAdmin,
    SessionRunAdmin,
    TokenCountAdmin,
    TurnAdmin,
    WakeAdmin,
)
from falai_django.admin.members import MembershipAdmin
from falai_django.admin.model_providers import ModelProviderAdmin
from falai_django.admin.releases import ReleaseAdmin
from falai_django.admin.secret_values import SecretAdmin
from falai_django.admin.senders import SenderAdmin
from falai_django.admin.tenants import TenantSettingsAdmin

__all__ = [
    "ActionAdmin",
    "AgentAdmin",
    "AnchorAdmin",
    "ApiKeyAdmin",
    "AuditRecordAdmin",
    "ClaimAdmin",
    "ConditionAdmin",
    "DeliveryAdmin",
    "EventAdmin",
    "FieldAdmin",
    "FlowAdmin",
    "MembershipAdmin",
    "MessageAdmin",
    "ModelProviderAdmin",
    "ReceiptAdmin",
    "ReleaseAdmin",
    "SecretAdmin",
    "SenderAdmin",
    "SessionAdmin",
    "SessionRunAdmin",
    "StepAdmin",
    "TenantSettingsAdmin",
    "TokenCountAdmin",
    "ToolAdmin",
    "TriggerAdmin",
    "TurnAdmin",
    "WakeAdmin",
]
