"""List filters that offer nothing of another tenant (spec: host.md section 6).

Django's own for relations list every row that there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.models import Agent, TenantRow, tenant_lookup
from falai_django.roles import Capability, tenants_of

__all__ = ["AgentFilter", "RowFilter", "TenantFilter", "agent_words", "asked_key", "lookup_of"]

_MOST_OFFERED = 200
_LONGEST_KEY = 19
"""The digits of the largest number that a column of keys holds."""


def asked_key(text: str | None) -> int | None:
    """The key of a row that a query string asks for; None for what is none."""
    return int(text) if text and text.isdecimal() and len(text) <= _LONGEST_KEY else None


def lookup_of(model: Any, above: Any) -> str:
    """The path of a filter from a model up to one that its rows lie in: `flow__agent` from steps to agents."""
    path = []
    while model is not above and issubclass(model, TenantRow):
        path.append(model.belongs_to)
        model = model._meta.get_field(model.belongs_to).related_model
    return "__".join(path) or "pk"


def agent_words(request: HttpRequest) -> Callable[[Agent], str]:
    """What an agent is called among others, its tenant selected with it: with the tenant for who sees several."""
    several = len(tenants_of(actor_of(request), Capability.VIEW).values_list("pk")[:2]) > 1
    return (lambda agent: f"{agent} ({agent.tenant})") if several else str


class RowFilter(admin.SimpleListFilter):
    """Offers rows of the person's tenants; says nothing where there is one choice only."""

    def rows(self, request: HttpRequest) -> QuerySet[Any]:
        """What may be chosen, narrowed."""
        raise NotImplementedError

    def words(self, request: HttpRequest) -> Callable[[Any], str]:
        """What each is called."""
        return str

    def path(self, model: Any) -> str:
        """From the rows of the list to those that may be chosen."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[Any, str]]:
        words = self.words(request)
        return [(str(row.pk), words(row)) for row in self.rows(request)[:_MOST_OFFERED]]

    def has_output(self) -> bool:
        return len(self.lookup_choices) > 1

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        key = asked_key(self.value())
        return queryset if key is None else queryset.filter(**{self.path(queryset.model): key})


class TenantFilter(RowFilter):
    """By tenant, for who works for several."""

    title = _("tenant")
    parameter_name = "tenant"

    def rows(self, request: HttpRequest) -> QuerySet[Any]:
        return tenants_of(actor_of(request), Capability.VIEW)

    def path(self, model: Any) -> str:
        return tenant_lookup(model)


class AgentFilter(RowFilter):
    """By agent."""

    title = _("agent")
    parameter_name = "agent"

    def rows(self, request: HttpRequest) -> QuerySet[Any]:
        tenants = tenants_of(actor_of(request), Capability.VIEW)
        return Agent.objects.filter(tenant__in=tenants.values("pk")).select_related("tenant")

    def words(self, request: HttpRequest) -> Callable[[Any], str]:
        return agent_words(request)

    def path(self, model: Any) -> str:
        return lookup_of(model, Agent)
