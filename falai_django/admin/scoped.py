"""What every admin page of ours keeps: a person sees and changes rows of the own tenants only, as far as the role goes.

Spec: host.md section 6, ux.md. Django's own permissions are not asked: a role in a tenant is what counts, and
`authoring` checks it again when it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse

from falai_django.errors import FalaiError
from falai_django.models import Tenant, TenantRow, tenant_key, tenant_lookup
from falai_django.roles import Actor, Capability, may, tenants_of

__all__ = ["ReadOnlyAdmin", "TenantAdmin", "actor_of", "tell_error"]

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

_ACTOR = "_falai_actor"


def actor_of(request: HttpRequest) -> Actor:
    """Who asks; read once a request."""
    actor = getattr(request, _ACTOR, None)
    if not isinstance(actor, Actor):
        actor = Actor.of_user(request.user)
        setattr(request, _ACTOR, actor)
    return actor


def tell_error(request: HttpRequest, error: FalaiError) -> None:
    """Show the sentence of an error that a rule raised, and each problem that it lists."""
    messages.error(request, str(error))
    for problem in getattr(error, "problems", ()):
        messages.error(request, str(problem))


class TenantAdmin(_ModelAdmin):
    """An admin of rows that belong to a tenant.

    `capabilities`: what somebody must be able to do in the row's tenant, for `view`, `add`, `change` and `delete`; what
    is not named is done by nobody.
    """

    capabilities: ClassVar[Mapping[str, Capability]] = {
        "view": Capability.VIEW,
        "add": Capability.EDIT,
        "change": Capability.EDIT,
        "delete": Capability.EDIT,
    }
    list_per_page = 50
    show_full_result_count = False

    # Which rows

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Rows of tenants that the person may see; lists, look-ups, actions, autocomplete and history build on it."""
        tenants = tenants_of(actor_of(request), self.capabilities["view"])
        return super().get_queryset(request).filter(**{f"{tenant_lookup(self.model)}__in": tenants.values("pk")})

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = self._choices(db_field, request, kwargs.get("queryset"))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = self._choices(db_field, request, kwargs.get("queryset"))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

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
        if capability is None:
            return False
        actor = actor_of(request)
        if obj is not None and obj.pk is not None:
            return may(actor, Tenant(pk=tenant_key(obj)), capability)
        return tenants_of(actor, capability).exists()

    # What is done

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What goes along is told, but asks for no permission of its own: the rules of `authoring` decide."""
        listed, counts, _needed, _protected = super().get_deleted_objects(objs, request)
        return listed, counts, set(), []

    def get_actions(self, request: HttpRequest) -> Any:
        """None of Django's own: deleting in bulk would go past the rules."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def carry_out(self, request: HttpRequest, deed: Callable[[], Any]) -> Any:
        """Do it, and show the error of a rule instead of failing; what it returns, None after an error."""
        try:
            return deed()
        except FalaiError as error:
            tell_error(request, error)
            return None


class ReadOnlyAdmin(TenantAdmin):
    """An admin of rows that only the machine makes."""

    capabilities: ClassVar[Mapping[str, Capability]] = {"view": Capability.VIEW}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method != "GET":
            raise PermissionDenied
        return super().change_view(request, object_id, form_url, extra_context)
