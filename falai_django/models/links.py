"""What links a tenant to the world: models that it asks, ways that messages leave (spec: host.md section 1)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from falai_django.models.access import Secret
from falai_django.models.ordered_json import OrderedJSONField
from falai_django.models.tenancy import TenantRow
from falai_django.models.tenants import Tenant
from falai_engine.providers import KINDS

__all__ = ["PROVIDER_KINDS", "ModelProvider", "Sender"]

PROVIDER_KINDS = tuple(sorted(set(KINDS) - {"fallback"}))
"""A row is one model; the order of the rows is the fallback."""


class ModelProvider(TenantRow):
    """A model that the tenant's agents ask; when one fails, the next in order is asked."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="model_providers", verbose_name=_("tenant"))
    position = models.PositiveSmallIntegerField(_("order"), default=0)
    kind = models.CharField(_("kind"), max_length=32, choices=[(kind, kind) for kind in PROVIDER_KINDS])
    model = models.CharField(_("model"), max_length=200, blank=True)
    base_url = models.CharField(_("base URL"), max_length=500, blank=True, help_text=_("Empty: the vendor's own."))
    secret = models.ForeignKey(
        Secret,
        models.RESTRICT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("credential"),
        help_text=_("The secret that holds the vendor's API key."),
    )
    credential_env = models.CharField(
        _("credential from the environment"),
        max_length=200,
        blank=True,
        help_text=_("A name of the setting FALAI_CREDENTIAL_ENV; only a superuser may set it."),
    )
    sampling = OrderedJSONField(_("sampling"), default=dict)
    json_with_tools = models.CharField(
        _("JSON together with tools"),
        max_length=16,
        blank=True,
        choices=[("response_format", _("By response format")), ("prompt", _("By the prompt"))],
        help_text=_("How the model is asked for JSON in a call that offers tools. Empty: as its kind does."),
    )
    is_enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        verbose_name = _("model provider")
        verbose_name_plural = _("model providers")
        ordering = ("tenant", "position", "pk")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.model}".strip()


class Sender(TenantRow):
    """A way for messages to leave."""

    class Kind(models.TextChoices):
        """How messages leave."""

        WEBHOOK = "webhook", _("Webhook: posted to a URL")
        PYTHON = "python", _("Python: a registered function")
        POLL = "poll", _("Poll: fetched by a program")

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="senders", verbose_name=_("tenant"))
    name = models.CharField(_("name"), max_length=200)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)
    url = models.CharField(_("URL"), max_length=500, blank=True)
    secret = models.ForeignKey(
        Secret, models.RESTRICT, null=True, blank=True, related_name="+", verbose_name=_("signing secret")
    )
    next_secret = models.ForeignKey(
        Secret,
        models.RESTRICT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("next signing secret"),
        help_text=_("While a secret is being replaced, messages are signed with both."),
    )
    python_name = models.CharField(_("registered name"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("sender")
        verbose_name_plural = _("senders")
        ordering = ("tenant", "name")
        constraints = [
            models.UniqueConstraint(fields=["tenant", "name"], name="falai_sender_name"),
            models.CheckConstraint(condition=Q(kind__in=["webhook", "python", "poll"]), name="falai_sender_kind"),
        ]

    def __str__(self) -> str:
        return self.name
