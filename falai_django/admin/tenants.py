"""A tenant's settings, opening hours and holidays."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar
from zoneinfo import available_timezones

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.editing import EditedAdmin, EditingForm, take_over
from falai_django.authoring import LIVE, change_tenant, create_tenant, set_holidays, set_opening_hours
from falai_django.models import Holiday, OpeningSpan, Tenant
from falai_django.roles import Capability

__all__ = ["TenantSettingsAdmin"]


if TYPE_CHECKING:
    _TabularInline = admin.TabularInline[Any, Tenant]
else:
    _TabularInline = admin.TabularInline


class _NamedInputs(forms.BaseInlineFormSet):  # type: ignore[type-arg] # takes none when it runs
    """Each input has a name of its own for who hears the page."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if "DELETE" in form.fields:
            form.fields["DELETE"].widget.attrs["aria-label"] = _("Delete")


class _TenantInline(_TabularInline):
    """Rows of a tenant's page; who may change the tenant may change them."""

    extra = 1
    formset = _NamedInputs

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            # The column's heading is no name of the input.
            field.widget.attrs["aria-label"] = db_field.verbose_name
        return field

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def _may_change(self, request: HttpRequest, tenant: Any) -> bool:
        capability = TenantSettingsAdmin.capabilities["change"]
        return tenant is not None and TenantSettingsAdmin(Tenant, self.admin_site).may_with(request, capability, tenant)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_change(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_change(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_change(request, obj)


class OpeningSpanInline(_TenantInline):
    """None at all: always open."""

    model = OpeningSpan
    fields = ("weekday", "opens", "closes")


class HolidayInline(_TenantInline):
    """Both times empty: closed all day."""

    model = Holiday
    fields = ("date", "name", "opens", "closes")


@cache
def _zones() -> frozenset[str]:
    """Read from many files, so once."""
    return frozenset(available_timezones())


class TenantForm(EditingForm):
    """A new tenant also names its first owner."""

    time_zone = forms.ChoiceField(label=_("Time zone"), help_text=_("Opening hours and dates are told in it."))
    owner = forms.EmailField(
        label=_("Owner"), required=False, help_text=_("Gets an invitation by e-mail, and may do everything in it.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "time_zone" in self.fields:
            zones = sorted({*_zones(), self.instance.time_zone})
            chooser: Any = self.fields["time_zone"]
            chooser.choices = [(zone, zone) for zone in zones]


@admin.register(Tenant)
class TenantSettingsAdmin(EditedAdmin):
    """Made by superusers, changed by owners, never deleted here."""

    capabilities: ClassVar = {"view": Capability.VIEW, "change": Capability.OWN}
    form = TenantForm
    inlines = (OpeningSpanInline, HolidayInline)
    list_display = ("name", "slug", "locale", "time_zone", "is_active")
    list_filter = ("is_active",)
    search_fields = ("name", "slug")
    fieldsets = (
        (None, {"fields": ("name", "slug", "is_active")}),
        (_("Where it is"), {"fields": ("locale", "time_zone")}),
        (_("Limits"), {"fields": ("tokens_per_day", "grace_hours")}),
    )
    add_fieldsets = ((None, {"fields": ("name", "slug", "locale", "time_zone", "owner")}),)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fieldsets if obj is not None else self.add_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("slug",)

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj is not None else ()

    def has_add_permission(self, request: HttpRequest, *_above: Any) -> bool:
        return actor_of(request).is_superuser

    def create(self, request: HttpRequest, form: Any) -> Tenant:
        typed = form.cleaned_data
        names = ("slug", "name", "owner", "locale", "time_zone")
        return create_tenant(actor_of(request), **{name: typed[name] for name in names})

    def change(self, request: HttpRequest, row: Any, form: Any) -> Tenant:
        values = {name: form.cleaned_data[name] for name in form.changed_data if name in LIVE[Tenant]}
        return change_tenant(actor_of(request), row, values, version=form.token)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The lists as wholes, for a list is what `authoring` replaces; the page is one transaction."""
        for formset in formsets:
            if formset.has_changed():
                take_over(form.instance, _REPLACED[formset.model](actor_of(request), form.instance, _kept(formset)))
            # What Django tells of afterwards.
            formset.new_objects, formset.changed_objects, formset.deleted_objects = [], [], []


def _kept(formset: Any) -> list[dict[str, Any]]:
    rows = (each.cleaned_data for each in formset.forms if each not in formset.deleted_forms)
    return [row for row in rows if row]


def _set_hours(actor: Any, tenant: models.Model, rows: Any) -> Tenant:
    spans = [(row["weekday"], row["opens"], row["closes"]) for row in rows]
    return set_opening_hours(actor, tenant, spans, version=None)  # type: ignore[arg-type] # the form's instance


def _set_holidays(actor: Any, tenant: models.Model, rows: Any) -> Tenant:
    days = [(row["date"], row["name"], row["opens"], row["closes"]) for row in rows]
    return set_holidays(actor, tenant, days, version=None)  # type: ignore[arg-type] # the form's instance


_REPLACED = {OpeningSpan: _set_hours, Holiday: _set_holidays}
