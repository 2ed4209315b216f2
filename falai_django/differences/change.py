"""One thing that is different, for a reader and for a machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _

__all__ = ["Change", "ChangeKind"]


class ChangeKind(StrEnum):
    """What became of the thing at a place."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, told in the language that was active when the documents were compared.

    `place` is a path into the document, by id where things have one (`flows.agendar.steps.s3.prompt`), else by number
    (`flows.agendar.on[0].if`): where it is now, or where it was if it is gone. `where` names the thing that changed
    (`Flow “Agendar”, step “Acolher”`), `what` says how. `before` and `after` are the whole of it in words, for a
    display side by side, None where there was or is nothing; what `what` quotes of them may be cut.
    """

    place: str
    kind: ChangeKind
    where: str
    what: str
    before: str | None = None
    after: str | None = None

    @property
    def sentence(self) -> str:
        """`where` and `what` in one."""
        return _("%(where)s: %(what)s") % {"where": self.where, "what": self.what}
