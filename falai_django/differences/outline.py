"""A thing told as a whole, for what was added or removed: a line a part, those inside indented."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from django.utils.text import capfirst

from falai_django.differences.labels import Labels
from falai_django.differences.parts import Each, Flag, Inner, Items, Leaf, Listing, Named, Part, Shape, fill
from falai_django.differences.tables import unknown

__all__ = ["leaf_of", "outline", "told"]

_INDENT: Final = "    "


def leaf_of(part: Part) -> Leaf:
    """The leaf as which a part is told when its value is none of the kind that the part is made for."""
    if isinstance(part, Leaf):
        return part
    if isinstance(part, (Flag, Listing)):
        return part.leaf
    if isinstance(part, Inner):
        return Leaf(part.part, part.words)
    return Leaf(part.all if isinstance(part, Each) else part.part, unknown("").words)


def outline(shape: Shape, value: Any, labels: Labels) -> str:
    """All that an object holds, in the order of its table."""
    return "\n".join(_object(shape, value, labels)) if isinstance(value, Mapping) else unknown("").words(value, labels)


def told(part: Part, value: Any, labels: Labels) -> str:
    """All that a part holds."""
    lines = list(_parts_of(part, value, labels) or ())
    return "\n".join(lines) if lines else leaf_of(part).words(value, labels)


def _object(shape: Shape, value: Mapping[Any, Any], labels: Labels) -> Iterator[str]:
    for key in (*(key for key in shape if key in value), *(key for key in value if key not in shape)):
        part = shape.get(key) or unknown(key)
        lines = _parts_of(part, value[key], labels)
        leaf = leaf_of(part)
        if lines is None:
            yield f"{capfirst(str(leaf.part))}: {leaf.words(value[key], labels)}"
        else:
            yield f"{capfirst(str(leaf.part))}:"
            yield from (f"{_INDENT}{line}" for line in lines)


def _parts_of(part: Part, value: Any, labels: Labels) -> Iterator[str] | None:
    """The lines of a part that has parts of its own; None for one that is told as a leaf."""
    tell = _TELL.get(type(part))
    return None if tell is None or not value else tell(part, value, labels)


def _inner(part: Inner, value: Any, labels: Labels) -> Iterator[str] | None:
    return _object(part.shape, value, labels) if isinstance(value, Mapping) else None


def _each(part: Each, value: Any, labels: Labels) -> Iterator[str] | None:
    if not isinstance(value, Mapping):
        return None
    return (f"{part.name(key, labels)}: {part.words(each, labels)}" for key, each in value.items())


def _named(part: Named, value: Any, labels: Labels) -> Iterator[str] | None:
    if not isinstance(value, Mapping):
        return None
    things = ((part.name(key, labels), each, labels) for key, each in value.items())
    return _things(part, things)


def _items(part: Items, value: Any, labels: Labels) -> Iterator[str] | None:
    if not isinstance(value, (list, tuple)):
        return None
    inside = ((item, part.within(labels, item)) for item in value)
    return _things(part, ((part.name(item, inner), item, inner) for item, inner in inside))


def _things(part: Named | Items, things: Iterator[tuple[str, Any, Labels]]) -> Iterator[str]:
    for name, thing, labels in things:
        yield capfirst(fill(part.noun.called, name=name))
        if isinstance(thing, Mapping):
            yield from (f"{_INDENT}{line}" for line in _object(part.shape, thing, labels))


_TELL: Final[Mapping[type, Callable[[Any, Any, Labels], Iterator[str] | None]]] = {
    Inner: _inner,
    Each: _each,
    Named: _named,
    Items: _items,
}
