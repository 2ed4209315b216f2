"""Who works for a tenant: invited by their exact e-mail; no page lists users to pick from."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.editing import EditedAdmin, EditingForm
from falai_django.admin.narrowing import TenantFilter
from falai_django.admin.pages import Page, page_url, render_page
from falai_django.authoring.members import change_role, invite, invite_again, remove_member
from falai_django.models import Membership
from falai_django.roles import Capability

__all__ = ["MembershipAdmin"]


class MemberForm(EditingForm):
    """A new member is an address and a role."""

    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        help_text=_("The exact address. Who has no user here yet gets a link to choose a password."),
    )

    def clean_email(self) -> Any:
        address = self.cleaned_data.get("email")
        if self.instance.pk is None and not address:
            raise forms.ValidationError(gettext("Type the address of whom you invite."))
        return address


def send_again(model_admin: Any, request: HttpRequest, member: Membership) -> HttpResponse:
    """Ask, then send the invitation once more."""
    if request.method == "POST":
        if model_admin.carry_out(request, lambda: invite_again(actor_of(request), member)):
            messages.success(request, gettext("The invitation was sent again."))
        return HttpResponseRedirect(page_url(model_admin, "change", member))
    return render_page(
        model_admin,
        request,
        "confirm.html",
        _("Send the invitation again"),
        member,
        question=gettext("Send %(member)s the invitation once more?") % {"member": member.user},
        verb=_("Send it"),
    )


@admin.register(Membership)
class MembershipAdmin(EditedAdmin):
    """Adding is inviting."""

    capabilities: ClassVar = dict.fromkeys(("add", "change", "delete"), Capability.OWN) | {"view": Capability.VIEW}
    form = MemberForm
    has_token = False
    pages = (Page("invite-again", _("Send the invitation again"), Capability.OWN, send_again),)
    list_display = ("person", "role_name", "tenant", "created_at")
    list_filter = (TenantFilter, "role")
    list_select_related = ("user", "tenant")
    search_fields = ("user__username", "user__email")

    @admin.display(description=_("person"), ordering="user")
    def person(self, member: Membership) -> str:
        name, address = member.user.get_username(), getattr(member.user, "email", "")
        return name if address in ("", name) else f"{name} ({address})"

    @admin.display(description=_("role"), ordering="role")
    def role_name(self, member: Membership) -> str:
        """Without what it may do, which the form tells."""
        return str(member.get_role_display()).partition(":")[0]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("tenant", "email", "role") if obj is None else ("person", "tenant", "role", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("person", "tenant", "created_at")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Everybody may leave."""
        is_self = obj is not None and obj.user_id == request.user.pk
        return is_self or super().has_delete_permission(request, obj)

    def create(self, request: HttpRequest, form: Any) -> Membership:
        typed = form.cleaned_data
        return invite(actor_of(request), typed["tenant"], typed["email"], typed["role"])

    def change(self, request: HttpRequest, row: Any, form: Any) -> Membership:
        return change_role(actor_of(request), row, form.cleaned_data["role"])

    def remove(self, request: HttpRequest, row: Any) -> None:
        remove_member(actor_of(request), row)
