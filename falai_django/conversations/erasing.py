"""Erasing a session, or all that is known of a contact (spec: host.md section 3).

Erasing marks first: the door refuses, a turn that runs cannot commit any more. Then everything is deleted, at once when
no lease holds the session, else when its turn has ended; housekeeping finishes what a crash left.
"""

from __future__ import annotations

from django.db.models import Q

from falai_django import audit
from falai_django.databases import Now, own_transaction, undo
from falai_django.faults import fault_point
from falai_django.journal import note
from falai_django.models import Anchor, Claim, Session, Tenant, TenantRows
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias

__all__ = ["erase", "erase_contact", "finish_erasure", "marked_erasures"]


def erase(actor: Actor, session: Session) -> bool:
    """Erase a session; its row comes with `agent__tenant`. True: it is gone. False: once the turn that runs has ended.

    NotAllowedError when the actor may not.
    """
    tenant = session.agent.tenant
    require(actor, tenant, Capability.OPERATE)
    with own_transaction(write_alias()):
        rows(Session).filter(pk=session.pk, erasing_at=None).update(erasing_at=Now())
        audit.record(actor, tenant, "session.erased", f"session {session.pk}")
    fault_point("erasure-marked")
    return finish_erasure(session.pk)


def erase_contact(actor: Actor, tenant: Tenant, name: str, key: str) -> tuple[int, int]:
    """Erase every session of every agent that is about an anchor, with its claims; how many are gone, how many wait."""
    require(actor, tenant, Capability.OPERATE)
    marked = None
    while marked is None:
        marked = _marked_of_contact(actor, tenant, name, key)
    fault_point("erasure-marked")
    gone = sum(finish_erasure(pk) for pk in sorted(marked))
    return gone, len(marked) - gone


def _marked_of_contact(actor: Actor, tenant: Tenant, name: str, key: str) -> set[int] | None:
    """Mark its sessions and delete all else that is known of it, at once; None, and nothing done: one more came to it.

    A door that links a session locks the session, then the anchor; so does this.
    """
    anchors = rows(Anchor).filter(agent__tenant=tenant, name=name, key=key)
    with own_transaction(write_alias()):
        linked = _linked(anchors)
        list(rows(Session).filter(pk__in=linked).order_by("pk").select_for_update().values_list("pk", flat=True))
        rows(Session).filter(pk__in=linked, erasing_at=None).update(erasing_at=Now())
        held = list(anchors.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
        if _linked(anchors) - linked:
            undo(write_alias())
            return None
        rows(Claim).filter(agent__tenant=tenant, name=name, anchor=key).delete()
        # By their keys: one that a door makes just now is of a session that came after this.
        rows(Anchor).filter(pk__in=held).delete()
        audit.record(actor, tenant, "contact.erased", name, sessions=len(linked))
    return linked


def _linked(anchors: TenantRows) -> set[int]:
    return set(anchors.exclude(sessions=None).values_list("sessions", flat=True))


def marked_erasures(most: int) -> list[int]:
    """The keys of sessions that wait to be deleted and whose lease is gone, for housekeeping."""
    free = Q(lease_until=None) | Q(lease_until__lte=Now())
    found = rows(Session).filter(free, erasing_at__isnull=False).order_by("erasing_at")
    return list(found.values_list("pk", flat=True)[:most])


def finish_erasure(session_pk: int) -> bool:
    """Delete a marked session unless its lease is held; whether nothing is left of it."""
    with own_transaction(write_alias()):
        marked = rows(Session).filter(pk=session_pk, erasing_at__isnull=False)
        free = marked.filter(Q(lease_until=None) | Q(lease_until__lte=Now()))
        if not list(free.select_for_update().values_list("pk", flat=True)):
            return not marked.exists()
        rows(Claim).filter(session=session_pk).update(live=False)
        free.delete()
    note("session.erased", session=session_pk)
    return True
