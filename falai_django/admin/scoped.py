"""What every admin page of ours keeps: a person sees and changes rows of the own tenants only, as far as the role goes.

Spec: host.md section 6, ux.md. Django's own permissions are not asked: a role in a tenant is what counts, and
`authoring` checks it again when it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path

from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.pages import Page, Text, page_url
from falai_django.admin.paging import BoundedPaginator, LeanChangeList
from falai_django.content_policy import with_content_policy
from falai_django.errors import FalaiError
from falai_django.models import Tenant, TenantRow, tenant_key, tenant_lookup
from falai_django.roles import Capability, may, may_somewhere, tenants_of

__all__ = ["ReadOnlyAdmin", "TenantAdmin"]

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


class TenantAdmin(_ModelAdmin):
    """An admin of rows that belong to a tenant.

    `capabilities`: what somebody must be able to do in the row's tenant, for `view`, `add`, `change` and `delete`; what
    is not named is done by nobody. `pages`: those beside Django's own.
    """

    capabilities: ClassVar[Mapping[str, Capability]] = {
        "view": Capability.VIEW,
        "add": Capability.EDIT,
        "change": Capability.EDIT,
        "delete": Capability.EDIT,
    }
    pages: ClassVar[tuple[Page, ...]] = ()
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    change_form_template = "falai_django/admin/change_form.html"
    change_list_template = "falai_django/admin/change_list.html"

    class Media:
        css = {"all": ["falai_django/admin.css"]}

    # Which rows

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Rows of tenants that the person may see; lists, look-ups, actions, autocomplete and history build on it."""
        tenants = tenants_of(actor_of(request), self.capabilities["view"])
        return super().get_queryset(request).filter(**{f"{tenant_lookup(self.model)}__in": tenants.values("pk")})

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[LeanChangeList]:
        return LeanChangeList

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only what a list filter asks: free look-ups would tell, letter by letter, what no page shows.

        Nor a value with NUL, which is no text for PostgreSQL.
        """
        if "\0" in str(value):
            return False
        asked = {getattr(each, "parameter_name", None) for each in self.list_filter}
        asked |= {f"{each[0]}__isempty" for each in self.list_filter if isinstance(each, tuple)}
        columns = [each for each in self.list_filter if isinstance(each, str)]
        return lookup in asked or any(lookup == name or lookup.startswith(f"{name}__") for name in columns)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = self._choices(db_field, request, kwargs.get("queryset"))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = self._choices(db_field, request, kwargs.get("queryset"))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Beside a tenant stand no signs to make or change one."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        widget = getattr(field, "widget", None)
        if field is not None and isinstance(widget, RelatedFieldWidgetWrapper) and db_field.related_model is Tenant:
            field.widget = widget.widget
        return field

    def _choices(self, db_field: Any, request: HttpRequest, given: Any) -> models.QuerySet[Any]:
        """What a relation may be given: rows of tenants in which the person may change rows of this kind; no users."""
        target = db_field.remote_field.model
        rows: models.QuerySet[Any] = target._default_manager.all() if given is None else given
        if target is not Tenant and not issubclass(target, TenantRow):
            return rows.none()
        tenants = tenants_of(actor_of(request), self.capabilities.get("change", Capability.OWN))
        return rows.filter(**{f"{tenant_lookup(target)}__in": tenants.values("pk")})

    # Who may

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._may(request, "view", None)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may(request, "view", obj)

    def has_add_permission(self, request: HttpRequest, *_above: Any) -> bool:
        return self._may(request, "add", None)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may(request, "delete", obj)

    def _may(self, request: HttpRequest, deed: str, obj: models.Model | None) -> bool:
        capability = self.capabilities.get(deed)
        return capability is not None and self.may_with(request, capability, obj)

    def may_with(self, request: HttpRequest, capability: Capability, row: models.Model | None) -> bool:
        """Whether the person has the capability in the row's tenant; without a row, in some tenant."""
        actor = actor_of(request)
        if row is not None and row.pk is not None:
            return may(actor, Tenant(pk=tenant_key(row)), capability)
        return may_somewhere(actor, capability)

    # Our own pages

    def get_urls(self) -> list[URLPattern]:
        info = f"{self.opts.app_label}_{self.opts.model_name}"
        ours = [path(page.route, self._view_of(page), name=f"{info}_{page.name}") for page in self.pages]
        patterns: Iterable[URLPattern] = super().get_urls()
        for pattern in (found := [*ours, *patterns]):
            pattern.callback = with_content_policy(pattern.callback)
        return found

    def _view_of(self, page: Page) -> Callable[..., Any]:
        def view(request: HttpRequest, object_id: str | None = None) -> HttpResponse:
            row = None if object_id is None else self.get_object(request, unquote(object_id))
            if object_id is not None and row is None:
                # Django's own pages answer so for a row that is not there, or not theirs.
                return _not_there(self, request, object_id)
            if not self.may_with(request, page.capability, row):
                raise PermissionDenied
            return page.view(self, request, row)

        return self.admin_site.admin_view(view)

    def offered_pages(self, request: HttpRequest, row: models.Model | None) -> list[tuple[Page, str]]:
        """The pages, with their addresses, that the person may open for this row; without a row, for the list."""
        fitting = (page for page in self.pages if page.of_list == (row is None))
        return [
            (page, page_url(self, page.name, row))
            for page in fitting
            if self.may_with(request, page.capability, row) and page.is_offered(row)
        ]

    def ways(self, request: HttpRequest, row: Any) -> list[tuple[Text, str]]:
        """Where else a row's page leads, with what each link says."""
        return []

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        row = context.get("original")
        context["offered_pages"] = self.offered_pages(request, row) if row is not None else []
        context["ways"] = self.ways(request, row) if row is not None else []
        return super().render_change_form(request, context, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        offered = self.offered_pages(request, None)
        return super().changelist_view(request, {"offered_pages": offered, **(extra_context or {})})

    # What is done

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """The rows alone: what goes along may be millions, and the rules of `authoring` decide about it."""
        return [str(row) for row in objs], {}, set(), []

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except FalaiError as error:
            tell_error(request, error)
            return HttpResponseRedirect(page_url(self, "change", self.get_object(request, unquote(object_id))))

    def get_actions(self, request: HttpRequest) -> Any:
        """None of Django's own: deleting in bulk would go past the rules."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def carry_out(self, request: HttpRequest, deed: Callable[[], object]) -> bool:
        """Do it, and show the error of a rule instead of failing; whether it was done."""
        try:
            deed()
        except FalaiError as error:
            tell_error(request, error)
            return False
        return True


def _not_there(model_admin: Any, request: HttpRequest, object_id: str) -> HttpResponse:
    answer: HttpResponse = model_admin._get_obj_does_not_exist_redirect(request, model_admin.opts, object_id)  # noqa: SLF001 - Django's own answer
    return answer


class ReadOnlyAdmin(TenantAdmin):
    """An admin of rows that only the machine makes."""

    capabilities: ClassVar[Mapping[str, Capability]] = {"view": Capability.VIEW}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        return super().change_view(request, object_id, form_url, extra_context)
