"""Keys into the API, and secrets that lead out of it (spec: host.md sections 1, 5 and 6)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from falai_django.models.ordered_json import OrderedJSONField
from falai_django.models.tenancy import TenantRow
from falai_django.models.tenants import Tenant, slug_validator

__all__ = ["ApiKey", "AuditRecord", "Scope", "Secret"]


class Scope(models.TextChoices):
    """What an API key may do."""

    TURNS = "turns", _("Take turns")
    READ = "read", _("Read")
    READ_SENSITIVE = "read:sensitive", _("Read sensitive fields too")
    AUTHOR = "author", _("Edit drafts")
    PUBLISH = "publish", _("Publish and activate")
    ERASE = "erase", _("Erase")


class ApiKey(TenantRow):
    """A program's key to one tenant; the secret is shown once and kept as its SHA-256."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="api_keys", verbose_name=_("tenant"))
    name = models.CharField(_("name"), max_length=200)
    prefix = models.CharField(_("prefix"), max_length=16, unique=True, editable=False)
    digest = models.CharField(_("digest"), max_length=64, unique=True, editable=False)
    scopes = models.JSONField(_("scopes"), default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("made by"),
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ("tenant", "name")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class Secret(TenantRow):
    """A value that leaves only encrypted into the database, and only to its hosts."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="secrets", verbose_name=_("tenant"))
    name = models.CharField(_("name"), max_length=64, validators=[slug_validator])
    ciphertext = models.TextField(_("ciphertext"), editable=False)
    allowed_hosts = models.JSONField(
        _("allowed hosts"),
        default=list,
        blank=True,
        help_text=_("The only hosts that the value is ever sent to, such as api.example.com."),
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("secret")
        verbose_name_plural = _("secrets")
        ordering = ("tenant", "name")
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="falai_secret_name")]

    def __str__(self) -> str:
        return self.name


class AuditRecord(TenantRow):
    """Who did what: publish, activate, take over, erase, changes of keys and secrets. Never changed."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="audit_records", verbose_name=_("tenant"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("who")
    )
    actor_name = models.CharField(
        _("who"), max_length=200, blank=True, help_text=_("As it was called then: a user, an API key or a command.")
    )
    action = models.CharField(_("did"), max_length=64)
    target = models.CharField(_("what"), max_length=300, blank=True)
    detail = OrderedJSONField(_("detail"), default=dict)
    at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("audit record")
        verbose_name_plural = _("audit records")
        ordering = ("-at", "-pk")
        indexes = [models.Index(fields=["tenant", "-at"], name="falai_audit_by_time")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor_name} {self.action} {self.target}"
