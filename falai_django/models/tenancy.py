"""Rows that belong to a tenant, directly or through the row above them (spec: host.md sections 1 and 6).

A relation may lead only to a row of the same tenant and, where both rows lie in an agent, a flow or a session, of the
same one; and a row stays for ever in what it was made in, for what points at it would cross over. Every way to write a
row through the ORM checks both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, Self

from django.db import models

from falai_django.errors import CrossTenantError

__all__ = ["TenantRow", "TenantRows", "assert_same_tenant", "crossing_relations", "tenant_key", "tenant_lookup"]

_OWNER = "_falai_owner"


class TenantRows(models.QuerySet[Any]):
    """A queryset that knows its tenant and lets no relation cross over."""

    are_checked = False
    """Whether the relations that `update` is given were looked at, row by row."""

    def of_tenants(self, tenants: Any) -> Self:
        """Only rows of these tenants (rows, keys or a queryset of them)."""
        return self.filter(**{f"{tenant_lookup(self.model)}__in": tenants})

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        rows = list(objs)
        self._assert_conflicts_stay(kwargs)
        for row in rows:
            assert_same_tenant(row)
        created: list[Any] = super().bulk_create(rows, *args, **kwargs)
        for row in created:
            _remember_owner(row)
        return created

    def bulk_update(self, objs: Iterable[Any], fields: Iterable[str], *args: Any, **kwargs: Any) -> int:
        rows, names = list(objs), list(fields)
        for row in rows:
            assert_same_tenant(row, names)
        checked = self.all()
        checked.are_checked = True
        return super(TenantRows, checked).bulk_update(rows, names, *args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        """As Django's, but a relation can only be emptied here: `save` is what checks where it leads."""
        for relation in () if self.are_checked else _bound(self.model):
            if kwargs.get(relation.name) is not None or kwargs.get(relation.attname) is not None:
                raise CrossTenantError(self.model._meta.label, relation.name)
        return super().update(**kwargs)

    def _clone(self) -> Self:
        clone: Self = super()._clone()  # type: ignore[misc] # the stubs leave it out
        clone.are_checked = self.are_checked
        return clone

    def _assert_conflicts_stay(self, options: dict[str, Any]) -> None:
        """What is written over a row that is there is not told its owner, unless that is how the row is found."""
        written = set(options.get("update_fields") or ())
        found_by = set(options.get("unique_fields") or ())
        owner = _owner_field(self.model)
        for relation in _bound(self.model):
            names = {relation.name, relation.attname}
            if names & written and (relation is owner or not found_by & {owner.name, owner.attname}):
                raise CrossTenantError(self.model._meta.label, relation.name)


class TenantRow(models.Model):
    """A row under a tenant; `belongs_to` names the relation that leads up, step by step, to the tenant."""

    belongs_to: ClassVar[str] = "tenant"

    objects: ClassVar[models.Manager[Any]] = TenantRows.as_manager()

    class Meta:
        abstract = True
        # Related managers write through the base manager; theirs has to check too.
        base_manager_name = "objects"

    def save(self, *args: Any, **kwargs: Any) -> None:
        names = kwargs.get("update_fields")
        assert_same_tenant(self, None if names is None else list(names))
        super().save(*args, **kwargs)
        _remember_owner(self)

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **more: Any) -> Self:
        row = super().from_db(db, field_names, values, **more)
        _remember_owner(row)
        return row


def tenant_lookup(model: type[models.Model]) -> str:
    """The path of a filter on the tenant: `flow__agent__tenant` for a step, `pk` for a tenant itself."""
    path = []
    while issubclass(model, TenantRow):
        path.append(model.belongs_to)
        model = _target(model, model.belongs_to)
    return "__".join(path) or "pk"


def tenant_key(row: models.Model) -> Any:
    """The key of the tenant that a row lies in, of a tenant its own."""
    chain = _chain(type(row))
    return _key_above(row, chain[-1])


def crossing_relations(model: type[models.Model]) -> list[Any]:
    """The relations that could lead elsewhere: to rows under a tenant, but for the one that says where the row lies."""
    return [each for each in _bound(model) if each.name != getattr(model, "belongs_to", None)]


def assert_same_tenant(row: TenantRow, names: list[str] | None = None) -> None:
    """Raise CrossTenantError when the row would leave what it lies in, or a relation of it (one of `names`) lead out.

    No `names`: any relation.
    """
    _assert_stays(row)
    for relation in crossing_relations(type(row)):
        asked = names is None or relation.name in names or relation.attname in names
        if asked and getattr(row, relation.attname) is not None and _leads_out(row, relation):
            raise CrossTenantError(str(type(row)._meta.verbose_name), relation.name)


def _leads_out(row: TenantRow, relation: Any) -> bool:
    """Whether the two rows lie in different things of the nearest sort that both lie in."""
    target = _related(row, relation)
    own, theirs = _chain(type(row)), _chain(type(target))
    if type(target) is type(row):
        theirs = theirs[1:]
    shared = next(model for model in theirs if model in own)
    return bool(_key_above(row, shared) != _key_above(target, shared))


def _assert_stays(row: TenantRow) -> None:
    """Also a move in memory alone is refused: what the relations of the row are compared with would not be true."""
    if row.pk is None or _owner_field(type(row)).attname not in row.__dict__:
        return
    stored = _stored_owner(row)
    if stored is not None and stored != getattr(row, _owner_field(type(row)).attname):
        raise CrossTenantError(str(type(row)._meta.verbose_name), row.belongs_to)


def _stored_owner(row: TenantRow) -> Any:
    """The key of what the row lies in in the database; None for a row that is not there yet."""
    known_pk, known = row.__dict__.get(_OWNER, (None, None))
    if known is not None and known_pk == row.pk:
        return known
    rows = type(row)._base_manager.filter(pk=row.pk)
    return rows.values_list(_owner_field(type(row)).attname, flat=True).first()


def _remember_owner(row: models.Model) -> None:
    """Just after it was read or written, with the key that it holds for. A deferred one was not read, so not moved."""
    attname = _owner_field(type(row)).attname
    if attname in row.__dict__:
        row.__dict__[_OWNER] = (row.pk, row.__dict__[attname])


def _bound(model: type[models.Model]) -> list[Any]:
    """The relations of a model to a tenant or rows under one."""
    if not issubclass(model, TenantRow):
        return []
    fields = (each for each in model._meta.concrete_fields if each.is_relation)
    return [
        each for each in fields if each.name == model.belongs_to or issubclass(_target(model, each.name), TenantRow)
    ]


def _owner_field(model: Any) -> Any:
    return model._meta.get_field(model.belongs_to)


def _target(model: type[models.Model], relation: str) -> Any:
    return model._meta.get_field(relation).related_model


def _chain(model: type[models.Model]) -> list[type[models.Model]]:
    """The model and those that its rows lie in, up to the tenant."""
    chain = [model]
    while issubclass(model, TenantRow):
        model = _target(model, model.belongs_to)
        chain.append(model)
    return chain


def _key_above(row: models.Model, model: type[models.Model]) -> Any:
    """The key of the row of this model that the row lies in, of the row itself when it is of that model."""
    while isinstance(row, TenantRow) and type(row) is not model:
        owner = _owner_field(type(row))
        if owner.related_model is model:
            return getattr(row, owner.attname)
        row = _related(row, owner)
    return row.pk


def _related(row: models.Model, relation: Any) -> Any:
    """The row that a relation leads to by its key, whatever became of the object that is kept beside it.

    Refused when that object was moved in memory.
    """
    target = getattr(row, relation.name)
    if target.pk != getattr(row, relation.attname):
        target = relation.related_model._base_manager.get(pk=getattr(row, relation.attname))
    if isinstance(target, TenantRow):
        _assert_stays(target)
    return target
