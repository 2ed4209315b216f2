"""What models cost a tenant (spec: host.md section 3, Limits)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from falai_django.models.tenancy import TenantRow
from falai_django.models.tenants import Tenant

__all__ = ["TokenCount"]


class TokenCount(TenantRow):
    """The tokens of a tenant on one day of its time zone; counted while the tenant has a limit."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="token_counts", verbose_name=_("tenant"))
    day = models.DateField(_("day"))
    tokens = models.PositiveBigIntegerField(_("tokens"), default=0)

    class Meta:
        verbose_name = _("tokens of a day")
        verbose_name_plural = _("tokens of days")
        ordering = ("tenant", "-day")
        constraints = [models.UniqueConstraint(fields=["tenant", "day"], name="falai_tokens_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.tokens}"
