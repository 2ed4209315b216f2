"""What became of each try to send a message (spec: host.md section 4)."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from falai_django.models.conversations import Message
from falai_django.models.tenancy import TenantRow

__all__ = ["Delivery"]


class Delivery(TenantRow):
    """One try: when, how long, what was posted and what was answered, both cut and without anything sensitive."""

    belongs_to = "message"

    class Outcome(models.TextChoices):
        """What the try came to."""

        SENT = "sent", _("Sent")
        REFUSED = "refused", _("Refused by the receiver")
        FAILED = "failed", _("Failed")

    message = models.ForeignKey(Message, models.CASCADE, related_name="deliveries", verbose_name=_("message"))
    attempt = models.PositiveSmallIntegerField(_("try"))
    at = models.DateTimeField(_("when"), default=timezone.now)
    sender = models.CharField(_("sender"), max_length=200, blank=True, help_text=_("As it was called then."))
    outcome = models.CharField(_("outcome"), max_length=16, choices=Outcome.choices)
    code = models.CharField(_("why"), max_length=200, blank=True)
    status = models.PositiveSmallIntegerField(_("HTTP status"), null=True)
    milliseconds = models.PositiveIntegerField(_("milliseconds"))
    request = models.TextField(_("what was sent"), blank=True)
    response = models.TextField(_("what came back"), blank=True)

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering = ("-pk",)
        indexes = [models.Index(fields=["at"], name="falai_delivery_retention")]

    def __str__(self) -> str:
        return f"{self.message} #{self.attempt}"
