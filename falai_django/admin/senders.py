"""The ways that a tenant's messages leave."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.editing import EditedAdmin, EditingForm
from falai_django.admin.narrowing import TenantFilter
from falai_django.authoring.senders import add_sender, change_sender, delete_sender
from falai_django.models import Sender
from falai_django.registry import Kind, registered
from falai_django.roles import Capability, tenants_of

__all__ = ["SenderAdmin"]

_COLUMNS = ("name", "kind", "url", "secret", "next_secret", "python_name")


class SenderForm(EditingForm):
    """`python_name` is chosen among what code registered; `tenants` are those whose names are offered."""

    tenants: ClassVar[tuple[str, ...]] = ()

    python_name = forms.ChoiceField(label=_("Registered name"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "python_name" in self.fields:
            names = {name for tenant in self.tenants for name in registered(Kind.SENDER, tenant)}
            names |= {self.instance.python_name} - {""}
            chooser: Any = self.fields["python_name"]
            chooser.choices = [("", "---------"), *((name, name) for name in sorted(names))]


@admin.register(Sender)
class SenderAdmin(EditedAdmin):
    """Each kind has its own inputs; a script hides those of the others."""

    capabilities: ClassVar = dict.fromkeys(("add", "change", "delete"), Capability.OWN) | {"view": Capability.VIEW}
    form = SenderForm
    has_token = False
    list_display = ("name", "kind", "url", "tenant")
    list_filter = (TenantFilter, "kind")
    list_select_related = ("tenant",)
    search_fields = ("name", "url")
    fieldsets = (
        (None, {"fields": ("tenant", "name", "kind")}),
        (_("Webhook"), {"classes": ("falai-when-kind-webhook",), "fields": ("url", "secret", "next_secret")}),
        (_("Python function"), {"classes": ("falai-when-kind-python",), "fields": ("python_name",)}),
    )

    class Media:
        js = ["falai_django/when.js"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("tenant",)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        owned = tenants_of(actor_of(request), Capability.OWN)
        form.tenants = tuple(owned.values_list("slug", flat=True)) if obj is None else (obj.tenant.slug,)
        return form

    def create(self, request: HttpRequest, form: Any) -> Sender:
        return add_sender(actor_of(request), form.cleaned_data["tenant"], **_values(form))

    def change(self, request: HttpRequest, row: Any, form: Any) -> Sender:
        return change_sender(actor_of(request), row, **_values(form))

    def remove(self, request: HttpRequest, row: Any) -> None:
        delete_sender(actor_of(request), row)


def _values(form: Any) -> dict[str, Any]:
    return {name: form.cleaned_data[name] for name in _COLUMNS if name in form.changed_data}
