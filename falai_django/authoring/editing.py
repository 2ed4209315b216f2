"""How every change begins and ends: whose it is, the locks, the edit token, who saved last (spec: host.md section 2).

The agent's row is locked first, then the row itself: writers of one agent wait for each other, and whoever publishes
sees all of a change or nothing of it. The locks leave the rows' keys free: a conversation that begins refers to its
agent, and never waits for an author. Only who deletes an agent holds its key, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from falai_django.errors import AuthoringError, StaleEditError
from falai_django.models import Agent, Flow, Step, Tenant, Trigger
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias

__all__ = [
    "check_token",
    "editing",
    "editing_agent",
    "editing_tenant",
    "hold_tenant",
    "in_one_transaction",
    "stamp",
    "token_row",
    "went_live",
]

_NAME: int = Agent._meta.get_field("changed_by").max_length or 0


def in_one_transaction() -> Any:
    """All of it or nothing, in the database that is written to."""
    return transaction.atomic(using=write_alias())


@contextmanager
def editing_tenant(actor: Actor, tenant: Tenant, capability: Capability, *, version: int | None) -> Iterator[Tenant]:
    """The tenant, locked; its token is its configuration version."""
    with in_one_transaction():
        fresh = hold_tenant(tenant)
        require(actor, fresh, capability)
        if version is not None and fresh.config_version != version:
            raise StaleEditError(
                _("The configuration of %(tenant)s") % {"tenant": fresh}, version, fresh.config_version
            )
        yield fresh


def hold_tenant(tenant: Tenant) -> Tenant:
    """The tenant as it is stored, locked until the transaction ends. Who locks an agent too locks that first."""
    fresh: Tenant = _locked(Tenant.objects.using(write_alias()), tenant)
    return fresh


@contextmanager
def editing_agent(
    actor: Actor,
    agent: Agent,
    *,
    version: int | None = None,
    capability: Capability = Capability.EDIT,
    is_deleted: bool = False,
) -> Iterator[Agent]:
    """The agent as it is stored, locked; its tenant is loaded. `version` None: whatever it is now.

    `is_deleted`: no row that refers to it can be committed meanwhile.
    """
    with in_one_transaction():
        fresh = _locked(rows(Agent).select_related("tenant", "sender"), agent, with_key=is_deleted)
        require(actor, fresh.tenant, capability)
        check_token(fresh, version)
        yield fresh


@contextmanager
def editing(actor: Actor, row: Any, *, version: int | None) -> Iterator[Any]:
    """Any authored row as it is stored, locked, with the rows above it.

    `version`: the edit token that the change was made on, the flow's for a trigger or step; None: whatever it is now.
    NotAllowedError for strangers, StaleEditError when somebody saved meanwhile, AuthoringError when it is gone.
    """
    if isinstance(row, Agent):
        with editing_agent(actor, row, version=version) as agent:
            yield agent
        return
    flow = _flow_of(row)
    with editing_agent(actor, flow.agent if flow is not None else row.agent) as agent:
        above: dict[str, Any] = {"agent": agent}
        if isinstance(row, Trigger | Step):
            above = {"flow": _inside(_locked(rows(Flow).filter(agent=agent), flow), agent=agent)}
        fresh = _inside(_locked(rows(type(row)).filter(**above), row), **above)
        check_token(token_row(fresh), version)
        yield fresh


def token_row(row: Any) -> Any:
    """The row whose `version` is the edit token: the flow for its triggers and steps."""
    return row.flow if isinstance(row, Trigger | Step) else row


def check_token(row: Any, version: int | None) -> None:
    """StaleEditError, which tells who saved and when, unless the token is the row's."""
    if version is not None and row.version != version:
        raise StaleEditError(_told(row), version, row.version, row.changed_by, row.changed_at)


def stamp(actor: Actor, row: Any, *changed: str) -> None:
    """Save these attributes, and under whose hands the row changed; for a trigger or step, its flow did too."""
    holder = token_row(row)
    if holder is not row and changed:
        row.save(update_fields=list(changed))
    holder.version += 1
    holder.changed_at = timezone.now()
    holder.changed_by = actor.name[:_NAME]
    more = changed if holder is row else ()
    holder.save(update_fields=["version", "changed_at", "changed_by", *more])


def went_live(tenant: Tenant) -> None:
    """What is live of a tenant changed: every process builds its agents anew at its next turn."""
    Tenant.objects.using(write_alias()).filter(pk=tenant.pk).update(config_version=F("config_version") + 1)
    tenant.refresh_from_db(fields=["config_version"])


def _flow_of(row: Any) -> Flow | None:
    if not isinstance(row, Trigger | Step):
        return None
    flow: Flow = _found(rows(Flow).filter(pk=row.flow_id).select_related("agent"), row)
    return flow


def _inside(row: Any, **above: Any) -> Any:
    """The row with the very objects above it, so that a stamp is seen by all who hold them."""
    for name, value in above.items():
        setattr(row, name, value)
    return row


def _locked(queryset: Any, row: Any, *, with_key: bool = False) -> Any:
    return _found(queryset.filter(pk=row.pk).select_for_update(of=("self",), no_key=not with_key), row)


def _found(queryset: Any, row: Any) -> Any:
    found = queryset.first()
    if found is None:
        raise AuthoringError(_("%(what)s is gone: somebody deleted it meanwhile.") % {"what": _told(row)})
    return found


def _told(row: Any) -> str:
    """`field “Nome”`."""
    return _("%(kind)s “%(name)s”") % {"kind": row._meta.verbose_name, "name": row}
