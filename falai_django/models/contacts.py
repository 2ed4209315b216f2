"""What the sessions of one contact share: anchors and claims (spec: host.md sections 1 and 3)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from falai_django.models.authored import Agent
from falai_django.models.conversations import KEY_LENGTH, Session
from falai_django.models.tenancy import TenantRow

__all__ = ["Anchor", "AnchorSession", "Claim"]


class Anchor(TenantRow):
    """Somebody or something that several sessions are about: `lead` 7."""

    belongs_to = "agent"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="anchors", verbose_name=_("agent"))
    name = models.CharField(_("name"), max_length=64)
    key = models.CharField(_("key"), max_length=128)
    last_inbound_at = models.DateTimeField(_("last heard of"), null=True)
    sessions: models.ManyToManyField[Session, AnchorSession] = models.ManyToManyField(
        Session, through="AnchorSession", related_name="anchor_rows", verbose_name=_("conversations")
    )

    class Meta:
        verbose_name = _("anchor")
        verbose_name_plural = _("anchors")
        ordering = ("agent", "name", "key")
        constraints = [models.UniqueConstraint(fields=["agent", "name", "key"], name="falai_anchor_key")]

    def __str__(self) -> str:
        return f"{self.name} {self.key}"


class AnchorSession(TenantRow):
    """That a session is about an anchor."""

    belongs_to = "anchor"

    anchor = models.ForeignKey(Anchor, models.CASCADE, related_name="links", verbose_name=_("anchor"))
    session = models.ForeignKey(Session, models.CASCADE, related_name="anchor_links", verbose_name=_("conversation"))

    class Meta:
        verbose_name = _("conversation of an anchor")
        verbose_name_plural = _("conversations of anchors")
        constraints = [models.UniqueConstraint(fields=["anchor", "session"], name="falai_anchor_session")]

    def __str__(self) -> str:
        return f"{self.anchor_id} {self.session_id}"


class Claim(TenantRow):
    """That a host-anchored flow was started for an anchor; `live` while its run lives."""

    belongs_to = "agent"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="claims", verbose_name=_("agent"))
    dedupe_key = models.CharField(_("key"), max_length=KEY_LENGTH)
    flow = models.CharField(_("flow"), max_length=128)
    name = models.CharField(_("name of the anchor"), max_length=64)
    anchor = models.CharField(_("anchor"), max_length=128)
    at = models.CharField(_("at"), max_length=64, help_text=_("An ISO time, kept as it was written."))
    live = models.BooleanField(_("live"), default=False)
    session = models.ForeignKey(
        Session, models.SET_NULL, null=True, related_name="claims", verbose_name=_("conversation")
    )

    class Meta:
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        ordering = ("agent", "pk")
        constraints = [
            models.UniqueConstraint(fields=["agent", "dedupe_key"], name="falai_claim_key"),
            models.UniqueConstraint(
                fields=["agent", "flow", "anchor"], condition=Q(live=True), name="falai_claim_live"
            ),
        ]
        indexes = [models.Index(fields=["agent", "flow", "anchor"], name="falai_claim_anchor")]

    def __str__(self) -> str:
        return self.dedupe_key
