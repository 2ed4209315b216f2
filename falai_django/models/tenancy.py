"""Rows that belong to a tenant, directly or through the row above them (spec: host.md sections 1 and 6).

A relation may lead only to a row of the same tenant and, where both rows lie in an agent, a flow or a session, of the
same one. Every way to write a row through the ORM checks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self

from django.db import models

from falai_django.errors import CrossTenantError

__all__ = ["TenantRow", "TenantRows", "assert_same_tenant", "tenant_key", "tenant_lookup"]


class TenantRows(models.QuerySet[Any]):
    """A queryset that knows its tenant and lets no relation cross over."""

    def of_tenants(self, tenants: Any) -> Self:
        """Only rows of these tenants (rows, keys or a queryset of them)."""
        return self.filter(**{f"{tenant_lookup(self.model)}__in": tenants})

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        rows = list(objs)
        for row in rows:
            assert_same_tenant(row)
        return super().bulk_create(rows, *args, **kwargs)

    def bulk_update(self, objs: Iterable[Any], fields: Iterable[str], *args: Any, **kwargs: Any) -> int:
        rows, names = list(objs), list(fields)
        for row in rows:
            assert_same_tenant(row, names)
        return super().bulk_update(rows, names, *args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        """As Django's, but a relation can only be emptied here: `save` is what checks where it leads."""
        crossing = {relation.name: relation.attname for relation in _relations(self.model)}
        for name, attname in crossing.items():
            if kwargs.get(name) is not None or kwargs.get(attname) is not None:
                raise CrossTenantError(self.model._meta.label, name)
        return super().update(**kwargs)


class TenantRow(models.Model):
    """A row under a tenant; `belongs_to` names the relation that leads up, step by step, to the tenant."""

    belongs_to: ClassVar[str] = "tenant"

    objects: ClassVar[models.Manager[Any]] = TenantRows.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        names = kwargs.get("update_fields")
        assert_same_tenant(self, None if names is None else list(names))
        super().save(*args, **kwargs)


def tenant_lookup(model: type[models.Model]) -> str:
    """The path of a filter on the tenant: `flow__agent__tenant` for a step, `pk` for a tenant itself."""
    path = []
    while issubclass(model, TenantRow):
        path.append(model.belongs_to)
        model = _target(model, model.belongs_to)
    return "__".join(path) or "pk"


def tenant_key(row: models.Model) -> Any:
    """The key of the tenant that a row lies in, of a tenant its own."""
    *_, (_, key) = [*_above(row)] or [(None, row.pk)]
    return key


def assert_same_tenant(row: TenantRow, names: list[str] | None = None) -> None:
    """Raise CrossTenantError when a relation of the row (one of `names`; None: any) leads out of what it lies in."""
    relations = [each for each in _relations(type(row)) if getattr(row, each.attname) is not None]
    if names is not None:
        relations = [each for each in relations if each.name in names or each.attname in names]
    if not relations:
        return
    own = dict(_above(row))
    for relation in relations:
        theirs = _above(getattr(row, relation.name))
        if any(own.get(model, key) != key for model, key in theirs):
            raise CrossTenantError(str(type(row)._meta.verbose_name), relation.name)


def _relations(model: type[models.Model]) -> list[Any]:
    """The relations that could lead elsewhere: to rows under a tenant, but for the one that says where the row lies."""
    if not issubclass(model, TenantRow):
        return []
    return [
        each
        for each in model._meta.concrete_fields
        if each.is_relation and each.name != model.belongs_to and issubclass(_target(model, each.name), TenantRow)
    ]


def _target(model: type[models.Model], relation: str) -> Any:
    return model._meta.get_field(relation).related_model


def _above(row: models.Model) -> Iterator[tuple[Any, Any]]:
    """The row itself and all it lies in, as (model, key)."""
    while isinstance(row, TenantRow):
        yield type(row), row.pk
        relation: Any = type(row)._meta.get_field(row.belongs_to)
        above = _target(type(row), row.belongs_to)
        if not issubclass(above, TenantRow):
            yield above, getattr(row, relation.attname)
            return
        row = getattr(row, row.belongs_to)
