"""Who did what."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from falai_django.admin.narrowing import TenantFilter
from falai_django.admin.outlines import shown
from falai_django.admin.scoped import ReadOnlyAdmin
from falai_django.models import AuditRecord

__all__ = ["AuditRecordAdmin"]


@admin.register(AuditRecord)
class AuditRecordAdmin(ReadOnlyAdmin):
    """Never changed, by nobody."""

    list_display = ("at", "actor_name", "action", "target", "tenant")
    list_filter = (TenantFilter, "action", "at")
    list_select_related = ("tenant",)
    search_fields = ("actor_name", "action", "target")
    fields = ("at", "tenant", "actor_name", "action", "target", "shown_detail")
    shown_detail = shown("detail", _("detail"))
    readonly_fields = ("shown_detail",)
