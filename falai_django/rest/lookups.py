"""Finding what an address names, in the caller's tenant alone: what lies elsewhere is not there (spec: host.md 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from falai_django.databases import Now
from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode
from falai_django.masking import masked, sensitive_values
from falai_django.models import Agent, Field, Release, Scope, Session, Turn
from falai_django.rest.access import Caller, caller_of
from falai_django.rows import rows

__all__ = ["Mask", "agent_of", "mask_for", "session_of", "turn_of"]


@dataclass(frozen=True, slots=True)
class Mask:
    """Hides sensitive fields, and their values in texts, from a caller who may not read them."""

    slugs: Collection[str] = ()
    values: Collection[str] = field(default=(), repr=False)

    def __call__(self, value: Any) -> Any:
        return masked(value, self.slugs, self.values)


def agent_of(request: Request, slug: str) -> Agent:
    """The agent, with its tenant. NotFound when the tenant has none of that slug."""
    found = caller_of(request).agent(slug)
    if found is None:
        raise NotFound(_("The tenant of this key has no agent “%(slug)s”.") % {"slug": slug})
    return found


def session_of(request: Request, slug: str, session_id: str, *, also_erasing: bool = False) -> Any:
    """The session, with its agent and tenant and the database's time as its `now`.

    InputRefusedError when it is being erased, unless `also_erasing`.
    """
    agent = agent_of(request, slug)
    session = rows(Session).filter(agent=agent, session_id=session_id).annotate(now=Now()).order_by("pk").first()
    if session is None:
        raise NotFound(_("There is no such session."))
    if session.erasing_at is not None and not also_erasing:
        raise InputRefusedError(FailureCode.ERASING, _("The session is being erased. Use another id, or wait."))
    session.agent = agent
    return session


def turn_of(session: Session, pk: int) -> Turn:
    """A turn of the session by its number."""
    found: Turn | None = (
        rows(Turn).filter(session=session, pk=pk).select_related("release").defer("release__document").first()
    )
    if found is None:
        raise NotFound(_("There is no such turn."))
    return found


def mask_for(caller: Caller, session: Session) -> Mask:
    """What is hidden of a session: fields that are sensitive in its agent's active release, or in the draft."""
    if caller.has(Scope.READ_SENSITIVE):
        return Mask()
    agent = session.agent
    slugs = set(rows(Field).filter(agent=agent, is_sensitive=True).order_by("pk").values_list("slug", flat=True))
    for released in rows(Release).filter(pk=agent.active_release_id).order_by("pk").values_list("sensitive", flat=True):
        slugs |= set(released)
    data = session.blob.get("data") if isinstance(session.blob, Mapping) else None
    values = sensitive_values(data, slugs) if isinstance(data, Mapping) else frozenset()
    return Mask(frozenset(slugs), values)
