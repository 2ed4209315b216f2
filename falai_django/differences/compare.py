"""Two documents, part by part, down to where they differ (spec: host.md section 2, "compared, in words")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from falai_django.differences.change import Change, ChangeKind
from falai_django.differences.excerpts import excerpts, plain
from falai_django.differences.labels import Labels
from falai_django.differences.matching import Match, match, steady
from falai_django.differences.outline import leaf_of, outline, told
from falai_django.differences.parts import WHOLE, Each, Flag, Inner, Items, Leaf, Listing, Named, Part, Shape, fill
from falai_django.differences.places import at_item, at_key
from falai_django.differences.same import same, stand_in, without_nulls
from falai_django.differences.tables import AGENT, unknown
from falai_django.differences.words import json_text
from falai_engine.spec import MAX_DEPTH
from falai_engine.spec.nulls import too_deep
from falai_engine.values import MISSING

__all__ = ["difference"]


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where in the documents: the machine place, the names on the way to it, and what each document calls things."""

    place: str
    where: tuple[str, ...]
    before: Labels
    after: Labels

    def key(self, key: Any) -> _Spot:
        return replace(self, place=at_key(self.place, key))

    def item(self, index: int) -> _Spot:
        return replace(self, place=at_item(self.place, index))

    def inside(self, name: str) -> _Spot:
        return replace(self, where=(*self.where, name))

    def change(self, kind: ChangeKind, what: str, before: str | None, after: str | None) -> Change:
        where = ", ".join(self.where) if self.where else _("the agent")
        return Change(self.place, kind, capfirst(where), what, before, after)


def difference(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[Change]:
    """What makes `after` another document than `before`, in the order of the document; both of flow-spec.md's `agent`.

    None is no document: `before` of a first release, where all is added. Empty for two documents that say the same (the
    order of keys counts among the fields alone, a null is a key left out, 1.0 is 1), and only then. Drafts may hold
    anything: it never raises, and what it cannot read is told as a change of the part that holds it.
    """
    documents = [{} if document is None else document for document in (before, after)]
    if any(too_deep(document) for document in documents):
        return _unreadable(*documents)
    old, new = (without_nulls(document) for document in documents)
    spot = _Spot("", (), Labels.of(old), Labels.of(new))
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return list(_as_leaf(replace(unknown(""), part=_("the document")), old, new, spot))
    if before is None:
        # Beside no document at all, neither an empty list nor the version of the format says anything.
        new = {key: value for key, value in new.items() if value not in ([], {}) and key != "specVersion"}
    return list(_object(AGENT, old, new, spot))


def _unreadable(before: Any, after: Any) -> list[Change]:
    try:
        differ = before != after
    except RecursionError:
        differ = before is not after
    what = _("it changed, but is nested deeper than %(depth)d levels, so that no more can be told") % {
        "depth": MAX_DEPTH
    }
    return [_Spot("", (), Labels(), Labels()).change(ChangeKind.CHANGED, what, None, None)] if differ else []


def _object(shape: Shape, before: Mapping[Any, Any], after: Mapping[Any, Any], spot: _Spot) -> Iterator[Change]:
    others = sorted((key for key in {**before, **after} if key not in shape), key=str)
    for key in (*shape, *others):
        yield from _part(shape.get(key) or unknown(key), key, before.get(key, MISSING), after.get(key, MISSING), spot)


def _part(part: Part, key: Any, before: Any, after: Any, spot: _Spot) -> Iterator[Change]:
    is_ordered = isinstance(part, Named) and part.ordered
    if same(before, after) and not is_ordered:
        return
    spot = spot.key(key)
    found = _DIFFER[type(part)](part, before, after, spot)
    yield from _as_leaf(part, before, after, spot) if found is None else found


# -- values told as a whole


def _as_leaf(part: Part, before: Any, after: Any, spot: _Spot) -> Iterator[Change]:
    if same(before, after):
        return
    leaf = leaf_of(part)
    if any(isinstance(value, (dict, list)) for value in (before, after)) and not isinstance(part, (Leaf, Listing)):
        leaf = replace(leaf, words=lambda value, labels: told(part, value, labels), sentences=WHOLE)
    yield from _leaf(leaf, before, after, spot)


def _leaf(leaf: Leaf, before: Any, after: Any, spot: _Spot) -> Iterator[Change]:
    kind = _kind(before, after)
    then, now = _words(leaf, before, spot.before), _words(leaf, after, spot.after)
    sentences = leaf.sentences
    if then == now:
        # Other JSON that reads the same: its JSON tells them apart.
        then, now = json_text(before), json_text(after)
    part = str(leaf.part)
    told_then, told_now = _default(leaf, then), _default(leaf, now)
    if then is not None and now is not None and plain(then) == plain(now):
        what = _("%(part)s: only spaces or line breaks differ") % {"part": part}
    else:
        if sentences is WHOLE:
            told_then, told_now = (words.replace("\n", "; ") for words in (told_then, told_now))
        told_then, told_now = excerpts(told_then, told_now)
        what = fill(sentences.of(kind), part=part, before=told_then, after=told_now)
    yield spot.change(kind, what, then, now)


def _kind(before: Any, after: Any) -> ChangeKind:
    if before is MISSING:
        return ChangeKind.ADDED
    return ChangeKind.REMOVED if after is MISSING else ChangeKind.CHANGED


def _words(leaf: Leaf, value: Any, labels: Labels) -> str | None:
    return None if value is MISSING else leaf.words(value, labels)


def _default(leaf: Leaf, words: str | None) -> str:
    if words is not None:
        return words
    return "" if leaf.default is None else str(leaf.default)


def _flag(part: Flag, before: Any, after: Any, spot: _Spot) -> Iterator[Change] | None:
    values = (before or False, after or False)
    if values not in ((False, True), (True, False)) or not all(isinstance(value, bool) for value in values):
        return None
    texts = (_words(part.leaf, before, spot.before), _words(part.leaf, after, spot.after))
    return iter([spot.change(_kind(before, after), str(part.on if after is True else part.off), *texts)])


def _listing(part: Listing, before: Any, after: Any, spot: _Spot) -> Iterator[Change] | None:
    if not _both(list, before, after) or not before or not after:
        return None
    came, went = _without(after, before), _without(before, after)
    texts = (told(part, before, spot.before), told(part, after, spot.after))
    values = {
        "part": str(part.part),
        "came": ", ".join(part.words(item, spot.after) for item in came),
        "went": ", ".join(part.words(item, spot.before) for item in went),
        "after": excerpts("", texts[1])[1],
    }
    if came and went:
        what = _("%(part)s now include %(came)s and no longer %(went)s")
    elif came or went:
        what = _("%(part)s now include %(came)s") if came else _("%(part)s no longer include %(went)s")
    else:
        what = _("%(part)s are now in another order: %(after)s")
    return iter([spot.change(ChangeKind.CHANGED, what % values, *texts)])


def _without(items: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """Those that are not among the others, each as often as it is more there than here."""
    left = [stand_in(other) for other in others]
    rest = []
    for item in items:
        if (stand := stand_in(item)) in left:
            left.remove(stand)
        else:
            rest.append(item)
    return rest


def _both(kind: type, before: Any, after: Any) -> bool:
    return isinstance(before, kind) and isinstance(after, kind)


# -- objects


def _inner(part: Inner, before: Any, after: Any, spot: _Spot) -> Iterator[Change] | None:
    old, new = _members(before), _members(after)
    if old is None or new is None or not (old or new):
        return None
    return _object(part.shape, old, new, spot.inside(str(part.part)) if part.scoped else spot)


def _each(part: Each, before: Any, after: Any, spot: _Spot) -> Iterator[Change] | None:
    old, new = _members(before), _members(after)
    if old is None or new is None or not (old or new):
        return None
    keys = {**new, **old}
    return (
        change
        for key in keys
        for change in _part(
            part.leaf(key, spot.after if key in new else spot.before),
            key,
            old.get(key, MISSING),
            new.get(key, MISSING),
            spot,
        )
    )


def _members(value: Any) -> dict[Any, Any] | None:
    """An object's; none when there is no object, None when something else is there."""
    if value is MISSING:
        return {}
    return value if isinstance(value, dict) else None


# -- things that come, go and move


@dataclass(frozen=True, slots=True)
class _Thing:
    """One of a list or of an object: its JSON, its place, its name, and what its document calls things in it."""

    value: Any
    spot: _Spot
    name: str
    labels: Labels


def _named(part: Named, before: Any, after: Any, spot: _Spot) -> Iterator[Change] | None:
    old, new = _members(before), _members(after)
    if old is None or new is None or not (old or new):
        return None
    positions = {key: at for at, key in enumerate(old)}
    pairs = {at: positions[key] for at, key in enumerate(new) if key in positions}
    gone = tuple(at for key, at in positions.items() if key not in new)
    moved = frozenset(pairs) - steady(pairs) if part.ordered else frozenset()
    things = [
        [_Thing(value, spot.key(key), part.name(key, labels), labels) for key, value in members.items()]
        for members, labels in ((old, spot.before), (new, spot.after))
    ]
    return _things(part, Match(pairs, gone, moved), *things)


def _items(part: Items, before: Any, after: Any, spot: _Spot) -> Iterator[Change] | None:
    old, new = (() if value is MISSING else value for value in (before, after))
    if not isinstance(old, (list, tuple)) or not isinstance(new, (list, tuple)) or not (old or new):
        return None
    found = match(old, new, _identity(part), loose=part.loose)
    return _things(part, found, _of_list(part, old, spot, spot.before), _of_list(part, new, spot, spot.after))


def _identity(part: Items) -> Callable[[Any], str | None]:
    def identity(item: Any) -> str | None:
        name = item.get(part.identity) if part.identity and isinstance(item, Mapping) else None
        return name if isinstance(name, str) and name else None

    return identity


def _of_list(part: Items, items: Sequence[Any], spot: _Spot, labels: Labels) -> list[_Thing]:
    identity = _identity(part)
    seen: set[str | None] = {None}
    things = []
    for index, item in enumerate(items):
        name, inner = identity(item), part.within(labels, item)
        # A second one of the same id has no place of its own but by number.
        at = spot.item(index) if name in seen else spot.key(name)
        seen.add(name)
        things.append(_Thing(item, at, part.name(item, inner), inner))
    return things


def _things(part: Named | Items, found: Match, old: Sequence[_Thing], new: Sequence[_Thing]) -> Iterator[Change]:
    """In the order of now; what is gone stands behind what it stood behind."""
    gone = defaultdict(list)
    now_of = {then: now for now, then in found.pairs.items()}
    last = -1
    for then, thing in enumerate(old):
        last = now_of.get(then, last)
        if then not in now_of:
            gone[last].append(_removed(part, thing))
    yield from gone[-1]
    for now, thing in enumerate(new):
        previous = new[now - 1].name if now else None
        if now not in found.pairs:
            yield _added(part, thing, previous)
        else:
            if now in found.moved:
                yield _moved(part, thing, previous)
            yield from _within(part, old[found.pairs[now]], thing)
        yield from gone[now]


def _within(part: Named | Items, old: _Thing, new: _Thing) -> Iterator[Change]:
    spot = replace(new.spot.inside(fill(part.noun.called, name=new.name)), before=old.labels, after=new.labels)
    if _both(dict, old.value, new.value):
        yield from _object(part.shape, old.value, new.value, spot)
    elif not same(old.value, new.value):
        yield from _leaf(unknown(new.name), old.value, new.value, spot)


def _added(part: Named | Items, thing: _Thing, previous: str | None) -> Change:
    noun = part.noun
    if not noun.added_after:
        what = fill(noun.added, name=thing.name)
    else:
        what = _after(noun.added_first, noun.added_after, thing, previous)
    return thing.spot.change(ChangeKind.ADDED, what, None, outline(part.shape, thing.value, thing.labels))


def _removed(part: Named | Items, thing: _Thing) -> Change:
    what = fill(part.noun.removed, name=thing.name)
    return thing.spot.change(ChangeKind.REMOVED, what, outline(part.shape, thing.value, thing.labels), None)


def _moved(part: Named | Items, thing: _Thing, previous: str | None) -> Change:
    what = _after(part.noun.moved_first, part.noun.moved_after, thing, previous)
    return thing.spot.change(ChangeKind.MOVED, what, None, None)


def _after(first: Any, after: Any, thing: _Thing, previous: str | None) -> str:
    return fill(first, name=thing.name) if previous is None else fill(after, name=thing.name, other=previous)


_DIFFER: Final[Mapping[type, Callable[[Any, Any, Any, _Spot], Iterator[Change] | None]]] = {
    Each: _each,
    Flag: _flag,
    Inner: _inner,
    Items: _items,
    Leaf: _as_leaf,
    Listing: _listing,
    Named: _named,
}
