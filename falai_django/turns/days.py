"""Which day it is at a tenant's (spec: host.md section 3, Limits)."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from falai_django.models import Tenant

__all__ = ["tenant_day"]


def tenant_day(tenant: Tenant, now: datetime) -> date:
    """The date by the tenant's wall clock."""
    return now.astimezone(ZoneInfo(tenant.time_zone)).date()
