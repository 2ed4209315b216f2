"""Reading a document: every reason why it cannot become rows, with its place (spec: host.md section 2, import)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from falai_django.documents.paths import Part, joined
from falai_django.documents.storable import is_storable_text
from falai_django.errors import DocumentError
from falai_django.models import slug_validator
from falai_engine.error_words import shown

__all__ = ["DocumentProblem", "Reading"]

_MOST_TOLD: Final = 200


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """`path`: the machine path in the document; `message`: what is wrong there and what to do, translated."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A place in a document, and the problems found so far in all of it."""

    path: str = ""
    problems: list[DocumentProblem] = field(default_factory=list)

    def at(self, *parts: Part) -> Reading:
        return Reading(joined(self.path, *parts), self.problems)

    def refuse(self, message: str) -> None:
        """Note one; after a few hundred, more would help nobody."""
        if len(self.problems) < _MOST_TOLD:
            self.problems.append(DocumentProblem(self.path, message))

    def raise_all(self) -> None:
        """DocumentError with everything that was noted, if anything was."""
        if self.problems:
            raise DocumentError(
                _("This document cannot be read as an agent's. Mend what is listed and try again."), self.problems
            )

    def members(self, value: Any) -> Iterator[tuple[str, Any, Reading]]:
        """The entries of an object; none for null."""
        if value is None:
            return
        if not isinstance(value, Mapping):
            self.refuse(_("This is %(shown)s, not an object. Write a JSON object.") % {"shown": shown(value)})
            return
        for key, part in value.items():
            yield key, part, self.at(key)

    def items(self, value: Any) -> Iterator[tuple[Any, Reading]]:
        """The items of a list; none for null."""
        if value is None:
            return
        if not isinstance(value, list):
            self.refuse(_("This is %(shown)s, not a list. Write a JSON list.") % {"shown": shown(value)})
            return
        for index, part in enumerate(value):
            yield part, self.at(index)

    def an_object(self, value: Any) -> dict[str, Any] | None:
        if isinstance(value, Mapping):
            return dict(value)
        self.refuse(_("This is %(shown)s, not an object. Write a JSON object.") % {"shown": shown(value)})
        return None

    def a_slug(self, value: Any, most: int) -> str | None:
        """A name that rows may have: `[a-z0-9_-]`, not longer than its column."""
        if isinstance(value, str) and len(value) <= most and _is_slug(value):
            return value
        self.refuse(
            _(
                "The name %(shown)s cannot be kept. Use 1 to %(most)d small letters without accents, digits, hyphens"
                " and underscores."
            )
            % {"shown": shown(value), "most": most}
        )
        return None

    def a_step_id(self, value: Any, most: int) -> str | None:
        if value and is_storable_text(value, most):
            return str(value)
        self.refuse(
            _("The id %(shown)s cannot be kept. Give the step an id of 1 to %(most)d characters.")
            % {"shown": shown(value), "most": most}
        )
        return None

    def a_kind(self, value: Any, kinds: list[str]) -> str | None:
        if isinstance(value, str) and value in kinds:
            return value
        self.refuse(
            _("The kind %(shown)s is unknown. Write one of: %(kinds)s.")
            % {"shown": shown(value), "kinds": ", ".join(kinds)}
        )
        return None

    def taken_once(self, name: str, seen: set[str]) -> bool:
        """Notes a name that is there twice."""
        if name not in seen:
            seen.add(name)
            return True
        self.refuse(_("Another one before it is called %(name)s too. Give it another name.") % {"name": shown(name)})
        return False


def _is_slug(name: str) -> bool:
    try:
        slug_validator(name)
    except ValidationError:
        return False
    return True
