"""Secrets: typed once, never shown."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.editing import EditedAdmin, EditingForm
from falai_django.admin.inputs import LinesField
from falai_django.admin.narrowing import TenantFilter
from falai_django.authoring.tenant_secrets import change_secret, delete_secret, make_secret, users_of_secret
from falai_django.models import Secret
from falai_django.roles import Capability

__all__ = ["SecretAdmin"]


class SecretForm(EditingForm):
    """`value` goes in and never comes out."""

    value = forms.CharField(
        label=_("Value"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"class": "vTextField", "autocomplete": "new-password"}),
        help_text=_("Never shown again. Empty: it stays as it is."),
    )
    allowed_hosts = LinesField(
        label=_("Allowed hosts"),
        required=False,
        help_text=_("One a line, such as api.example.com: the only hosts that the value is ever sent to."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            # There is nothing yet that could stay.
            self.fields["value"].help_text = _("Never shown again.")

    def clean_value(self) -> Any:
        value = self.cleaned_data.get("value")
        if self.instance.pk is None and not value:
            raise forms.ValidationError(gettext("Type the value."))
        return value


@admin.register(Secret)
class SecretAdmin(EditedAdmin):
    """Made, replaced and deleted by owners; all others see that it is there."""

    capabilities: ClassVar = dict.fromkeys(("add", "change", "delete"), Capability.OWN) | {"view": Capability.VIEW}
    form = SecretForm
    has_token = False
    list_display = ("name", "hosts", "tenant", "changed_at")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant",)
    search_fields = ("name",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("tenant", "name", "value", "allowed_hosts")
        if not self.has_change_permission(request, obj):
            return ("tenant", "name", "hosts", "users", "changed_at")
        return ("tenant", "name", "value", "allowed_hosts", "users", "changed_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("tenant", "name", "hosts", "users", "changed_at")

    @admin.display(description=_("allowed hosts"))
    def hosts(self, secret: Secret) -> str:
        return ", ".join(map(str, secret.allowed_hosts))

    @admin.display(description=_("used by"))
    def users(self, secret: Secret) -> str:
        return ", ".join(dict.fromkeys(str(user) for user, _host in users_of_secret(secret)))

    def create(self, request: HttpRequest, form: Any) -> Secret:
        typed = form.cleaned_data
        return make_secret(actor_of(request), typed["tenant"], typed["name"], typed["value"], typed["allowed_hosts"])

    def change(self, request: HttpRequest, row: Any, form: Any) -> Secret:
        hosts = form.cleaned_data["allowed_hosts"] if "allowed_hosts" in form.changed_data else None
        return change_secret(actor_of(request), row, value=form.cleaned_data["value"] or None, allowed_hosts=hosts)

    def remove(self, request: HttpRequest, row: Any) -> None:
        delete_secret(actor_of(request), row)
