import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import falai_django.models.ordered_json
import falai_django.models.tenants


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        help_text="Its name in addresses; it stays as it is once something is published.",
                        max_length=64,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        blank=True, help_text="Who the agent says it is.", max_length=200, verbose_name="name"
                    ),
                ),
                (
                    "goal",
                    models.TextField(
                        blank=True, help_text="What it is there for, in a sentence or two.", verbose_name="goal"
                    ),
                ),
                (
                    "persona",
                    models.TextField(blank=True, help_text="How it is and how it speaks.", verbose_name="persona"),
                ),
                (
                    "knowledge_base",
                    models.TextField(
                        blank=True, help_text="Facts that it may rely on, in plain text.", verbose_name="knowledge base"
                    ),
                ),
                (
                    "variables",
                    falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="variables"),
                ),
                (
                    "instructions",
                    falai_django.models.ordered_json.OrderedJSONField(default=list, verbose_name="instructions"),
                ),
                (
                    "idle",
                    falai_django.models.ordered_json.OrderedJSONField(
                        blank=True, null=True, verbose_name="when no flow speaks"
                    ),
                ),
                (
                    "compaction",
                    falai_django.models.ordered_json.OrderedJSONField(
                        blank=True, null=True, verbose_name="shortening of long histories"
                    ),
                ),
                (
                    "max_tool_loops",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="At most so many in one reply. Empty: 5.",
                        null=True,
                        verbose_name="rounds of tools",
                    ),
                ),
                (
                    "head_rest",
                    falai_django.models.ordered_json.OrderedJSONField(
                        default=dict, editable=False, verbose_name="the rest of its head"
                    ),
                ),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "is_active",
                    models.BooleanField(
                        default=True, help_text="Off: it answers nobody, and what is due waits.", verbose_name="active"
                    ),
                ),
                (
                    "deliver",
                    models.CharField(
                        choices=[("response", "In the response: the caller sends them"), ("sender", "By the sender")],
                        default="response",
                        max_length=16,
                        verbose_name="replies leave",
                    ),
                ),
                (
                    "gather_ms",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="Messages that follow each other within so many milliseconds are answered together. 0: each alone.",
                        validators=[django.core.validators.MaxValueValidator(60000)],
                        verbose_name="gather messages for (ms)",
                    ),
                ),
                (
                    "close_after_days",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Days without anything. Empty: never.",
                        null=True,
                        verbose_name="close after (days)",
                    ),
                ),
                (
                    "human_silence",
                    models.CharField(
                        default="12h",
                        help_text="How long the agent leaves the conversation to a person of the team.",
                        max_length=16,
                        verbose_name="silence after a person wrote",
                    ),
                ),
                (
                    "apology",
                    models.TextField(
                        blank=True,
                        help_text="Sent once when an answer failed for good. Empty: nothing.",
                        verbose_name="apology",
                    ),
                ),
                (
                    "off_text",
                    models.TextField(
                        blank=True, help_text="What callers get while it is off.", verbose_name="text when off"
                    ),
                ),
                (
                    "turns_per_hour",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Turns with a model call per conversation; over it the agent keeps silent. Empty: 60.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="turns per hour",
                    ),
                ),
                (
                    "unanswered_in_a_row",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="So often it writes on its own without an answer; then it keeps silent. Empty: 3.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="unanswered in a row",
                    ),
                ),
                ("activated_at", models.DateTimeField(editable=False, null=True, verbose_name="activated")),
                ("paused_until", models.DateTimeField(editable=False, null=True, verbose_name="paused until")),
                ("trouble", models.CharField(blank=True, editable=False, max_length=64, verbose_name="trouble")),
                ("trouble_detail", models.TextField(blank=True, editable=False, verbose_name="what is wrong")),
                ("trouble_at", models.DateTimeField(editable=False, null=True, verbose_name="trouble since")),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="created"),
                ),
            ],
            options={
                "verbose_name": "agent",
                "verbose_name_plural": "agents",
                "ordering": ("tenant", "name", "slug"),
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.PositiveBigIntegerField(verbose_name="sequence")),
                (
                    "direction",
                    models.CharField(
                        choices=[("in", "In"), ("out", "Out"), ("notice", "Notice to the team")],
                        max_length=8,
                        verbose_name="direction",
                    ),
                ),
                (
                    "author",
                    models.CharField(
                        choices=[("customer", "Customer"), ("assistant", "Assistant"), ("human", "Person of the team")],
                        max_length=16,
                        verbose_name="author",
                    ),
                ),
                ("text", models.TextField(verbose_name="text")),
                ("media", falai_django.models.ordered_json.OrderedJSONField(null=True, verbose_name="media")),
                (
                    "kind",
                    models.CharField(
                        blank=True,
                        help_text="`ai` or `verbatim`, as the engine says.",
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "recipient",
                    models.CharField(blank=True, help_text="Of a notice.", max_length=200, verbose_name="recipient"),
                ),
                ("key", models.CharField(blank=True, max_length=1024, verbose_name="key")),
                ("run_id", models.CharField(blank=True, max_length=1024, verbose_name="run")),
                ("step", models.CharField(blank=True, max_length=128, verbose_name="step")),
                ("public_id", models.UUIDField(default=uuid.uuid4, unique=True, verbose_name="public id")),
                ("epoch", models.PositiveBigIntegerField(default=0, verbose_name="epoch")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("recorded", "Recorded"),
                            ("queued", "Waiting to leave"),
                            ("sending", "Leaving"),
                            ("sent", "Sent"),
                            ("withheld", "Withheld"),
                            ("refused", "Refused by the receiver"),
                            ("expired", "Expired"),
                            ("dead", "Given up"),
                        ],
                        default="recorded",
                        max_length=16,
                        verbose_name="state",
                    ),
                ),
                ("after_ms", models.PositiveIntegerField(default=0, verbose_name="pause before it (ms)")),
                ("due", models.DateTimeField(null=True, verbose_name="due")),
                (
                    "inbound_seq",
                    models.PositiveBigIntegerField(
                        help_text="The conversation's when it was written: a later inbound ends the pauses before it.",
                        null=True,
                    ),
                ),
                ("expires_at", models.DateTimeField(null=True, verbose_name="expires")),
                ("lease_owner", models.CharField(blank=True, max_length=64)),
                ("lease_until", models.DateTimeField(null=True, verbose_name="held until")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                ("error", models.CharField(blank=True, max_length=200, verbose_name="error")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created")),
                ("sent_at", models.DateTimeField(null=True, verbose_name="sent")),
            ],
            options={
                "verbose_name": "message",
                "verbose_name_plural": "messages",
                "ordering": ("session", "seq"),
            },
        ),
        migrations.CreateModel(
            name="Secret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        max_length=64,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                ("ciphertext", models.TextField(editable=False, verbose_name="ciphertext")),
                (
                    "allowed_hosts",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="The only hosts that the value is ever sent to, such as api.example.com.",
                        verbose_name="allowed hosts",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="created"),
                ),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
            ],
            options={
                "verbose_name": "secret",
                "verbose_name_plural": "secrets",
                "ordering": ("tenant", "name"),
            },
        ),
        migrations.CreateModel(
            name="Tenant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "slug",
                    models.CharField(
                        max_length=64,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                (
                    "locale",
                    models.CharField(
                        choices=[("en", "English"), ("pt-br", "Portuguese (Brazil)")],
                        default="en",
                        max_length=10,
                        verbose_name="language",
                    ),
                ),
                (
                    "time_zone",
                    models.CharField(
                        default="UTC",
                        help_text="A name such as America/Sao_Paulo: opening hours and dates are told in it.",
                        max_length=64,
                        validators=[falai_django.models.tenants.validate_time_zone],
                        verbose_name="time zone",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Off: no agent of this tenant answers, and what is due waits.",
                        verbose_name="active",
                    ),
                ),
                (
                    "tokens_per_day",
                    models.PositiveBigIntegerField(
                        blank=True,
                        help_text="Over it, agents keep silent until the next day. Empty: no limit.",
                        null=True,
                        verbose_name="tokens per day",
                    ),
                ),
                (
                    "grace_hours",
                    models.PositiveSmallIntegerField(
                        default=12,
                        help_text="After a downtime, a nudge that is later than this is not sent any more.",
                        verbose_name="grace for late wakes (hours)",
                    ),
                ),
                (
                    "config_version",
                    models.PositiveBigIntegerField(default=1, editable=False, verbose_name="configuration version"),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="created"),
                ),
            ],
            options={
                "verbose_name": "tenant",
                "verbose_name_plural": "tenants",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Anchor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64, verbose_name="name")),
                ("key", models.CharField(max_length=128, verbose_name="key")),
                ("last_inbound_at", models.DateTimeField(null=True, verbose_name="last heard of")),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="anchors",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "anchor",
                "verbose_name_plural": "anchors",
                "ordering": ("agent", "name", "key"),
            },
        ),
        migrations.CreateModel(
            name="Flow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=64,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200, verbose_name="name")),
                (
                    "description",
                    models.TextField(
                        blank=True,
                        help_text="What it is for, told to the model when it speaks.",
                        verbose_name="description",
                    ),
                ),
                (
                    "is_enabled",
                    models.BooleanField(
                        default=True, help_text="Only enabled flows are published.", verbose_name="enabled"
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                (
                    "head",
                    falai_django.models.ordered_json.OrderedJSONField(
                        default=dict, verbose_name="the rest of its head"
                    ),
                ),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                ("next_step", models.PositiveIntegerField(default=1, editable=False)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flows",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
                "ordering": ("agent", "position", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempt", models.PositiveSmallIntegerField(verbose_name="try")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                (
                    "sender",
                    models.CharField(
                        blank=True, help_text="As it was called then.", max_length=200, verbose_name="sender"
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[("sent", "Sent"), ("refused", "Refused by the receiver"), ("failed", "Failed")],
                        max_length=16,
                        verbose_name="outcome",
                    ),
                ),
                ("code", models.CharField(blank=True, max_length=200, verbose_name="why")),
                ("status", models.PositiveSmallIntegerField(null=True, verbose_name="HTTP status")),
                ("milliseconds", models.PositiveIntegerField(verbose_name="milliseconds")),
                ("request", models.TextField(blank=True, verbose_name="what was sent")),
                ("response", models.TextField(blank=True, verbose_name="what came back")),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="falai.message",
                        verbose_name="message",
                    ),
                ),
            ],
            options={
                "verbose_name": "delivery",
                "verbose_name_plural": "deliveries",
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("document", falai_django.models.ordered_json.OrderedJSONField(verbose_name="document")),
                ("spec_version", models.PositiveSmallIntegerField(verbose_name="version of the format")),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of the document.", max_length=64, verbose_name="digest"),
                ),
                ("sensitive", models.JSONField(default=list, verbose_name="sensitive fields")),
                ("note", models.TextField(blank=True, verbose_name="note")),
                ("created_by_name", models.CharField(blank=True, max_length=200, verbose_name="published by")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="published")),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="releases",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="published by",
                    ),
                ),
            ],
            options={
                "verbose_name": "release",
                "verbose_name_plural": "releases",
                "ordering": ("agent", "-number"),
            },
        ),
        migrations.AddField(
            model_name="agent",
            name="active_release",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="falai.release",
                verbose_name="active release",
            ),
        ),
        migrations.CreateModel(
            name="Sender",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("webhook", "Webhook: posted to a URL"),
                            ("python", "Python: a registered function"),
                            ("poll", "Poll: fetched by a program"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("url", models.CharField(blank=True, max_length=500, verbose_name="URL")),
                ("python_name", models.CharField(blank=True, max_length=200, verbose_name="registered name")),
                (
                    "next_secret",
                    models.ForeignKey(
                        blank=True,
                        help_text="While a secret is being replaced, messages are signed with both.",
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="falai.secret",
                        verbose_name="next signing secret",
                    ),
                ),
                (
                    "secret",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="falai.secret",
                        verbose_name="signing secret",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="senders",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "sender",
                "verbose_name_plural": "senders",
                "ordering": ("tenant", "name"),
            },
        ),
        migrations.AddField(
            model_name="agent",
            name="sender",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="agents",
                to="falai.sender",
                verbose_name="sender",
            ),
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("session_id", models.CharField(max_length=128, verbose_name="session")),
                ("version", models.PositiveBigIntegerField(default=0, verbose_name="version")),
                ("blob", falai_django.models.ordered_json.OrderedJSONField(null=True, verbose_name="blob")),
                ("next_seq", models.PositiveBigIntegerField(default=1)),
                ("inbound_seq", models.PositiveBigIntegerField(default=0)),
                (
                    "queue_seq",
                    models.PositiveBigIntegerField(
                        default=0,
                        help_text="Raised by every row that joins its queue, so that no commit overlooks one.",
                    ),
                ),
                ("silence_seq", models.PositiveBigIntegerField(default=0)),
                ("context", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="context")),
                (
                    "last_given",
                    falai_django.models.ordered_json.OrderedJSONField(
                        default=dict, help_text="What the last caller gave, for turns without a caller."
                    ),
                ),
                ("anchors", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="anchors")),
                ("silenced", models.CharField(max_length=200, null=True, verbose_name="silenced")),
                ("silenced_until", models.DateTimeField(null=True, verbose_name="silenced until")),
                ("lease_owner", models.CharField(blank=True, max_length=64)),
                ("lease_until", models.DateTimeField(null=True, verbose_name="held until")),
                ("due", models.DateTimeField(null=True, verbose_name="due")),
                ("unreadable", models.PositiveSmallIntegerField(default=0, verbose_name="found unreadable")),
                (
                    "epoch",
                    models.PositiveBigIntegerField(
                        default=0,
                        help_text="The sequence of its first message: those before it are no history.",
                        verbose_name="epoch",
                    ),
                ),
                ("unanswered", models.PositiveSmallIntegerField(default=0, verbose_name="unanswered in a row")),
                ("apologized", models.BooleanField(default=False, verbose_name="apologised")),
                (
                    "counted_from",
                    models.DateTimeField(help_text="When the hour began whose turns are counted.", null=True),
                ),
                ("counted_turns", models.PositiveIntegerField(default=0)),
                (
                    "last_now",
                    models.DateTimeField(help_text="The time of its last turn: none comes before it.", null=True),
                ),
                (
                    "last_activity_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last activity"),
                ),
                ("erasing_at", models.DateTimeField(null=True, verbose_name="erasing since")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created")),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "conversation",
                "verbose_name_plural": "conversations",
                "ordering": ("-last_activity_at", "-pk"),
            },
        ),
        migrations.AddField(
            model_name="message",
            name="session",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="falai.session",
                verbose_name="conversation",
            ),
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("dedupe_key", models.CharField(max_length=1024, verbose_name="key")),
                ("flow", models.CharField(max_length=128, verbose_name="flow")),
                ("name", models.CharField(max_length=64, verbose_name="name of the anchor")),
                ("anchor", models.CharField(max_length=128, verbose_name="anchor")),
                (
                    "at",
                    models.CharField(
                        help_text="An ISO time, kept as it was written.", max_length=64, verbose_name="at"
                    ),
                ),
                ("live", models.BooleanField(default=False, verbose_name="live")),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="claims",
                        to="falai.session",
                        verbose_name="conversation",
                    ),
                ),
            ],
            options={
                "verbose_name": "claim",
                "verbose_name_plural": "claims",
                "ordering": ("agent", "pk"),
            },
        ),
        migrations.CreateModel(
            name="AnchorSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "anchor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="falai.anchor",
                        verbose_name="anchor",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="anchor_links",
                        to="falai.session",
                        verbose_name="conversation",
                    ),
                ),
            ],
            options={
                "verbose_name": "conversation of an anchor",
                "verbose_name_plural": "conversations of anchors",
            },
        ),
        migrations.AddField(
            model_name="anchor",
            name="sessions",
            field=models.ManyToManyField(
                related_name="anchor_rows",
                through="falai.AnchorSession",
                to="falai.session",
                verbose_name="conversations",
            ),
        ),
        migrations.CreateModel(
            name="SessionRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("run_id", models.CharField(max_length=1024, verbose_name="run")),
                (
                    "flow",
                    models.CharField(
                        help_text="The slug: the flow itself may be gone.", max_length=128, verbose_name="flow"
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        blank=True, help_text="Empty: before the first step.", max_length=128, verbose_name="step"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("asking", "talking"),
                            ("waiting", "waiting"),
                            ("suspended", "interrupted"),
                        ],
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("waiting_until", models.DateTimeField(null=True, verbose_name="waiting until")),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="session_runs",
                        to="falai.session",
                        verbose_name="conversation",
                    ),
                ),
            ],
            options={
                "verbose_name": "run",
                "verbose_name_plural": "runs",
                "ordering": ("session", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Step",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                ("label", models.CharField(blank=True, max_length=200, verbose_name="label")),
                ("body", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="body")),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                ("step_id", models.CharField(editable=False, max_length=128, verbose_name="id")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("collect", "Talk and collect fields"),
                            ("prompt", "Talk"),
                            ("say", "Say a fixed text"),
                            ("do", "Do an action"),
                            ("wait", "Wait for a time"),
                            ("waitEvent", "Wait for an event"),
                            ("if", "Fork"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "flow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="steps",
                        to="falai.flow",
                        verbose_name="flow",
                    ),
                ),
            ],
            options={
                "verbose_name": "step",
                "verbose_name_plural": "steps",
                "ordering": ("flow", "position", "pk"),
            },
        ),
        migrations.AddField(
            model_name="secret",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="secrets",
                to="falai.tenant",
                verbose_name="tenant",
            ),
        ),
        migrations.CreateModel(
            name="OpeningSpan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "weekday",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "Monday"),
                            (1, "Tuesday"),
                            (2, "Wednesday"),
                            (3, "Thursday"),
                            (4, "Friday"),
                            (5, "Saturday"),
                            (6, "Sunday"),
                        ],
                        verbose_name="weekday",
                    ),
                ),
                ("opens", models.TimeField(verbose_name="opens")),
                (
                    "closes",
                    models.TimeField(
                        help_text="Not later than it opens: it closes on the next day, past midnight.",
                        verbose_name="closes",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="opening_spans",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "opening hours",
                "verbose_name_plural": "opening hours",
                "ordering": ("weekday", "opens"),
            },
        ),
        migrations.CreateModel(
            name="ModelProvider",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField(default=0, verbose_name="order")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("anthropic", "anthropic"),
                            ("deepseek", "deepseek"),
                            ("gemini", "gemini"),
                            ("offline", "offline"),
                            ("openai", "openai"),
                            ("openai-compatible", "openai-compatible"),
                            ("openrouter", "openrouter"),
                        ],
                        max_length=32,
                        verbose_name="kind",
                    ),
                ),
                ("model", models.CharField(blank=True, max_length=200, verbose_name="model")),
                (
                    "base_url",
                    models.CharField(
                        blank=True, help_text="Empty: the vendor's own.", max_length=500, verbose_name="base URL"
                    ),
                ),
                (
                    "credential_env",
                    models.CharField(
                        blank=True,
                        help_text="A name of the setting FALAI_CREDENTIAL_ENV; only a superuser may set it.",
                        max_length=200,
                        verbose_name="credential from the environment",
                    ),
                ),
                ("sampling", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="sampling")),
                (
                    "json_with_tools",
                    models.CharField(
                        blank=True,
                        choices=[("response_format", "By response format"), ("prompt", "By the prompt")],
                        help_text="How the model is asked for JSON in a call that offers tools. Empty: as its kind does.",
                        max_length=16,
                        verbose_name="JSON together with tools",
                    ),
                ),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                (
                    "secret",
                    models.ForeignKey(
                        blank=True,
                        help_text="The secret that holds the vendor's API key.",
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="falai.secret",
                        verbose_name="credential",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="model_providers",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "model provider",
                "verbose_name_plural": "model providers",
                "ordering": ("tenant", "position", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "Viewer: sees everything"),
                            ("operator", "Operator: works with conversations"),
                            ("author", "Author: edits drafts"),
                            ("publisher", "Publisher: publishes and activates"),
                            ("owner", "Owner: members, keys, secrets, providers, settings"),
                        ],
                        default="viewer",
                        max_length=16,
                        verbose_name="role",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="since"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="falai_memberships",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "member",
                "verbose_name_plural": "members",
                "ordering": ("tenant", "created_at"),
            },
        ),
        migrations.CreateModel(
            name="Holiday",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("date", models.DateField(verbose_name="date")),
                ("name", models.CharField(blank=True, max_length=200, verbose_name="name")),
                (
                    "opens",
                    models.TimeField(
                        blank=True, help_text="Both times empty: closed all day.", null=True, verbose_name="opens"
                    ),
                ),
                ("closes", models.TimeField(blank=True, null=True, verbose_name="closes")),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="holidays",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "holiday",
                "verbose_name_plural": "holidays",
                "ordering": ("date",),
            },
        ),
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "actor_name",
                    models.CharField(
                        blank=True,
                        help_text="As it was called then: a user, an API key or a command.",
                        max_length=200,
                        verbose_name="who",
                    ),
                ),
                ("action", models.CharField(max_length=64, verbose_name="did")),
                ("target", models.CharField(blank=True, max_length=300, verbose_name="what")),
                ("detail", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="detail")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="who",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit_records",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "audit record",
                "verbose_name_plural": "audit records",
                "ordering": ("-at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                ("prefix", models.CharField(editable=False, max_length=16, unique=True, verbose_name="prefix")),
                ("digest", models.CharField(editable=False, max_length=64, unique=True, verbose_name="digest")),
                ("scopes", models.JSONField(default=list, verbose_name="scopes")),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="created"),
                ),
                ("last_used_at", models.DateTimeField(editable=False, null=True, verbose_name="last used")),
                ("revoked_at", models.DateTimeField(editable=False, null=True, verbose_name="revoked")),
                (
                    "created_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="made by",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_keys",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "API key",
                "verbose_name_plural": "API keys",
                "ordering": ("tenant", "name"),
            },
        ),
        migrations.AddField(
            model_name="agent",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="agents",
                to="falai.tenant",
                verbose_name="tenant",
            ),
        ),
        migrations.CreateModel(
            name="TokenCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField(verbose_name="day")),
                ("tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens")),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="token_counts",
                        to="falai.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "tokens of a day",
                "verbose_name_plural": "tokens of days",
                "ordering": ("tenant", "-day"),
            },
        ),
        migrations.CreateModel(
            name="Tool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=128,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                ("body", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="declaration")),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("python", "A registered Python function"),
                            ("http", "An HTTP request"),
                            ("update_state", "Setting fields and variables"),
                        ],
                        default="python",
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tools",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool",
                "verbose_name_plural": "tools",
                "ordering": ("agent", "position", "pk"),
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Trigger",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                ("label", models.CharField(blank=True, max_length=200, verbose_name="label")),
                ("body", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="body")),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("message", "The customer's message is about it"),
                            ("mention", "The customer mentions something"),
                            ("silence", "The customer stays silent"),
                            ("event", "An event arrives"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "flow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="triggers",
                        to="falai.flow",
                        verbose_name="flow",
                    ),
                ),
            ],
            options={
                "verbose_name": "trigger",
                "verbose_name_plural": "triggers",
                "ordering": ("flow", "position", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("message", "Message"),
                            ("wake", "Wake"),
                            ("event", "Event"),
                            ("start", "Start"),
                            ("set", "Values set"),
                            ("human", "A person wrote"),
                            ("end", "Run ended"),
                            ("close", "Closed"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("key", models.CharField(max_length=1024, verbose_name="key")),
                ("input", falai_django.models.ordered_json.OrderedJSONField(verbose_name="input")),
                ("digest", models.CharField(max_length=64, verbose_name="digest")),
                (
                    "deliver",
                    models.CharField(
                        choices=[("response", "In the response: the caller sends them"), ("sender", "By the sender")],
                        max_length=16,
                        verbose_name="replies leave",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("done", "Done"),
                            ("merged", "Answered with a later message"),
                            ("missed", "Missed"),
                            ("failed", "Failed"),
                            ("dead", "Dead"),
                            ("dropped", "Dropped"),
                        ],
                        default="received",
                        max_length=16,
                        verbose_name="state",
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                ("model_failures", models.PositiveSmallIntegerField(default=0, verbose_name="model failures")),
                (
                    "results_dropped",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="How often a message came while it was being phrased.",
                        verbose_name="results dropped",
                    ),
                ),
                ("not_before", models.DateTimeField(null=True, verbose_name="not before")),
                (
                    "picked_at",
                    models.DateTimeField(
                        help_text="From then on no message joins its group any more.",
                        null=True,
                        verbose_name="first run",
                    ),
                ),
                (
                    "wanted_release",
                    models.CharField(
                        blank=True,
                        help_text="A number or `draft`; empty: the active one.",
                        max_length=16,
                        verbose_name="release asked for",
                    ),
                ),
                ("epoch", models.PositiveBigIntegerField(default=0, verbose_name="epoch")),
                ("outcomes", falai_django.models.ordered_json.OrderedJSONField(null=True, verbose_name="outcomes")),
                ("calls", models.PositiveSmallIntegerField(default=0, verbose_name="model calls")),
                ("tokens", models.PositiveIntegerField(default=0, verbose_name="tokens")),
                ("milliseconds", models.PositiveIntegerField(null=True, verbose_name="milliseconds")),
                ("error", models.CharField(blank=True, max_length=64, verbose_name="error")),
                ("error_detail", models.TextField(blank=True, verbose_name="error in full")),
                ("response", falai_django.models.ordered_json.OrderedJSONField(null=True, verbose_name="response")),
                ("received_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="received")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
                (
                    "merged_into",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="merged",
                        to="falai.turn",
                        verbose_name="into",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="falai.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to="falai.session",
                        verbose_name="conversation",
                    ),
                ),
            ],
            options={
                "verbose_name": "turn",
                "verbose_name_plural": "turns",
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("action", "Action"), ("tool", "Tool")], max_length=16, verbose_name="kind"
                    ),
                ),
                ("key", models.CharField(max_length=1024, verbose_name="key")),
                (
                    "state",
                    models.CharField(
                        choices=[("started", "Started"), ("done", "Done")],
                        default="started",
                        max_length=16,
                        verbose_name="state",
                    ),
                ),
                ("result", falai_django.models.ordered_json.OrderedJSONField(null=True, verbose_name="result")),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="started")),
                ("done_at", models.DateTimeField(null=True, verbose_name="done")),
                (
                    "turn",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="receipts",
                        to="falai.turn",
                        verbose_name="turn",
                    ),
                ),
            ],
            options={
                "verbose_name": "receipt",
                "verbose_name_plural": "receipts",
                "ordering": ("turn", "pk"),
            },
        ),
        migrations.AddField(
            model_name="message",
            name="turn",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="messages",
                to="falai.turn",
                verbose_name="turn",
            ),
        ),
        migrations.CreateModel(
            name="Wake",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=1024, verbose_name="key")),
                ("due", models.DateTimeField(verbose_name="due")),
                (
                    "held_due",
                    models.DateTimeField(
                        help_text="When it was really due: while its agent is off, it is looked at now and then.",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created")),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="wakes",
                        to="falai.session",
                        verbose_name="conversation",
                    ),
                ),
            ],
            options={
                "verbose_name": "wake",
                "verbose_name_plural": "wakes",
                "ordering": ("due", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Action",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=128,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                ("body", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="declaration")),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("python", "A registered Python function"),
                            ("http", "An HTTP request"),
                            ("update_state", "Setting fields and variables"),
                        ],
                        default="python",
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="actions",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "action",
                "verbose_name_plural": "actions",
                "ordering": ("agent", "position", "pk"),
                "abstract": False,
                "constraints": [models.UniqueConstraint(fields=("agent", "slug"), name="falai_action_slug")],
            },
        ),
        migrations.CreateModel(
            name="Condition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=128,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                ("body", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="declaration")),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[("python", "A registered Python function"), ("compare", "A comparison")],
                        default="compare",
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conditions",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "condition",
                "verbose_name_plural": "conditions",
                "ordering": ("agent", "position", "pk"),
                "abstract": False,
                "constraints": [models.UniqueConstraint(fields=("agent", "slug"), name="falai_condition_slug")],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=128,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                ("body", falai_django.models.ordered_json.OrderedJSONField(default=dict, verbose_name="declaration")),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "ordering": ("agent", "position", "pk"),
                "abstract": False,
                "constraints": [models.UniqueConstraint(fields=("agent", "slug"), name="falai_event_slug")],
            },
        ),
        migrations.CreateModel(
            name="Field",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False, verbose_name="version")),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="changed"),
                ),
                ("changed_by", models.CharField(blank=True, editable=False, max_length=200, verbose_name="changed by")),
                (
                    "is_released",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="Its slug does not change any more.",
                        verbose_name="used by a release",
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=64,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9_-]+\\Z",
                                "Use small letters without accents, digits, hyphens and underscores.",
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("label", models.CharField(blank=True, max_length=200, verbose_name="label")),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("string", "Text"),
                            ("number", "Number"),
                            ("integer", "Whole number"),
                            ("boolean", "Yes or no"),
                        ],
                        default="string",
                        max_length=16,
                        verbose_name="type",
                    ),
                ),
                (
                    "enum",
                    falai_django.models.ordered_json.OrderedJSONField(blank=True, null=True, verbose_name="choices"),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, help_text="What it is, told to the model.", verbose_name="description"
                    ),
                ),
                ("ask", models.TextField(blank=True, verbose_name="how to ask")),
                (
                    "extract",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("anywhere", "From anything the customer says"),
                            ("asked", "Only when it was asked for"),
                        ],
                        help_text="Empty: yes-or-no fields only when asked, all others from anything said.",
                        max_length=16,
                        verbose_name="taken",
                    ),
                ),
                (
                    "is_sensitive",
                    models.BooleanField(
                        default=False, help_text="Masked in logs, exports and responses.", verbose_name="sensitive"
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0, verbose_name="order")),
                (
                    "rest",
                    falai_django.models.ordered_json.OrderedJSONField(
                        default=dict, editable=False, verbose_name="the rest of its declaration"
                    ),
                ),
                ("schema_version", models.PositiveSmallIntegerField(default=1, editable=False)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fields",
                        to="falai.agent",
                        verbose_name="agent",
                    ),
                ),
            ],
            options={
                "verbose_name": "field",
                "verbose_name_plural": "fields",
                "ordering": ("agent", "position", "pk"),
                "constraints": [models.UniqueConstraint(fields=("agent", "slug"), name="falai_field_slug")],
            },
        ),
        migrations.AddConstraint(
            model_name="flow",
            constraint=models.UniqueConstraint(fields=("agent", "slug"), name="falai_flow_slug"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["at"], name="falai_delivery_retention"),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.UniqueConstraint(fields=("agent", "number"), name="falai_release_number"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("due__isnull", False)), fields=["due", "lease_until"], name="falai_session_due"
            ),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["agent", "-last_activity_at"], name="falai_session_activity"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("erasing_at__isnull", False)), fields=["erasing_at"], name="falai_session_erasing"
            ),
        ),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.UniqueConstraint(fields=("agent", "session_id"), name="falai_session_id"),
        ),
        migrations.AddIndex(
            model_name="claim",
            index=models.Index(fields=["agent", "flow", "anchor"], name="falai_claim_anchor"),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(fields=("agent", "dedupe_key"), name="falai_claim_key"),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(
                condition=models.Q(("live", True)), fields=("agent", "flow", "anchor"), name="falai_claim_live"
            ),
        ),
        migrations.AddConstraint(
            model_name="anchorsession",
            constraint=models.UniqueConstraint(fields=("anchor", "session"), name="falai_anchor_session"),
        ),
        migrations.AddConstraint(
            model_name="anchor",
            constraint=models.UniqueConstraint(fields=("agent", "name", "key"), name="falai_anchor_key"),
        ),
        migrations.AddIndex(
            model_name="sessionrun",
            index=models.Index(fields=["flow", "step", "status"], name="falai_run_where"),
        ),
        migrations.AddConstraint(
            model_name="step",
            constraint=models.UniqueConstraint(fields=("flow", "step_id"), name="falai_step_id"),
        ),
        migrations.AddConstraint(
            model_name="sender",
            constraint=models.UniqueConstraint(fields=("tenant", "name"), name="falai_sender_name"),
        ),
        migrations.AddConstraint(
            model_name="sender",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["webhook", "python", "poll"])), name="falai_sender_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="secret",
            constraint=models.UniqueConstraint(fields=("tenant", "name"), name="falai_secret_name"),
        ),
        migrations.AddConstraint(
            model_name="openingspan",
            constraint=models.CheckConstraint(condition=models.Q(("weekday__lte", 6)), name="falai_opening_weekday"),
        ),
        migrations.AddConstraint(
            model_name="openingspan",
            constraint=models.UniqueConstraint(fields=("tenant", "weekday", "opens"), name="falai_opening_once"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("user", "tenant"), name="falai_member_once"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["viewer", "operator", "author", "publisher", "owner"])),
                name="falai_member_role",
            ),
        ),
        migrations.AddConstraint(
            model_name="holiday",
            constraint=models.UniqueConstraint(fields=("tenant", "date"), name="falai_holiday_once"),
        ),
        migrations.AddConstraint(
            model_name="holiday",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closes__isnull", True), ("opens__isnull", True)),
                    models.Q(("closes__isnull", False), ("opens__isnull", False)),
                    _connector="OR",
                ),
                name="falai_holiday_both_times",
                violation_error_message="Give both times, or none for closed all day.",
            ),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=models.Index(fields=["tenant", "-at"], name="falai_audit_by_time"),
        ),
        migrations.AddConstraint(
            model_name="agent",
            constraint=models.UniqueConstraint(fields=("tenant", "slug"), name="falai_agent_slug"),
        ),
        migrations.AddConstraint(
            model_name="tokencount",
            constraint=models.UniqueConstraint(fields=("tenant", "day"), name="falai_tokens_day"),
        ),
        migrations.AddConstraint(
            model_name="tool",
            constraint=models.UniqueConstraint(fields=("agent", "slug"), name="falai_tool_slug"),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("state", "received")), fields=["session", "id"], name="falai_turn_queue"
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(fields=["session", "-id"], name="falai_turn_log"),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("state__in", ["failed", "dead", "missed"])),
                fields=["state", "ended_at"],
                name="falai_turn_trouble",
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(fields=["received_at"], name="falai_turn_retention"),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(fields=("session", "kind", "key"), name="falai_turn_key"),
        ),
        migrations.AddConstraint(
            model_name="receipt",
            constraint=models.UniqueConstraint(fields=("turn", "kind", "key"), name="falai_receipt_key"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("state__in", ["queued", "sending"])),
                fields=["session", "seq"],
                name="falai_message_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("state__in", ["queued", "sending"])), fields=["due"], name="falai_message_due"
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("state__in", ["dead", "refused", "expired"])),
                fields=["state", "created_at"],
                name="falai_message_trouble",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["created_at"], name="falai_message_retention"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("session", "seq"), name="falai_message_seq"),
        ),
        migrations.AddIndex(
            model_name="wake",
            index=models.Index(fields=["due", "id", "session"], name="falai_wake_due"),
        ),
        migrations.AddIndex(
            model_name="wake",
            index=models.Index(
                condition=models.Q(("held_due__isnull", False)), fields=["session"], name="falai_wake_held"
            ),
        ),
        migrations.AddConstraint(
            model_name="wake",
            constraint=models.UniqueConstraint(fields=("session", "key"), name="falai_wake_key"),
        ),
    ]
