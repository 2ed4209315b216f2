"""Agents and what authors write for them: the draft (spec: host.md sections 1 and 2, flow-spec.md).

A draft is free to be incomplete: only what is machine-made is constrained. Bodies are JSON in the shape of flow-spec.md
at `schema_version`.
"""

from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from falai_django.models.links import Sender
from falai_django.models.ordered_json import OrderedJSONField
from falai_django.models.tenancy import TenantRow
from falai_django.models.tenants import Tenant, slug_validator

__all__ = ["SCHEMA_VERSION", "Agent", "Deliver", "Field", "Flow", "Step", "Trigger"]

SCHEMA_VERSION = 1
"""The shape of bodies and documents that this version writes; `documents.upgrades` reads the older ones."""


class Deliver(models.TextChoices):
    """How a turn's messages reach the customer."""

    RESPONSE = "response", _("In the response: the caller sends them")
    SENDER = "sender", _("By the sender")


class AuthoredRow(TenantRow):
    """What authors edit; `version` is the edit token: each save raises it, and a save with an older one is refused."""

    version = models.PositiveBigIntegerField(_("version"), default=1, editable=False)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now, editable=False)
    changed_by = models.CharField(_("changed by"), max_length=200, blank=True, editable=False)
    is_released = models.BooleanField(
        _("used by a release"), default=False, editable=False, help_text=_("Its slug does not change any more.")
    )

    class Meta:
        abstract = True


class Agent(AuthoredRow):
    """What serves conversations: its head is draft as its flows are; the settings below the head are live."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="agents", verbose_name=_("tenant"))
    slug = models.CharField(
        _("slug"),
        max_length=64,
        validators=[slug_validator],
        help_text=_("Its name in addresses; it stays as it is once something is published."),
    )
    name = models.CharField(_("name"), max_length=200, blank=True, help_text=_("Who the agent says it is."))
    goal = models.TextField(_("goal"), blank=True, help_text=_("What it is there for, in a sentence or two."))
    persona = models.TextField(_("persona"), blank=True, help_text=_("How it is and how it speaks."))
    knowledge_base = models.TextField(
        _("knowledge base"), blank=True, help_text=_("Facts that it may rely on, in plain text.")
    )
    variables = OrderedJSONField(_("variables"), default=dict)
    instructions = OrderedJSONField(_("instructions"), default=list)
    idle = OrderedJSONField(_("when no flow speaks"), null=True, blank=True)
    compaction = OrderedJSONField(_("shortening of long histories"), null=True, blank=True)
    max_tool_loops = models.PositiveSmallIntegerField(
        _("rounds of tools"), null=True, blank=True, help_text=_("At most so many in one reply. Empty: 5.")
    )
    head_rest = OrderedJSONField(_("the rest of its head"), default=dict, editable=False)
    schema_version = models.PositiveSmallIntegerField(default=SCHEMA_VERSION, editable=False)

    is_active = models.BooleanField(
        _("active"), default=True, help_text=_("Off: it answers nobody, and what is due waits.")
    )
    sender = models.ForeignKey(
        Sender, models.RESTRICT, null=True, blank=True, related_name="agents", verbose_name=_("sender")
    )
    deliver = models.CharField(_("replies leave"), max_length=16, choices=Deliver.choices, default=Deliver.RESPONSE)
    gather_ms = models.PositiveIntegerField(
        _("gather messages for (ms)"),
        default=0,
        validators=[MaxValueValidator(60_000)],
        help_text=_(
            "Messages that follow each other within so many milliseconds are answered together. 0: each alone."
        ),
    )
    close_after_days = models.PositiveSmallIntegerField(
        _("close after (days)"), null=True, blank=True, help_text=_("Days without anything. Empty: never.")
    )
    human_silence = models.CharField(
        _("silence after a person wrote"),
        max_length=16,
        default="12h",
        help_text=_("How long the agent leaves the conversation to a person of the team."),
    )
    apology = models.TextField(
        _("apology"), blank=True, help_text=_("Sent once when an answer failed for good. Empty: nothing.")
    )
    off_text = models.TextField(_("text when off"), blank=True, help_text=_("What callers get while it is off."))
    turns_per_hour = models.PositiveIntegerField(
        _("turns per hour"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("Turns with a model call per conversation; over it the agent keeps silent. Empty: 60."),
    )
    unanswered_in_a_row = models.PositiveSmallIntegerField(
        _("unanswered in a row"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("So often it writes on its own without an answer; then it keeps silent. Empty: 3."),
    )

    active_release = models.ForeignKey(
        "Release",
        models.RESTRICT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("active release"),
    )
    activated_at = models.DateTimeField(_("activated"), null=True, editable=False)
    paused_until = models.DateTimeField(_("paused until"), null=True, editable=False)
    trouble = models.CharField(_("trouble"), max_length=64, blank=True, editable=False)
    trouble_detail = models.TextField(_("what is wrong"), blank=True, editable=False)
    trouble_at = models.DateTimeField(_("trouble since"), null=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ("tenant", "name", "slug")
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="falai_agent_slug")]

    def __str__(self) -> str:
        return self.name or self.slug


class Field(AuthoredRow):
    """One datum to collect, declared once for the agent."""

    belongs_to = "agent"

    class Type(models.TextChoices):
        """The types of flow-spec.md."""

        STRING = "string", _("Text")
        NUMBER = "number", _("Number")
        INTEGER = "integer", _("Whole number")
        BOOLEAN = "boolean", _("Yes or no")

    class Extract(models.TextChoices):
        """Where a value may come from."""

        ANYWHERE = "anywhere", _("From anything the customer says")
        ASKED = "asked", _("Only when it was asked for")

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="fields", verbose_name=_("agent"))
    slug = models.CharField(_("slug"), max_length=64, validators=[slug_validator])
    label = models.CharField(_("label"), max_length=200, blank=True)
    type = models.CharField(_("type"), max_length=16, choices=Type.choices, default=Type.STRING)
    enum = OrderedJSONField(_("choices"), null=True, blank=True)
    description = models.TextField(_("description"), blank=True, help_text=_("What it is, told to the model."))
    ask = models.TextField(_("how to ask"), blank=True)
    extract = models.CharField(
        _("taken"),
        max_length=16,
        choices=Extract.choices,
        blank=True,
        help_text=_("Empty: yes-or-no fields only when asked, all others from anything said."),
    )
    is_sensitive = models.BooleanField(
        _("sensitive"), default=False, help_text=_("Masked in logs, exports and responses.")
    )
    position = models.PositiveIntegerField(_("order"), default=0)
    rest = OrderedJSONField(_("the rest of its declaration"), default=dict, editable=False)
    schema_version = models.PositiveSmallIntegerField(default=SCHEMA_VERSION, editable=False)

    class Meta:
        verbose_name = _("field")
        verbose_name_plural = _("fields")
        ordering = ("agent", "position", "pk")
        constraints = [models.UniqueConstraint(fields=["agent", "slug"], name="falai_field_slug")]

    def __str__(self) -> str:
        return self.label or self.slug


class Flow(AuthoredRow):
    """Triggers, steps, and what happens at the end. Its edit token covers its triggers and steps too."""

    belongs_to = "agent"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="flows", verbose_name=_("agent"))
    slug = models.CharField(_("slug"), max_length=64, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200, blank=True)
    description = models.TextField(
        _("description"), blank=True, help_text=_("What it is for, told to the model when it speaks.")
    )
    is_enabled = models.BooleanField(_("enabled"), default=True, help_text=_("Only enabled flows are published."))
    position = models.PositiveIntegerField(_("order"), default=0)
    head = OrderedJSONField(_("the rest of its head"), default=dict)
    schema_version = models.PositiveSmallIntegerField(default=SCHEMA_VERSION, editable=False)
    next_step = models.PositiveIntegerField(default=1, editable=False)

    class Meta:
        verbose_name = _("flow")
        verbose_name_plural = _("flows")
        ordering = ("agent", "position", "pk")
        constraints = [models.UniqueConstraint(fields=["agent", "slug"], name="falai_flow_slug")]

    def __str__(self) -> str:
        return self.name or self.slug


class FlowPart(TenantRow):
    """A row of a flow's list: where it stands, what it is called, its kind and its body."""

    belongs_to = "flow"

    position = models.PositiveIntegerField(_("order"), default=0)
    label = models.CharField(_("label"), max_length=200, blank=True)
    body = OrderedJSONField(_("body"), default=dict)
    schema_version = models.PositiveSmallIntegerField(default=SCHEMA_VERSION, editable=False)

    class Meta:
        abstract = True


class Trigger(FlowPart):
    """What starts a run."""

    class Kind(models.TextChoices):
        """The triggers of engine.md section 1."""

        MESSAGE = "message", _("The customer's message is about it")
        MENTION = "mention", _("The customer mentions something")
        SILENCE = "silence", _("The customer stays silent")
        EVENT = "event", _("An event arrives")

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="triggers", verbose_name=_("flow"))
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)

    class Meta:
        verbose_name = _("trigger")
        verbose_name_plural = _("triggers")
        ordering = ("flow", "position", "pk")

    def __str__(self) -> str:
        return self.label or str(self.get_kind_display())


class Step(FlowPart):
    """One thing that a flow does. `step_id` is made, never typed and never given to another step of the flow."""

    class Kind(models.TextChoices):
        """The steps of engine.md section 1."""

        COLLECT = "collect", _("Talk and collect fields")
        PROMPT = "prompt", _("Talk")
        SAY = "say", _("Say a fixed text")
        DO = "do", _("Do an action")
        WAIT = "wait", _("Wait for a time")
        WAIT_EVENT = "waitEvent", _("Wait for an event")
        IF = "if", _("Fork")

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="steps", verbose_name=_("flow"))
    step_id = models.CharField(_("id"), max_length=128, editable=False)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)

    class Meta:
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        ordering = ("flow", "position", "pk")
        constraints = [models.UniqueConstraint(fields=["flow", "step_id"], name="falai_step_id")]

    def __str__(self) -> str:
        return self.label or f"{self.get_kind_display()} ({self.step_id})"
