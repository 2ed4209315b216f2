"""What flows may name, as rows in the JSON of flow-spec.md (spec: host.md section 1)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from falai_django.models.authored import SCHEMA_VERSION, Agent, AuthoredRow
from falai_django.models.ordered_json import OrderedJSONField
from falai_django.models.tenants import slug_validator

__all__ = ["Action", "Condition", "Event", "RegistryRow", "Tool"]


class CallKind(models.TextChoices):
    """What runs when an action or a tool is called."""

    PYTHON = "python", _("A registered Python function")
    HTTP = "http", _("An HTTP request")
    UPDATE_STATE = "update_state", _("Setting fields and variables")


class RegistryRow(AuthoredRow):
    """One entry of a registry; `body` is its declaration in flow-spec.md without its name and kind."""

    belongs_to = "agent"

    slug = models.CharField(_("slug"), max_length=128, validators=[slug_validator])
    position = models.PositiveIntegerField(_("order"), default=0)
    body = OrderedJSONField(_("declaration"), default=dict)
    schema_version = models.PositiveSmallIntegerField(default=SCHEMA_VERSION, editable=False)

    class Meta:
        abstract = True
        ordering = ("agent", "position", "pk")

    def __str__(self) -> str:
        return self.slug


class Action(RegistryRow):
    """What a `do` step runs."""

    Kind = CallKind

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="actions", verbose_name=_("agent"))
    kind = models.CharField(_("kind"), max_length=16, choices=CallKind.choices, default=CallKind.PYTHON)

    class Meta(RegistryRow.Meta):
        verbose_name = _("action")
        verbose_name_plural = _("actions")
        constraints = [models.UniqueConstraint(fields=["agent", "slug"], name="falai_action_slug")]


class Event(RegistryRow):
    """What may happen outside and start or continue a flow."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="events", verbose_name=_("agent"))

    class Meta(RegistryRow.Meta):
        verbose_name = _("event")
        verbose_name_plural = _("events")
        constraints = [models.UniqueConstraint(fields=["agent", "slug"], name="falai_event_slug")]


class Condition(RegistryRow):
    """A question that code answers about a conversation."""

    class Kind(models.TextChoices):
        """The two of flow-spec.md; neither does I/O."""

        PYTHON = "python", _("A registered Python function")
        COMPARE = "compare", _("A comparison")

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="conditions", verbose_name=_("agent"))
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices, default=Kind.COMPARE)

    class Meta(RegistryRow.Meta):
        verbose_name = _("condition")
        verbose_name_plural = _("conditions")
        constraints = [models.UniqueConstraint(fields=["agent", "slug"], name="falai_condition_slug")]


class Tool(RegistryRow):
    """What the model may call while it speaks."""

    Kind = CallKind

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="tools", verbose_name=_("agent"))
    kind = models.CharField(_("kind"), max_length=16, choices=CallKind.choices, default=CallKind.PYTHON)

    class Meta(RegistryRow.Meta):
        verbose_name = _("tool")
        verbose_name_plural = _("tools")
        constraints = [models.UniqueConstraint(fields=["agent", "slug"], name="falai_tool_slug")]
