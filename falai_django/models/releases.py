"""What was published (spec: host.md section 2)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from falai_django.errors import FalaiError
from falai_django.models.authored import Agent
from falai_django.models.ordered_json import OrderedJSONField
from falai_django.models.tenancy import TenantRow

__all__ = ["Release"]


class Release(TenantRow):
    """A draft as it was when it was published. Immutable: it is made once and only ever read."""

    belongs_to = "agent"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="releases", verbose_name=_("agent"))
    number = models.PositiveIntegerField(_("number"))
    document = OrderedJSONField(_("document"))
    spec_version = models.PositiveSmallIntegerField(_("version of the format"))
    digest = models.CharField(_("digest"), max_length=64, help_text=_("SHA-256 of the document."))
    sensitive = models.JSONField(_("sensitive fields"), default=list)
    note = models.TextField(_("note"), blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("published by")
    )
    created_by_name = models.CharField(_("published by"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("published"), default=timezone.now)

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering = ("agent", "-number")
        constraints = [models.UniqueConstraint(fields=["agent", "number"], name="falai_release_number")]

    def __str__(self) -> str:
        return f"{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert it; a release that is there already refuses."""
        if not self._state.adding:
            raise FalaiError(_("A release never changes. Publish the draft again to make a new one."))
        super().save(*args, **kwargs)
