"""The models that a tenant's agents ask, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.editing import EditedAdmin, EditingForm
from falai_django.admin.inputs import LinesField
from falai_django.admin.narrowing import TenantFilter
from falai_django.admin.outlines import shown
from falai_django.authoring.model_providers import add_provider, change_provider, delete_provider, order_providers
from falai_django.conf import settings
from falai_django.models import ModelProvider
from falai_django.roles import Capability

__all__ = ["ModelProviderAdmin"]

_COLUMNS: Final = ("kind", "model", "base_url", "secret", "credential_env", "json_with_tools", "is_enabled")
_SAMPLING: Final = ("temperature", "top_p", "max_tokens", "stop", "timeout", "attempts")


class ModelProviderForm(EditingForm):
    """Each option of sampling is an input; what none of them is for stays as it is."""

    temperature = forms.FloatField(
        label=_("Temperature"), required=False, min_value=0, help_text=_("Higher is freer. Empty: as the model has it.")
    )
    top_p = forms.FloatField(label=_("Top p"), required=False, min_value=0, max_value=1)
    max_tokens = forms.IntegerField(
        label=_("Most tokens"), required=False, min_value=1, help_text=_("The longest reply that is taken.")
    )
    stop = LinesField(label=_("Stop at"), required=False, help_text=_("One text a line; a reply ends before it."))
    timeout = forms.FloatField(label=_("Time for one call (seconds)"), required=False, min_value=0.1)
    attempts = forms.IntegerField(
        label=_("Attempts"),
        required=False,
        min_value=1,
        help_text=_("How often a call is tried before the next model."),
    )
    credential_env = forms.ChoiceField(
        label=_("Credential from the environment"),
        required=False,
        help_text=_("A key of this site, of those that FALAI_CREDENTIAL_ENV names."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, value in self.instance.sampling.items():
            if name in _SAMPLING:
                self.initial.setdefault(name, value)
        if "credential_env" in self.fields:
            names = dict.fromkeys([*settings().credential_env, self.instance.credential_env])
            chooser: Any = self.fields["credential_env"]
            chooser.choices = [("", "---------"), *((name, name) for name in names if name)]

    @property
    def sampling(self) -> dict[str, Any]:
        """What the row said, with what was typed."""
        typed = {name: self.cleaned_data.get(name) for name in _SAMPLING if name in self.changed_data}
        merged = {**self.instance.sampling, **typed}
        return {name: value for name, value in merged.items() if value not in (None, [])}


@admin.register(ModelProvider)
class ModelProviderAdmin(EditedAdmin):
    """Changed by owners; a key of the site is lent by superusers alone."""

    capabilities: ClassVar = dict.fromkeys(("add", "change", "delete"), Capability.OWN) | {"view": Capability.VIEW}
    form = ModelProviderForm
    has_token = False
    actions = ("ask_earlier", "ask_later")
    list_display = ("__str__", "place", "base_url", "is_enabled", "tenant")
    list_filter = (TenantFilter, "is_enabled")
    list_select_related = ("tenant",)
    search_fields = ("kind", "model")
    ordering = ("tenant", "position", "pk")
    sortable_by = ()
    shown_sampling = shown("sampling", _("sampling"))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        credentials = ("secret", "credential_env") if actor_of(request).is_superuser else ("secret",)
        may_type = obj is None or self.has_change_permission(request, obj)
        sampling = _SAMPLING if may_type else ("shown_sampling",)
        return (
            (None, {"fields": ("tenant", "kind", "model", "is_enabled")}),
            (_("How it is reached"), {"fields": ("base_url", *credentials)}),
            (_("How it is asked"), {"fields": (*sampling, "json_with_tools")}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("tenant", "shown_sampling")

    @admin.display(description=_("order"))
    def place(self, provider: ModelProvider) -> int:
        return provider.position + 1

    def create(self, request: HttpRequest, form: Any) -> ModelProvider:
        return add_provider(actor_of(request), form.cleaned_data["tenant"], **_values(form))

    def change(self, request: HttpRequest, row: Any, form: Any) -> ModelProvider:
        return change_provider(actor_of(request), row, **_values(form))

    def remove(self, request: HttpRequest, row: Any) -> None:
        delete_provider(actor_of(request), row)

    @admin.action(description=_("Ask the selected models earlier"), permissions=["change"])
    def ask_earlier(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._move(request, queryset.order_by("position", "pk"), -1)

    @admin.action(description=_("Ask the selected models later"), permissions=["change"])
    def ask_later(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._move(request, queryset.order_by("-position", "-pk"), 1)

    def _move(self, request: HttpRequest, selected: QuerySet[Any], by: int) -> None:
        for row in selected.select_related("tenant"):
            keys = list(row.tenant.model_providers.order_by("position", "pk").values_list("pk", flat=True))
            at = keys.index(row.pk)
            keys.insert(min(max(at + by, 0), len(keys) - 1), keys.pop(at))
            tenant = row.tenant
            self.carry_out(request, lambda: order_providers(actor_of(request), tenant, keys))  # noqa: B023 - at once


def _values(form: Any) -> Mapping[str, Any]:
    values = {name: form.cleaned_data[name] for name in _COLUMNS if name in form.changed_data}
    if any(name in form.changed_data for name in _SAMPLING):
        values["sampling"] = form.sampling
    return values
