"""Messages, and what became of each try to send them; what was given up is sent again (spec: host.md section 4)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.cells import short, shortened
from falai_django.admin.narrowing import AgentFilter, TenantFilter
from falai_django.admin.outlines import shown
from falai_django.admin.pages import Page, render_page, row_url
from falai_django.admin.scoped import ReadOnlyAdmin
from falai_django.models import Delivery, Message
from falai_django.outbox import RESENDABLE, resend
from falai_django.roles import Capability

__all__ = ["DeliveryAdmin", "MessageAdmin"]

_MOST_TRIES = 50


def _send_again(model_admin: Any, request: HttpRequest, message: Message) -> HttpResponse:
    """Ask, then put it back into the queue."""
    if request.method == "POST":
        if model_admin.carry_out(request, lambda: resend(actor_of(request), message)):
            messages.success(request, gettext("The message is on its way again."))
        return HttpResponseRedirect(row_url(message, model_admin.admin_site))
    question = gettext("It leaves under its old id, before what waits behind it. Send it again?")
    context = {"question": question, "verb": _("Send it again")}
    return render_page(model_admin, request, "confirm.html", _("Send again"), message, **context)


class GivenUpFilter(admin.SimpleListFilter):
    """What an operator looks after."""

    title = _("given up")
    parameter_name = "given_up"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Not sent any more")), ("waiting", _("Failed, and tried again"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "yes":
                return queryset.filter(state__in=RESENDABLE)
            case "waiting":
                return queryset.filter(state=Message.State.QUEUED, attempts__gt=0)
        return queryset


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """Transcript and outbox."""

    pages = (
        Page("resend", _("Send again"), Capability.OPERATE, _send_again, is_offered=lambda m: m.state in RESENDABLE),
    )
    actions = ("resend_all",)
    list_display = ("excerpt", "short_session", "author", "state_and_error", "created_at")
    list_filter = (TenantFilter, AgentFilter, GivenUpFilter, "author", "direction", "state")
    list_select_related = ("session",)
    search_fields = ("text", "session__session_id")
    ordering = ("-pk",)
    fieldsets = (
        (None, {"fields": ("session", "seq", ("direction", "author"), "text", "shown_media", "recipient")}),
        (
            _("On its way"),
            {"fields": ("state", ("created_at", "due", "sent_at", "expires_at"), "attempts", "error", "tries")},
        ),
        (_("Where it comes from"), {"fields": ("turn", "run_id", "step", "kind", "public_id")}),
    )
    short_session = short("session__session_id", _("conversation"), 16)
    shown_media = shown("media", _("media"))
    readonly_fields = ("shown_media", "tries")

    @admin.display(description=_("text"))
    def excerpt(self, message: Message) -> str:
        longest = 80
        text = message.text or "–"
        return text if len(text) <= longest else f"{text[:longest].rstrip()}…"

    @admin.display(description=_("state"), ordering="state")
    def state_and_error(self, message: Message) -> str:
        told = message.get_state_display()
        return format_html("{}: {}", told, shortened(message.error, 40)) if message.error else told

    @admin.display(description=_("tries"))
    def tries(self, message: Message) -> str:
        """The last ones, each with a way to what was sent and answered."""
        found = message.deliveries.all()[:_MOST_TRIES]
        rows = [(each, row_url(each, self.admin_site)) for each in found]
        return render_to_string("falai_django/admin/tries.html", {"tries": rows})

    @admin.action(description=_("Send the selected messages again"), permissions=["resend"])
    def resend_all(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        chosen = queryset.select_related("session__agent__tenant").order_by("pk")
        sent = [each for each in chosen if self.carry_out(request, lambda: resend(actor_of(request), each))]  # noqa: B023 - called at once
        told = ngettext(
            "%(count)d message is on its way again.", "%(count)d messages are on their way again.", len(sent)
        )
        messages.success(request, told % {"count": len(sent)})

    def has_resend_permission(self, request: HttpRequest) -> bool:
        return self.may_with(request, Capability.OPERATE, None)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    """The log of tries."""

    list_display = ("at", "message_text", "attempt", "outcome", "status", "code", "sender")
    list_filter = (TenantFilter, AgentFilter, "outcome", "at")
    list_select_related = ("message__session",)
    search_fields = ("code", "message__session__session_id")
    fields = (
        "message",
        ("at", "attempt", "sender"),
        ("outcome", "code", "status", "milliseconds"),
        "shown_request",
        "shown_response",
    )
    readonly_fields = ("shown_request", "shown_response")

    @admin.display(description=_("message"))
    def message_text(self, delivery: Delivery) -> str:
        return format_html("{} #{}", shortened(delivery.message.session.session_id, 16), delivery.message.seq)

    @admin.display(description=_("what was sent"))
    def shown_request(self, delivery: Delivery) -> str:
        return _text_box(delivery.request)

    @admin.display(description=_("what came back"))
    def shown_response(self, delivery: Delivery) -> str:
        return _text_box(delivery.response)


def _text_box(text: str) -> str:
    return render_to_string("falai_django/admin/text_box.html", {"text": text})
