"""Who did what."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.narrowing import TenantFilter
from falai_django.admin.outlines import shown
from falai_django.admin.scoped import ReadOnlyAdmin
from falai_django.audit_words import AUDIT_WORDS, audit_words
from falai_django.models import AuditRecord

__all__ = ["AuditRecordAdmin"]


class ActionFilter(admin.SimpleListFilter):
    """By what was done."""

    title = _("action")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return sorted(((code, str(words)) for code, words in AUDIT_WORDS.items()), key=lambda each: each[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(action=self.value())


@admin.register(AuditRecord)
class AuditRecordAdmin(ReadOnlyAdmin):
    """Never changed, by nobody."""

    list_display = ("at", "actor_name", "did", "target", "tenant")
    list_filter = (TenantFilter, ActionFilter, "at")
    list_select_related = ("tenant",)
    search_fields = ("actor_name", "action", "target")
    fields = ("at", "tenant", "actor_name", "did", "target", "shown_detail")
    shown_detail = shown("detail", _("detail"))
    readonly_fields = ("did", "shown_detail")

    @admin.display(description=_("did"), ordering="action")
    def did(self, row: AuditRecord) -> str:
        return audit_words(row.action)
