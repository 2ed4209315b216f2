"""The body of a request, a row for each value in it: where it stands, and what it is (spec: flow-spec.md, `request`).

A path whose keys are all numbers leads into a list. A body that these rows would build otherwise than it is (an object
with the keys 0 and 1, a value that no input shows) is kept and shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.objects import Alternative, OneOf
from falai_django.forms.part import Json, Page, Part, Path, Spot
from falai_django.forms.pointers import Pointer, pointer_keys, pointer_text
from falai_django.forms.posted import Posted, many_lines, one_line
from falai_django.forms.rows import Entry, Pair, Rows
from falai_django.forms.scalars import Option, Text, choices
from falai_django.forms.values import UnreadableError, number_of, scalar_text
from falai_django.outgoing.json_values import DEEPEST
from falai_engine.values import MISSING, finite

__all__ = ["body_part"]

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_MOST_LEAVES: Final = 500
_KINDS: Final[Sequence[Option]] = (
    ("text", gettext_lazy("Text")),
    ("number", gettext_lazy("Number")),
    ("true", gettext_lazy("Yes (true)")),
    ("false", gettext_lazy("No (false)")),
    ("null", gettext_lazy("Nothing (null)")),
    ("object", gettext_lazy("Empty object")),
    ("list", gettext_lazy("Empty list")),
)
_CONSTANTS: Final[Mapping[str, Callable[[], Json]]] = {
    "true": lambda: True,
    "false": lambda: False,
    "null": lambda: None,
    "object": dict,
    "list": list,
}
"""The kinds of which there is one value."""
_TYPED: Final = " ".join(kind for kind, _label in _KINDS if kind not in _CONSTANTS)


class _Held(NamedTuple):
    """A value that stands somewhere in the body: null is one, too."""

    value: Json


def _kind_of(value: Json) -> str | None:
    """None: no input shows it."""
    if isinstance(value, str):
        return "text"
    if finite(value):
        return "number"
    return next((kind for kind, make in _CONSTANTS.items() if type(make()) is type(value) and make() == value), None)


@dataclass(frozen=True, kw_only=True)
class _Leaf(Part):
    """One value: its kind, and what is typed for a text or a number."""

    template: ClassVar[str] = "falai_django/forms/leaf.html"

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, _Held)

    def _inputs(self, value: Json) -> tuple[str, str]:
        if value is MISSING:
            return "text", ""
        kind = _kind_of(value.value) or "text"
        return kind, "" if kind in _CONSTANTS else many_lines(scalar_text(value.value, "string"))

    def _read(self, data: Posted, name: str) -> tuple[str, str]:
        return data.text(f"{name}-kind") or "text", data.text(name)

    def _compose(self, inputs: tuple[str, str], _was: Json, spot: Spot) -> Json:
        kind, text = inputs
        if kind in _CONSTANTS:
            if text.strip():
                spot.problem(_("This kind of value has no text: empty it, or choose “Text”."))
            return _Held(_CONSTANTS[kind]())
        if kind != "number":
            return _Held(text)
        try:
            return _Held(number_of(text))
        except UnreadableError as error:
            spot.problem(error.told)
            return _Held(text)

    def _view(self, inputs: tuple[str, str], _was: Json, _page: Page, _name: str) -> dict[str, Any]:
        kind, text = inputs
        rows = min(text.count("\n") + 1, 8)
        return {"value": text, "rows": rows, "kinds": choices(_KINDS, [kind]), "typed": _TYPED}


@dataclass(frozen=True, kw_only=True)
class _LeafPair(Pair):
    """Where a value stands, and the value, which is what problems are about."""

    def _place(self, _path: Path, was: Json, name: str) -> str:
        return f"{name}-{'name' if was is MISSING else 'value'}"


@dataclass(frozen=True, kw_only=True)
class _Tree(Rows):
    """An object or a list with something in it."""

    def _can_show(self, value: Json) -> bool:
        if not isinstance(value, Mapping | list) or not value or _is_too_deep(value):
            return False
        leaves = list(_leaves(value))
        if len(leaves) >= _MOST_LEAVES or not all(map(_is_typable, leaves)):
            return False
        rebuilt = _built([(pointer_keys(leaf.name), leaf.value.value, Spot("")) for leaf in leaves])
        return json.dumps(rebuilt) == json.dumps(value)

    def _split(self, value: Json) -> Sequence[Json]:
        return list(_leaves(value))

    def _join(self, items: Sequence[tuple[Json, Spot]], _was: Json) -> Json:
        return _built([(pointer_keys(leaf.name), leaf.value.value, spot) for leaf, spot in items])

    def _place(self, path: Path, was: Json, name: str) -> str:
        keys = [str(key) for key in path]
        for index, leaf in enumerate(self._items(was)):
            if pointer_keys(leaf.name)[: len(keys)] == keys and keys:
                return self.item.place((), leaf, f"{name}-{index}")
        return name


def _is_too_deep(value: Json, left: int = DEEPEST) -> bool:
    if not isinstance(value, Mapping | list):
        return False
    parts = value.values() if isinstance(value, Mapping) else value
    return left == 0 or any(_is_too_deep(part, left - 1) for part in parts)


def _leaves(value: Json, at: tuple[str, ...] = ()) -> Iterator[Entry]:
    if isinstance(value, Mapping | list) and value:
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, part in parts:
            yield from _leaves(part, (*at, str(key)))
    else:
        yield Entry(pointer_text(at), _Held(value))


def _is_typable(leaf: Entry) -> bool:
    is_same = one_line(leaf.name).strip() == leaf.name
    return is_same and _kind_of(leaf.value.value) is not None


class _Branch(dict[str, Any]):
    """What values stand below, told from an empty object that is a value."""


def _built(leaves: Sequence[tuple[Sequence[str], Json, Spot]]) -> Json:
    root = _Branch()
    for keys, value, spot in leaves:
        _put(root, keys, value, spot)
    return _closed(root)


def _put(branch: _Branch, keys: Sequence[str], value: Json, spot: Spot) -> None:
    """A path that is taken, or that leads through a value, is a problem of its row."""
    *above, last = keys
    for key in above:
        inner = branch.setdefault(key, _Branch())
        if not isinstance(inner, _Branch):
            spot.at("name").problem(_("A row above has a value on the way there: nothing can stand below it."))
            return
        branch = inner
    if last in branch:
        spot.at("name").problem(_("This place is taken by a row above."))
        return
    branch[last] = value


def _closed(value: Json) -> Json:
    """Branches as objects and lists; a gap in a list closes."""
    if not isinstance(value, _Branch):
        return value
    if value and all(map(_INDEX.fullmatch, value)):
        return [_closed(value[key]) for key in sorted(value, key=int)]
    return {key: _closed(inner) for key, inner in value.items()}


def body_part() -> OneOf:
    """The body: none, values by their paths, or what has none."""
    row = _LeafPair(
        name=Pointer(label=gettext_lazy("Place"), hint="/customer/name"),
        value=_Leaf(label=gettext_lazy("Value")),
        unnamed=gettext_lazy("Say where it stands, such as /name."),
    )
    tree = _Tree(
        label=gettext_lazy("Values"),
        help=gettext_lazy("Where each value stands: /customer/name in an object, /items/0/code in a list."),
        item=row,
        one=gettext_lazy("Value"),
        add=gettext_lazy("Add a value"),
    )
    return OneOf(
        label=gettext_lazy("Body (JSON)"),
        none=gettext_lazy("No body"),
        alternatives=(
            Alternative(
                "values",
                gettext_lazy("An object or list of these values"),
                lambda value: isinstance(value, Mapping | list) and bool(value),
                tree,
                needed=gettext_lazy("Add a value, or choose something else."),
            ),
            Alternative("object", gettext_lazy("An empty object"), _is_empty(dict), value={}),
            Alternative("list", gettext_lazy("An empty list"), _is_empty(list), value=[]),
            Alternative(
                "one",
                gettext_lazy("One value alone"),
                lambda value: isinstance(value, str),
                Text(label=gettext_lazy("Text or template"), empty=""),
            ),
        ),
    )


def _is_empty(sort: type) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, sort) and not value
