"""The kinds of parts that a document is made of, and what is said of each; `tables` says which part is which.

Sentences are whole templates, so that a translation may order and inflect them as it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext_lazy as _

from falai_django.differences.change import ChangeKind
from falai_django.differences.labels import Labels
from falai_django.differences.words import Text, Words, text, value, yes_or_no

__all__ = [
    "MANY",
    "ONE",
    "QUOTED",
    "WHOLE",
    "Each",
    "Flag",
    "Inner",
    "Items",
    "Leaf",
    "Listing",
    "Named",
    "Noun",
    "Part",
    "Sentences",
    "Shape",
    "fill",
]

Name: TypeAlias = Callable[[Any, Labels], str]


def fill(template: Text, **values: Any) -> str:
    """A template with its placeholders filled, in the language of now."""
    return str(template) % values


@dataclass(frozen=True, slots=True)
class Sentences:
    """What is said of a leaf (`part`) that got, lost or changed its value (`before`, `after`)."""

    added: Text
    removed: Text
    changed: Text

    def of(self, kind: ChangeKind) -> Text:
        return {ChangeKind.ADDED: self.added, ChangeKind.REMOVED: self.removed}.get(kind, self.changed)


ONE: Final = Sentences(
    added=_("%(part)s is now %(after)s (there was none)"),
    removed=_("%(part)s is gone (was %(before)s)"),
    changed=_("%(part)s is now %(after)s (was %(before)s)"),
)
QUOTED: Final = Sentences(
    added=_("%(part)s is now “%(after)s” (there was none)"),
    removed=_("%(part)s is gone (was “%(before)s”)"),
    changed=_("%(part)s is now “%(after)s” (was “%(before)s”)"),
)
WHOLE: Final = Sentences(
    added=_("%(part)s: now %(after)s"),
    removed=_("%(part)s: gone; before: %(before)s"),
    changed=_("%(part)s: now %(after)s; before: %(before)s"),
)
MANY: Final = Sentences(
    added=_("%(part)s are now %(after)s (there were none)"),
    removed=_("%(part)s are gone (were %(before)s)"),
    changed=_("%(part)s are now %(after)s (were %(before)s)"),
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value told as a whole. `part` is what it is called, `words` how its value is told.

    With `default` its absence has words too, and then it is always told as changed.
    """

    part: Text
    words: Words = value
    sentences: Sentences = ONE
    default: Text | None = None

    @classmethod
    def text(cls, part: Text) -> Leaf:
        """A text, quoted as it is."""
        return cls(part, text, QUOTED)


@dataclass(frozen=True, slots=True)
class Flag:
    """A switch: `on` and `off` say what is the case since it was turned; absent is off."""

    part: Text
    on: Text
    off: Text

    @property
    def leaf(self) -> Leaf:
        return Leaf(self.part, lambda value, labels: yes_or_no(value))


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of short values, told by what came and what went. `part` is plural, `words` are those of one.

    `default` are the words of its absence, as of a leaf.
    """

    part: Text
    words: Words = value
    default: Text | None = None

    @property
    def leaf(self) -> Leaf:
        always = Sentences(MANY.changed, MANY.changed, MANY.changed)
        return Leaf(self.part, self._all, MANY if self.default is None else always, self.default)

    def _all(self, given: Any, labels: Labels) -> str:
        is_full = isinstance(given, (list, tuple)) and len(given) > 0
        return ", ".join(self.words(item, labels) for item in given) if is_full else value(given, labels)


@dataclass(frozen=True, slots=True)
class Each:
    """An object whose keys an author made, with a leaf under each; `part` is of one of them, with its `%(name)s`."""

    part: Text
    all: Text
    words: Words = text
    sentences: Sentences = QUOTED
    name: Name = lambda key, labels: str(key)

    def leaf(self, key: Any, labels: Labels) -> Leaf:
        return Leaf(fill(self.part, name=self.name(key, labels)), self.words, self.sentences)


@dataclass(frozen=True, slots=True)
class Noun:
    """A thing that comes and goes as a whole; `called` names it where something in it is told.

    Those of an ordered list have the last four sentences, and never need the plain `added`.
    """

    called: Text
    added: Text
    removed: Text
    added_first: Text = ""
    added_after: Text = ""
    moved_first: Text = ""
    moved_after: Text = ""


@dataclass(frozen=True, slots=True)
class Inner:
    """An object with parts of its own; anything else in its place is told as a leaf.

    `scoped` when its parts are told as parts of it, and not as parts of what it stands in.
    """

    part: Text
    shape: Shape
    words: Words = value
    scoped: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """An object of things by name; `ordered` when the order of its keys has meaning."""

    part: Text
    noun: Noun
    shape: Shape
    ordered: bool = False
    name: Name = lambda key, labels: str(key)


@dataclass(frozen=True, slots=True)
class Items:
    """A list of things.

    `identity` is the key that makes one the same as before; `loose` ones may also be told by their content. `name` is
    of an item, `within` gives the labels that hold inside it.
    """

    part: Text
    noun: Noun
    shape: Shape
    name: Name
    identity: str | None = None
    loose: bool = True
    within: Callable[[Labels, Any], Labels] = lambda labels, item: labels


Part: TypeAlias = Leaf | Flag | Listing | Each | Inner | Named | Items
Shape: TypeAlias = Mapping[str, Part]
