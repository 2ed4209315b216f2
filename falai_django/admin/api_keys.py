"""Keys for programs. The secret of a new one is shown once, in the answer to the request that made it."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.editing import EditedAdmin, EditingForm
from falai_django.admin.narrowing import TenantFilter
from falai_django.admin.pages import Page, page_url, render_page
from falai_django.authoring.api_keys import make_api_key, revoke_api_key
from falai_django.models import ApiKey, Scope
from falai_django.roles import Capability

__all__ = ["ApiKeyAdmin"]

_MADE: Final = "_falai_made"


class ApiKeyForm(EditingForm):
    """A name that tells who uses it, and what it may do."""

    scopes = forms.MultipleChoiceField(
        label=_("What it may do"), choices=Scope.choices, widget=forms.CheckboxSelectMultiple, required=False
    )


def revoke(model_admin: Any, request: HttpRequest, key: ApiKey) -> HttpResponse:
    """Ask, then revoke: what is revoked stays revoked."""
    if request.method == "POST":
        if model_admin.carry_out(request, lambda: revoke_api_key(actor_of(request), key)):
            messages.success(request, gettext("The key opens nothing any more."))
        return HttpResponseRedirect(page_url(model_admin, "change", key))
    return render_page(
        model_admin,
        request,
        "confirm.html",
        _("Revoke"),
        key,
        question=gettext("Programs that use %(key)s are locked out at once, for good. Revoke it?") % {"key": key},
        verb=_("Revoke it"),
    )


@admin.register(ApiKey)
class ApiKeyAdmin(EditedAdmin):
    """Made and revoked by owners; never changed, never deleted."""

    capabilities: ClassVar = {"view": Capability.VIEW, "add": Capability.OWN}
    form = ApiKeyForm
    has_token = False
    pages = (Page("revoke", _("Revoke"), Capability.OWN, revoke, is_offered=lambda key: key.revoked_at is None),)
    actions = ("revoke_all",)
    list_display = ("name", "prefix", "scope_words", "tenant", "last_used_at", "is_valid")
    list_filter = (TenantFilter, ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("tenant",)
    search_fields = ("name", "prefix")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        shown = ("tenant", "name", "prefix", "scope_words", "created_by", "created_at", "last_used_at", "revoked_at")
        return ("tenant", "name", "scopes") if obj is None else shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else self.get_fields(request, obj)

    @admin.display(description=_("what it may do"))
    def scope_words(self, key: ApiKey) -> str:
        names = dict(Scope.choices)
        return ", ".join(str(names.get(scope, scope)) for scope in key.scopes)

    @admin.display(description=_("valid"), boolean=True)
    def is_valid(self, key: ApiKey) -> bool:
        return key.revoked_at is None

    def create(self, request: HttpRequest, form: Any) -> ApiKey:
        typed = form.cleaned_data
        made = make_api_key(actor_of(request), typed["tenant"], typed["name"], typed["scopes"])
        setattr(request, _MADE, made)
        return made.row

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> Any:
        """One at a time, for each shows its secret."""
        one = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**one, **(extra_context or {})})

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        """The page with the secret, not a redirect: nothing keeps it for a second request."""
        page = render_page(self, request, "new_key.html", _("The new key"), obj, secret=getattr(request, _MADE).secret)
        page.headers["Cache-Control"] = "no-store"
        return page

    @admin.action(description=_("Revoke the selected keys"), permissions=["revoke"])
    def revoke_all(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        revoked = [key for key in queryset if self.carry_out(request, lambda: revoke_api_key(actor_of(request), key))]  # noqa: B023 - called at once
        told = ngettext("%(count)d key was revoked.", "%(count)d keys were revoked.", len(revoked))
        messages.success(request, told % {"count": len(revoked)})

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.may_with(request, Capability.OWN, None)
