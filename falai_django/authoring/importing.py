"""Import: what a document would change, told first; then the change (spec: host.md section 2)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from falai_django.authoring.editing import editing, editing_tenant
from falai_django.authoring.import_modes import MODES, ImportMode, Ready
from falai_django.authoring.json_files import parse_json
from falai_django.authoring.problems import problems_of_draft
from falai_django.authoring.row_problems import RowProblem, refused
from falai_django.authoring.whole_texts import assert_whole_texts
from falai_django.differences import Change, difference
from falai_django.errors import AuthoringError, DocumentError, StaleEditError
from falai_django.models import Agent, Flow, Tenant
from falai_django.roles import Actor, Capability
from falai_engine.validation import Severity

__all__ = ["ImportPlan", "plan_import", "run_import"]

Target: TypeAlias = Agent | Flow | Tenant


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do; nothing is done yet.

    `changes`: what differs from the draft as it is, in words. `problems`: those of the draft that would be there; an
    error among them refuses the import, unless as a draft. `notes`: what the document says that an import does not do,
    or does besides. `slug`: what the new agent or flow will be called. `token`: given to `run_import`, it refuses when
    the draft changed since.
    """

    mode: ImportMode
    changes: tuple[Change, ...]
    problems: tuple[RowProblem, ...]
    notes: tuple[str, ...]
    slug: str
    token: str

    @property
    def errors(self) -> tuple[RowProblem, ...]:
        return tuple(problem for problem in self.problems if problem.is_error)


def plan_import(actor: Actor, target: Target, content: Any, *, mode: ImportMode, slug: str = "") -> ImportPlan:
    """The dry run of `run_import`, with the same arguments and the same refusals but for problems of the draft."""
    with _locked(actor, target, mode) as fresh:
        return _planned(_ready(mode, fresh, content, slug))


def run_import(
    actor: Actor,
    target: Target,
    content: Any,
    *,
    mode: ImportMode,
    slug: str = "",
    as_draft: bool = False,
    token: str | None = None,
) -> Agent | Flow:
    """Import a document (`import_modes.ImportMode` says how, and into what): the agent or flow that has it now.

    `content`: JSON text or bytes, or a JSON object. `slug`: of what is new; by default the document's own, made free.
    `as_draft`: also with errors, as an unfinished draft has. AuthoringError with every problem: what cannot be read,
    or what publishing would refuse; then nothing changed. StaleEditError when `token` is another plan's.
    """
    with _locked(actor, target, mode) as fresh:
        ready = _ready(mode, fresh, content, slug)
        if token is not None and token != ready.token:
            raise StaleEditError(_("What the import was planned for"), token, ready.token)
        errors = _planned(ready).errors
        if errors and not as_draft:
            told = ngettext(
                "Nothing was imported: %(count)d problem would keep it from being published. Correct the file, or"
                " import it as a draft and correct it here.",
                "Nothing was imported: %(count)d problems would keep it from being published. Correct the file, or"
                " import it as a draft and correct it here.",
                len(errors),
            )
            raise AuthoringError(told % {"count": len(errors)}, errors)
        stored: Agent | Flow = ready.store(actor)
        return stored


def _locked(actor: Actor, target: Target, mode: ImportMode) -> AbstractContextManager[Any]:
    wanted = MODES[mode].target
    if type(target) is not wanted:
        raise TypeError(f"{mode} imports into a {wanted.__name__}, not a {type(target).__name__}")
    if isinstance(target, Tenant):
        return editing_tenant(actor, target, Capability.EDIT, version=None)
    return editing(actor, target, version=None)


def _ready(mode: ImportMode, target: Any, content: Any, slug: str) -> Ready:
    document = parse_json(content) if isinstance(content, str | bytes) else content
    assert_whole_texts(document)
    try:
        return MODES[mode].prepare(target, document, slug)
    except DocumentError as error:
        found = [
            RowProblem(None, "", Severity.ERROR, problem.message, "document", document_path=problem.path)
            for problem in error.problems
        ]
        raise (refused(found) if found else AuthoringError(str(error))) from error


def _planned(ready: Ready) -> ImportPlan:
    return ImportPlan(
        mode=ready.mode,
        changes=tuple(difference(ready.before, ready.after)),
        problems=tuple(problems_of_draft(ready.draft)),
        notes=ready.notes,
        slug=ready.slug,
        token=ready.token,
    )
