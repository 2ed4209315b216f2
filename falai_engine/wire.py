"""Schemas of the model calls and the names that travel in them (spec: engine.md sections 5 and 8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

__all__ = ["Aliases", "closed_object", "is_legal_name", "leaf", "speak_names", "wire_schema"]

_LEGAL: Final = re.compile(r"[a-zA-Z0-9_-]+")
_LEAF_KEYS: Final = ("description", "enum", "items")


def is_legal_name(name: str) -> bool:
    """Whether every vendor takes the name as a property's."""
    return _LEGAL.fullmatch(name) is not None


def leaf(definition: Mapping[str, Any], *, nullable: bool = True) -> dict[str, Any]:
    """One property; an `enum` stays as it is, without null."""
    type_ = definition["type"]
    out: dict[str, Any] = {"type": [type_, "null"] if nullable else type_}
    for key in _LEAF_KEYS:
        if definition.get(key) is not None:
            out[key] = definition[key]
    return out


def closed_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties, all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def wire_schema(definitions: Mapping[str, Mapping[str, Any]], *, nullable: bool) -> dict[str, Any]:
    """A closed object with a leaf for each definition."""
    return closed_object({name: leaf(each, nullable=nullable) for name, each in definitions.items()})


def speak_names(slugs: Sequence[str]) -> list[str]:
    """The properties of the pending fields in the speak call; a name in use is made longer."""
    in_use = {slug for slug in slugs if slug != "message" and is_legal_name(slug)}
    names = []
    for index, slug in enumerate(slugs):
        name = slug if slug in in_use else f"field_{index}"
        while slug != name and name in in_use:
            name += "_"
        in_use.add(name)
        names.append(name)
    return names


class Aliases:
    """Names for the understand call: a name that is no legal one travels as `f1`, `q2`, `d3` and is mapped back."""

    __slots__ = ("_count", "_in_use", "_names", "originals")

    def __init__(self, in_use: Iterable[str]) -> None:
        self._in_use = frozenset(in_use)
        self._count = 0
        self._names: dict[tuple[str, str], str] = {}
        self.originals: dict[str, str] = {}

    def name(self, prefix: str, original: str, *, legal: bool) -> str:
        """The name to send; the same original under the same prefix keeps its alias."""
        if legal:
            return original
        known = self._names.get((prefix, original))
        if known is None:
            known = self._names[prefix, original] = self._fresh(prefix)
            self.originals[known] = original
        return known

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        while f"{prefix}{self._count}" in self._in_use:
            self._count += 1
        return f"{prefix}{self._count}"
