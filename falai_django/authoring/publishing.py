"""From draft to release, and which release serves (spec: host.md section 2).

Publishing holds the lock that every change of the draft holds, so that a release is a draft as it was at one moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from falai_django.audit import record
from falai_django.authoring.editing import editing_agent
from falai_django.authoring.problems import problems_of_draft
from falai_django.authoring.row_problems import RowProblem, refused_at
from falai_django.authoring.touched_runs import TouchedRuns, touched_runs
from falai_django.databases import database_now
from falai_django.differences import Change, difference
from falai_django.documents import Draft, draft_document, is_storable_text, upgrade_document
from falai_django.errors import AuthoringError, FalaiError, StaleEditError
from falai_django.models import (
    SCHEMA_VERSION,
    Action,
    Agent,
    Condition,
    Event,
    Field,
    Flow,
    Release,
    Tool,
)
from falai_django.releases import assert_compiles, document_digest
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias

__all__ = [
    "DRAFT_NAME",
    "Activation",
    "Preview",
    "Publication",
    "activate",
    "preview",
    "preview_activation",
    "publish",
    "release_changes",
    "release_document",
]

DRAFT_NAME: Final = "draft"
"""What the draft is called where a release's number may stand."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What publishing now would do. `version` is the draft's, to give to `publish`.

    `problems`: errors that stand in its way, and warnings. `changes`: against what serves now.
    """

    version: str
    is_unchanged: bool
    problems: tuple[RowProblem, ...]
    changes: tuple[Change, ...]
    touched: tuple[TouchedRuns, ...]


@dataclass(frozen=True, slots=True)
class Publication:
    """`release` serves now; not `is_new` when the draft says what served already, and nothing was done."""

    release: Release
    is_new: bool
    warnings: tuple[RowProblem, ...] = ()
    changes: tuple[Change, ...] = ()
    touched: tuple[TouchedRuns, ...] = ()


@dataclass(frozen=True, slots=True)
class Activation:
    """`release` serves now; not `is_changed` when it did already."""

    release: Release
    is_changed: bool
    changes: tuple[Change, ...] = ()
    touched: tuple[TouchedRuns, ...] = ()


def preview(actor: Actor, agent: Agent) -> Preview:
    """What `publish` would do now, all problems at once; nothing is changed."""
    with editing_agent(actor, agent, capability=Capability.VIEW) as fresh:
        draft = draft_document(fresh)
        served = _served(fresh)
        return Preview(
            _version(draft),
            _is_unchanged(draft, fresh.active_release),
            tuple(problems_of_draft(draft)),
            tuple(difference(served, draft.document)),
            tuple(touched_runs(fresh, served, draft.document)),
        )


def publish(actor: Actor, agent: Agent, note: str = "", version: str | None = None) -> Publication:
    """Make the draft the next release, and the one that serves.

    `version`: that of the preview that was looked at; StaleEditError when the draft is another one meanwhile.
    AuthoringError with all problems when one of them is an error; nothing is changed then.
    """
    with editing_agent(actor, agent, capability=Capability.PUBLISH) as fresh:
        if not is_storable_text(note):
            message = _("This text holds characters that cannot be kept. Type it again without them.")
            raise refused_at(fresh, "note", message, "text")
        draft = draft_document(fresh)
        _assert_seen(fresh, _version(draft), version)
        warnings = _assert_publishable(fresh, draft)
        if fresh.active_release is not None and _is_unchanged(draft, fresh.active_release):
            return Publication(fresh.active_release, is_new=False, warnings=warnings)
        served = _served(fresh)
        changes = tuple(difference(served, draft.document))
        touched = tuple(touched_runs(fresh, served, draft.document))
        release = _stored(actor, fresh, draft, note)
        _mark_released(fresh)
        _serve(fresh, release)
        record(actor, fresh.tenant, "publish", str(fresh), agent=fresh.slug, release=release.number, note=note)
        return Publication(release, is_new=True, warnings=warnings, changes=changes, touched=touched)


def preview_activation(actor: Actor, agent: Agent, number: int) -> Activation:
    """What `activate` would do now; nothing is changed. Raises as it does."""
    with editing_agent(actor, agent, capability=Capability.VIEW) as fresh:
        return _activation(fresh, number)


def activate(actor: Actor, agent: Agent, number: int) -> Activation:
    """Let another release serve. AuthoringError when there is none of that number, or it cannot be used any more."""
    with editing_agent(actor, agent, capability=Capability.PUBLISH) as fresh:
        found = _activation(fresh, number)
        if found.is_changed:
            before = fresh.active_release.number if fresh.active_release is not None else None
            _serve(fresh, found.release)
            record(actor, fresh.tenant, "activate", str(fresh), agent=fresh.slug, release=number, before=before)
        return found


def _activation(agent: Agent, number: int) -> Activation:
    release = _release(agent, number)
    if release.pk == agent.active_release_id:
        return Activation(release, is_changed=False)
    document = _readable(release)
    try:
        assert_compiles(document, agent.tenant)
    except FalaiError as error:
        raise AuthoringError(
            _("Release %(number)d cannot serve any more. %(why)s") % {"number": number, "why": error}
        ) from error
    served = _served(agent)
    changes, touched = tuple(difference(served, document)), tuple(touched_runs(agent, served, document))
    return Activation(release, is_changed=True, changes=changes, touched=touched)


def release_changes(actor: Actor, agent: Agent, before: int | str, after: int | str) -> list[Change]:
    """What makes one release another, in words; each by its number, or DRAFT_NAME."""
    require(actor, agent.tenant, Capability.VIEW)
    return difference(_document(agent, before), _document(agent, after))


def release_document(agent: Agent, number: int) -> dict[str, Any]:
    """What a release says, in the shape of this version. AuthoringError when there is none, or a newer one."""
    return _readable(_release(agent, number))


def _document(agent: Agent, which: int | str) -> dict[str, Any]:
    if which == DRAFT_NAME:
        return draft_document(agent).document
    return release_document(agent, int(which))


def _release(agent: Agent, number: int) -> Release:
    release: Release | None = rows(Release).filter(agent=agent, number=number).first()
    if release is None:
        raise AuthoringError(_("There is no release %(number)d of %(agent)s.") % {"number": number, "agent": agent})
    return release


def _readable(release: Release) -> dict[str, Any]:
    try:
        return upgrade_document(release.document)
    except FalaiError as error:
        raise AuthoringError(
            _("Release %(number)d cannot be read. %(why)s") % {"number": release.number, "why": error}
        ) from error


def _served(agent: Agent) -> dict[str, Any] | None:
    """The document that serves now, None when there is none that can be read."""
    release = agent.active_release
    try:
        return None if release is None else upgrade_document(release.document)
    except FalaiError:
        return None


def _sensitive(draft: Draft) -> list[str]:
    fields: Any = draft.named["fields"]
    return sorted(slug for slug, field in fields.items() if field.is_sensitive)


def _version(draft: Draft) -> str:
    """What is published of a draft, as one token."""
    return document_digest({"document": draft.document, "sensitive": _sensitive(draft)})


def _is_unchanged(draft: Draft, release: Release | None) -> bool:
    """Whether the release says what the draft says: the order of keys and 1.0 for 1 make no other."""
    if release is None or sorted(release.sensitive) != _sensitive(draft):
        return False
    served = _served(draft.agent)
    return served is not None and not difference(served, draft.document)


def _assert_seen(agent: Agent, found: str, expected: str | None) -> None:
    if expected is not None and expected != found:
        what = _("The draft of %(agent)s") % {"agent": agent}
        raise StaleEditError(what, expected, found)


def _assert_publishable(agent: Agent, draft: Draft) -> tuple[RowProblem, ...]:
    """The warnings; AuthoringError when there is an error."""
    found = problems_of_draft(draft)
    errors = [problem for problem in found if problem.is_error]
    if errors:
        message = ngettext(
            "%(agent)s cannot be published: %(count)d problem stands in the way. %(first)s",
            "%(agent)s cannot be published: %(count)d problems stand in the way. The first: %(first)s",
            len(errors),
        )
        raise AuthoringError(message % {"agent": agent, "count": len(errors), "first": errors[0].message}, found)
    try:
        # The same as at the first turn, so that nothing is published that could not be built.
        assert_compiles(draft.document, agent.tenant)
    except FalaiError as error:
        raise AuthoringError(
            _("%(agent)s cannot be published. %(why)s") % {"agent": agent, "why": error}, found
        ) from error
    return tuple(found)


def _stored(actor: Actor, agent: Agent, draft: Draft, note: str) -> Release:
    last = rows(Release).filter(agent=agent).aggregate(last=Max("number"))["last"] or 0
    release = Release(
        agent=agent,
        number=last + 1,
        document=draft.document,
        spec_version=SCHEMA_VERSION,
        digest=document_digest(draft.document),
        sensitive=_sensitive(draft),
        note=note,
        created_by=actor.user if getattr(actor.user, "pk", None) is not None else None,
        created_by_name=actor.name[: Release._meta.get_field("created_by_name").max_length],
    )
    release.save(using=rows(Release).db)
    return release


_ROWS: Final[Mapping[type[Any], Mapping[str, Any]]] = {
    Field: {},
    Flow: {"is_enabled": True},
    Action: {},
    Event: {},
    Condition: {},
    Tool: {},
}
"""What takes part in a release, and the rows of it that do."""


def _mark_released(agent: Agent) -> None:
    """From now on the slugs of what was published stay: sessions name them."""
    for model, which in _ROWS.items():
        rows(model).filter(agent=agent, is_released=False, **which).update(is_released=True)
    agent.is_released = True


def _serve(agent: Agent, release: Release) -> None:
    agent.active_release = release
    agent.activated_at = database_now(write_alias())
    # A new release is a new try: what was wrong with the one before holds up nobody.
    agent.paused_until, agent.trouble, agent.trouble_detail, agent.trouble_at = None, "", "", None
    agent.save(
        update_fields=[
            "active_release",
            "activated_at",
            "is_released",
            "paused_until",
            "trouble",
            "trouble_detail",
            "trouble_at",
        ]
    )
