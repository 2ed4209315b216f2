"""A tenant, when it is open, and who works for it (spec: host.md section 1)."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from falai_django.models.tenancy import TenantRow

__all__ = [
    "Holiday",
    "Membership",
    "OpeningSpan",
    "Role",
    "Tenant",
    "slug_validator",
    "validate_time_zone",
]

slug_validator = RegexValidator(
    r"\A[a-z0-9_-]+\Z", _("Use small letters without accents, digits, hyphens and underscores.")
)
"""What an author may call a thing (flow-spec.md): `:` and `#` separate the engine's keys."""


def validate_time_zone(name: str) -> None:
    """A name of the IANA time zone database."""
    if name not in available_timezones():
        raise ValidationError(_("There is no time zone of this name. One is, for example, America/Sao_Paulo."))


class Locale(models.TextChoices):
    """The languages that a tenant may speak to its authors in."""

    ENGLISH = "en", _("English")
    PORTUGUESE = "pt-br", _("Portuguese (Brazil)")


class Weekday(models.IntegerChoices):
    """As Python counts them."""

    MONDAY = 0, _("Monday")
    TUESDAY = 1, _("Tuesday")
    WEDNESDAY = 2, _("Wednesday")
    THURSDAY = 3, _("Thursday")
    FRIDAY = 4, _("Friday")
    SATURDAY = 5, _("Saturday")
    SUNDAY = 6, _("Sunday")


class Tenant(models.Model):
    """A company that has agents; nothing of it is ever seen by another."""

    slug = models.CharField(_("slug"), max_length=64, unique=True, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200)
    locale = models.CharField(_("language"), max_length=10, choices=Locale.choices, default=Locale.ENGLISH)
    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        default="UTC",
        validators=[validate_time_zone],
        help_text=_("A name such as America/Sao_Paulo: opening hours and dates are told in it."),
    )
    is_active = models.BooleanField(
        _("active"), default=True, help_text=_("Off: no agent of this tenant answers, and what is due waits.")
    )
    tokens_per_day = models.PositiveBigIntegerField(
        _("tokens per day"),
        null=True,
        blank=True,
        help_text=_("Over it, agents keep silent until the next day. Empty: no limit."),
    )
    grace_hours = models.PositiveSmallIntegerField(
        _("grace for late wakes (hours)"),
        default=12,
        help_text=_("After a downtime, a nudge that is later than this is not sent any more."),
    )
    config_version = models.PositiveBigIntegerField(_("configuration version"), default=1, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class OpeningSpan(TenantRow):
    """One span of a week in which the tenant is open. No span at all: always open."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="opening_spans", verbose_name=_("tenant"))
    weekday = models.PositiveSmallIntegerField(_("weekday"), choices=Weekday.choices)
    opens = models.TimeField(_("opens"))
    closes = models.TimeField(
        _("closes"), help_text=_("Not later than it opens: it closes on the next day, past midnight.")
    )

    class Meta:
        verbose_name = _("opening hours")
        verbose_name_plural = _("opening hours")
        ordering = ("weekday", "opens")
        constraints = [
            models.CheckConstraint(condition=Q(weekday__lte=6), name="falai_opening_weekday"),
            models.UniqueConstraint(fields=["tenant", "weekday", "opens"], name="falai_opening_once"),
        ]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()} {self.opens:%H:%M} - {self.closes:%H:%M}"


class Holiday(TenantRow):
    """A date with no opening hours, or with its own."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="holidays", verbose_name=_("tenant"))
    date = models.DateField(_("date"))
    name = models.CharField(_("name"), max_length=200, blank=True)
    opens = models.TimeField(_("opens"), null=True, blank=True, help_text=_("Both times empty: closed all day."))
    closes = models.TimeField(_("closes"), null=True, blank=True)

    class Meta:
        verbose_name = _("holiday")
        verbose_name_plural = _("holidays")
        ordering = ("date",)
        constraints = [
            models.UniqueConstraint(fields=["tenant", "date"], name="falai_holiday_once"),
            models.CheckConstraint(
                condition=Q(opens__isnull=True, closes__isnull=True) | Q(opens__isnull=False, closes__isnull=False),
                name="falai_holiday_both_times",
                violation_error_message=_("Give both times, or none for closed all day."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.date:%Y-%m-%d} {self.name}".strip()


class Role(models.TextChoices):
    """What a member may do; each may do all that those before it may."""

    VIEWER = "viewer", _("Viewer: sees everything")
    OPERATOR = "operator", _("Operator: works with conversations")
    AUTHOR = "author", _("Author: edits drafts")
    PUBLISHER = "publisher", _("Publisher: publishes and activates")
    OWNER = "owner", _("Owner: members, keys, secrets, providers, settings")


class Membership(TenantRow):
    """A user's part in a tenant. Members are invited by their exact e-mail."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="falai_memberships", verbose_name=_("user")
    )
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="memberships", verbose_name=_("tenant"))
    role = models.CharField(_("role"), max_length=16, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(_("since"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        ordering = ("tenant", "created_at")
        constraints = [
            models.UniqueConstraint(fields=["user", "tenant"], name="falai_member_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="falai_member_role"),
        ]

    def __str__(self) -> str:
        # One that is being made may be told of before it is known whose it is.
        user = getattr(self, "user", None)
        return str(self.get_role_display()) if user is None else f"{user} ({self.get_role_display()})"
