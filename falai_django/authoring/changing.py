"""Changes of rows that are there: what they say, what they are called, that they go (spec: host.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editable import DRAFT, cleaned, set_values
from falai_django.authoring.editing import editing, editing_agent, stamp
from falai_django.authoring.making import slugs_taken
from falai_django.authoring.past_flows import was_in_a_release
from falai_django.authoring.references import Reference, references_to, rename_everywhere, sort_named_by
from falai_django.authoring.row_problems import refused_at
from falai_django.authoring.slugs import checked_slug
from falai_django.errors import AuthoringError
from falai_django.models import Agent, Flow, Session, Step, Trigger
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows

__all__ = ["change", "delete", "delete_agent", "rename"]


def change(actor: Actor, row: Any, values: Mapping[str, Any], *, version: int | None) -> Any:
    """Set attributes of what a row says (`editable.DRAFT` lists them); the row as it is now, with its new token.

    A JSON attribute is replaced as a whole. What changes nothing raises no token.
    """
    with editing(actor, row, version=version) as fresh:
        changed = set_values(fresh, cleaned(fresh, values, DRAFT[type(row)]))
        if changed:
            stamp(actor, fresh, *changed)
        return fresh


def rename(actor: Actor, row: Any, slug: str, *, version: int | None) -> Any:
    """Give a row that no release uses another slug, and write it wherever the draft names it.

    AuthoringError once a release uses it: labels are free, slugs are what conversations and programs know it by.
    """
    if isinstance(row, Trigger | Step):
        raise TypeError(f"a {type(row).__name__} has no slug")
    with editing(actor, row, version=version) as fresh:
        if slug == fresh.slug:
            return fresh
        if fresh.is_released:
            raise refused_at(
                fresh, "slug", _("A release uses it, so it keeps its slug. Change its label instead."), "slug-frozen"
            )
        new, sort = checked_slug(fresh, slug, slugs_taken(fresh)), sort_named_by(type(fresh))
        if isinstance(fresh, Flow) and was_in_a_release(fresh.agent, new):
            # The ids of its steps are given, and may be those of the other one's.
            raise refused_at(fresh, "slug", _("A release had another flow of this slug. Choose another one."), "slug")
        if sort is not None:
            rename_everywhere(actor, fresh.agent, sort, fresh.slug, new)
            fresh.refresh_from_db()
        fresh.slug = new
        stamp(actor, fresh, "slug")
        return fresh


def delete(actor: Actor, row: Any, *, version: int | None) -> tuple[Reference, ...]:
    """Delete a row of a draft; what still names it, which publishing will refuse. Nothing is rewired.

    Releases keep what they were made of.
    """
    if isinstance(row, Agent):
        raise TypeError("an Agent is deleted by `delete_agent`")
    with editing(actor, row, version=version) as fresh:
        dangling = references_to(fresh)
        if isinstance(fresh, Trigger | Step):
            stamp(actor, fresh)
        fresh.delete()
        return dangling


def delete_agent(actor: Actor, agent: Agent, *, version: int | None) -> None:
    """Delete an agent with its draft and its releases; once it was published, only an owner may.

    AuthoringError while it has conversations: those are erased, which leaves no trace of their customers anywhere.
    """
    with editing_agent(actor, agent, version=version, is_deleted=True) as fresh:
        was_published = fresh.releases.exists()
        if was_published:
            require(actor, fresh.tenant, Capability.OWN)
        if rows(Session).filter(agent=fresh).exists():
            raise AuthoringError(
                _("%(agent)s has conversations. Switch it off, or erase them all before you delete it.")
                % {"agent": fresh}
            )
        record(actor, fresh.tenant, "agent.delete", fresh.slug, published=was_published)
        fresh.delete()
