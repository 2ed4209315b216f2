"""A conversation at run time: its session, its inbox, its outbox, its wakes (spec: host.md sections 1, 3 and 4)."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from falai_django.models.authored import Agent, Deliver
from falai_django.models.ordered_json import OrderedJSONField
from falai_django.models.releases import Release
from falai_django.models.tenancy import TenantRow

__all__ = ["KEY_LENGTH", "Message", "Receipt", "Session", "SessionRun", "Turn", "Wake"]

KEY_LENGTH = 1024
"""Characters of a key. The engine's keys hold the keys of what they came from, some levels deep."""


class Session(TenantRow):
    """One conversation with one agent; `blob` is the engine's session, NULL before the first save."""

    belongs_to = "agent"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="sessions", verbose_name=_("agent"))
    session_id = models.CharField(_("session"), max_length=128)
    version = models.PositiveBigIntegerField(_("version"), default=0)
    blob = OrderedJSONField(_("blob"), null=True)
    next_seq = models.PositiveBigIntegerField(default=1)
    inbound_seq = models.PositiveBigIntegerField(default=0)
    queue_seq = models.PositiveBigIntegerField(
        default=0, help_text=_("Raised by every row that joins its queue, so that no commit overlooks one.")
    )
    silence_seq = models.PositiveBigIntegerField(default=0)
    context = OrderedJSONField(_("context"), default=dict)
    last_given = OrderedJSONField(default=dict, help_text=_("What the last caller gave, for turns without a caller."))
    anchors = OrderedJSONField(_("anchors"), default=dict)
    silenced = models.CharField(_("silenced"), max_length=200, null=True)  # noqa: DJ001 - an empty reason silences too
    silenced_until = models.DateTimeField(_("silenced until"), null=True)
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(_("held until"), null=True)
    due = models.DateTimeField(_("due"), null=True)
    unreadable = models.PositiveSmallIntegerField(_("found unreadable"), default=0)
    epoch = models.PositiveBigIntegerField(
        _("epoch"), default=0, help_text=_("The sequence of its first message: those before it are no history.")
    )
    unanswered = models.PositiveSmallIntegerField(_("unanswered in a row"), default=0)
    apologized = models.BooleanField(_("apologised"), default=False)
    counted_from = models.DateTimeField(null=True, help_text=_("When the hour began whose turns are counted."))
    counted_turns = models.PositiveIntegerField(default=0)
    last_now = models.DateTimeField(null=True, help_text=_("The time of its last turn: none comes before it."))
    last_activity_at = models.DateTimeField(_("last activity"), default=timezone.now)
    erasing_at = models.DateTimeField(_("erasing since"), null=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ("-last_activity_at", "-pk")
        constraints = [models.UniqueConstraint(fields=["agent", "session_id"], name="falai_session_id")]
        indexes = [
            models.Index(fields=["due", "lease_until"], condition=Q(due__isnull=False), name="falai_session_due"),
            models.Index(fields=["agent", "-last_activity_at"], name="falai_session_activity"),
            models.Index(fields=["erasing_at"], condition=Q(erasing_at__isnull=False), name="falai_session_erasing"),
        ]

    def __str__(self) -> str:
        return self.session_id


class SessionRun(TenantRow):
    """A live run of the blob as a row, rewritten in each commit: for lists, filters and live counts."""

    belongs_to = "session"

    class Status(models.TextChoices):
        """The engine's, for people."""

        RUNNING = "running", _("running")
        ASKING = "asking", _("talking")
        WAITING = "waiting", _("waiting")
        SUSPENDED = "suspended", _("interrupted")

    session = models.ForeignKey(Session, models.CASCADE, related_name="session_runs", verbose_name=_("conversation"))
    run_id = models.CharField(_("run"), max_length=KEY_LENGTH)
    flow = models.CharField(_("flow"), max_length=128, help_text=_("The slug: the flow itself may be gone."))
    step = models.CharField(_("step"), max_length=128, blank=True, help_text=_("Empty: before the first step."))
    status = models.CharField(_("status"), max_length=16, choices=Status.choices)
    waiting_until = models.DateTimeField(_("waiting until"), null=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ("session", "pk")
        indexes = [models.Index(fields=["flow", "step", "status"], name="falai_run_where")]

    def __str__(self) -> str:
        return self.run_id


class Turn(TenantRow):
    """Inbox, log and stored response in one; ids follow arrival."""

    belongs_to = "session"

    class Kind(models.TextChoices):
        """The engine's four, then the host's own, which change the blob without the engine's phases."""

        MESSAGE = "message", _("Message")
        WAKE = "wake", _("Wake")
        EVENT = "event", _("Event")
        START = "start", _("Start")
        SET = "set", _("Values set")
        HUMAN = "human", _("A person wrote")
        END = "end", _("Run ended")
        CLOSE = "close", _("Closed")

    class State(models.TextChoices):
        """Only `received` is still to be run."""

        RECEIVED = "received", _("Received")
        DONE = "done", _("Done")
        MERGED = "merged", _("Answered with a later message")
        MISSED = "missed", _("Missed")
        FAILED = "failed", _("Failed")
        DEAD = "dead", _("Dead")
        DROPPED = "dropped", _("Dropped")

    session = models.ForeignKey(Session, models.CASCADE, related_name="turns", verbose_name=_("conversation"))
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)
    key = models.CharField(_("key"), max_length=KEY_LENGTH)
    input = OrderedJSONField(_("input"))
    digest = models.CharField(_("digest"), max_length=64)
    deliver = models.CharField(_("replies leave"), max_length=16, choices=Deliver.choices)
    state = models.CharField(_("state"), max_length=16, choices=State.choices, default=State.RECEIVED)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    model_failures = models.PositiveSmallIntegerField(_("model failures"), default=0)
    results_dropped = models.PositiveSmallIntegerField(
        _("results dropped"), default=0, help_text=_("How often a message came while it was being phrased.")
    )
    not_before = models.DateTimeField(_("not before"), null=True)
    picked_at = models.DateTimeField(
        _("first run"), null=True, help_text=_("From then on no message joins its group any more.")
    )
    release = models.ForeignKey(Release, models.SET_NULL, null=True, related_name="+", verbose_name=_("release"))
    wanted_release = models.CharField(
        _("release asked for"), max_length=16, blank=True, help_text=_("A number or `draft`; empty: the active one.")
    )
    merged_into = models.ForeignKey("self", models.SET_NULL, null=True, related_name="merged", verbose_name=_("into"))
    epoch = models.PositiveBigIntegerField(_("epoch"), default=0)
    outcomes = OrderedJSONField(_("outcomes"), null=True)
    calls = models.PositiveSmallIntegerField(_("model calls"), default=0)
    tokens = models.PositiveIntegerField(_("tokens"), default=0)
    milliseconds = models.PositiveIntegerField(_("milliseconds"), null=True)
    error = models.CharField(_("error"), max_length=64, blank=True)
    error_detail = models.TextField(_("error in full"), blank=True)
    response = OrderedJSONField(_("response"), null=True)
    received_at = models.DateTimeField(_("received"), default=timezone.now)
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        ordering = ("-pk",)
        constraints = [models.UniqueConstraint(fields=["session", "kind", "key"], name="falai_turn_key")]
        indexes = [
            models.Index(fields=["session", "id"], condition=Q(state="received"), name="falai_turn_queue"),
            models.Index(fields=["session", "-id"], name="falai_turn_log"),
            models.Index(
                fields=["state", "ended_at"],
                condition=Q(state__in=["failed", "dead", "missed"]),
                name="falai_turn_trouble",
            ),
            models.Index(fields=["received_at"], name="falai_turn_retention"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.key}"


class Message(TenantRow):
    """Transcript and outbox: what was written, by whom, and on its way where."""

    belongs_to = "session"

    class Direction(models.TextChoices):
        """From the customer, to the customer, or to the team (`notify`)."""

        IN = "in", _("In")
        OUT = "out", _("Out")
        NOTICE = "notice", _("Notice to the team")

    class Author(models.TextChoices):
        """Who wrote it."""

        CUSTOMER = "customer", _("Customer")
        ASSISTANT = "assistant", _("Assistant")
        HUMAN = "human", _("Person of the team")

    class State(models.TextChoices):
        """`recorded`: nothing is to be sent by us. Queued and sending ones hold up those behind them."""

        RECORDED = "recorded", _("Recorded")
        QUEUED = "queued", _("Waiting to leave")
        SENDING = "sending", _("Leaving")
        SENT = "sent", _("Sent")
        WITHHELD = "withheld", _("Withheld")
        REFUSED = "refused", _("Refused by the receiver")
        EXPIRED = "expired", _("Expired")
        DEAD = "dead", _("Given up")

    session = models.ForeignKey(Session, models.CASCADE, related_name="messages", verbose_name=_("conversation"))
    seq = models.PositiveBigIntegerField(_("sequence"))
    direction = models.CharField(_("direction"), max_length=8, choices=Direction.choices)
    author = models.CharField(_("author"), max_length=16, choices=Author.choices)
    text = models.TextField(_("text"))
    media = OrderedJSONField(_("media"), null=True)
    kind = models.CharField(
        _("kind"), max_length=16, blank=True, help_text=_("`ai` or `verbatim`, as the engine says.")
    )
    recipient = models.CharField(_("recipient"), max_length=200, blank=True, help_text=_("Of a notice."))
    turn = models.ForeignKey(Turn, models.SET_NULL, null=True, related_name="messages", verbose_name=_("turn"))
    key = models.CharField(_("key"), max_length=KEY_LENGTH, blank=True)
    run_id = models.CharField(_("run"), max_length=KEY_LENGTH, blank=True)
    step = models.CharField(_("step"), max_length=128, blank=True)
    public_id = models.UUIDField(_("public id"), default=uuid.uuid4, unique=True)
    epoch = models.PositiveBigIntegerField(_("epoch"), default=0)
    state = models.CharField(_("state"), max_length=16, choices=State.choices, default=State.RECORDED)
    after_ms = models.PositiveIntegerField(_("pause before it (ms)"), default=0)
    due = models.DateTimeField(_("due"), null=True)
    inbound_seq = models.PositiveBigIntegerField(
        null=True, help_text=_("The conversation's when it was written: a later inbound ends the pauses before it.")
    )
    expires_at = models.DateTimeField(_("expires"), null=True)
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(_("held until"), null=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    error = models.CharField(_("error"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    sent_at = models.DateTimeField(_("sent"), null=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ("session", "seq")
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="falai_message_seq")]
        indexes = [
            models.Index(
                fields=["session", "seq"], condition=Q(state__in=["queued", "sending"]), name="falai_message_queue"
            ),
            models.Index(fields=["due"], condition=Q(state__in=["queued", "sending"]), name="falai_message_due"),
            models.Index(
                fields=["state", "created_at"],
                condition=Q(state__in=["dead", "refused", "expired"]),
                name="falai_message_trouble",
            ),
            models.Index(fields=["created_at"], name="falai_message_retention"),
        ]

    def __str__(self) -> str:
        return f"{self.seq}"


class Wake(TenantRow):
    """A time at which a session is to be woken. Delivering it moves it into the inbox."""

    belongs_to = "session"

    session = models.ForeignKey(Session, models.CASCADE, related_name="wakes", verbose_name=_("conversation"))
    key = models.CharField(_("key"), max_length=KEY_LENGTH)
    due = models.DateTimeField(_("due"))
    held_due = models.DateTimeField(
        null=True, help_text=_("When it was really due: while its agent is off, it is looked at now and then.")
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("wake")
        verbose_name_plural = _("wakes")
        ordering = ("due", "pk")
        constraints = [models.UniqueConstraint(fields=["session", "key"], name="falai_wake_key")]
        indexes = [
            # The session comes along so that the loop's look at what is due reads the index alone.
            models.Index(fields=["due", "id", "session"], name="falai_wake_due"),
            models.Index(fields=["session"], condition=Q(held_due__isnull=False), name="falai_wake_held"),
        ]

    def __str__(self) -> str:
        return self.key


class Receipt(TenantRow):
    """That an action or a tool of a turn was started, and what it gave: a replay does not run it again."""

    belongs_to = "turn"

    class Kind(models.TextChoices):
        """What has an effect outside."""

        ACTION = "action", _("Action")
        TOOL = "tool", _("Tool")

    class State(models.TextChoices):
        """Started and not done after a crash: in doubt."""

        STARTED = "started", _("Started")
        DONE = "done", _("Done")

    turn = models.ForeignKey(Turn, models.CASCADE, related_name="receipts", verbose_name=_("turn"))
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)
    key = models.CharField(_("key"), max_length=KEY_LENGTH)
    state = models.CharField(_("state"), max_length=16, choices=State.choices, default=State.STARTED)
    result = OrderedJSONField(_("result"), null=True)
    started_at = models.DateTimeField(_("started"), default=timezone.now)
    done_at = models.DateTimeField(_("done"), null=True)

    class Meta:
        verbose_name = _("receipt")
        verbose_name_plural = _("receipts")
        ordering = ("turn", "pk")
        constraints = [models.UniqueConstraint(fields=["turn", "kind", "key"], name="falai_receipt_key")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
