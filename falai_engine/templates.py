"""Logic-less templates, parsed once (spec: engine.md section 11).

Only a mapping's own keys are looked up: no attribute, no call, no index, and one pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from falai_engine.values import MISSING, value_text

__all__ = ["Scope", "Template", "compile_template", "render_deep", "template_paths"]

_PLACEHOLDER: Final = re.compile(r"\{\{([^{}]*)\}\}")
_ROOTS: Final = {"data": 0, "context": 1, "input": 2}
_WIDE_GAP: Final = re.compile(r"(?<=\S)[ \t]{2,}")
# A run is taken whole and tried once: a long one inside a line must not be tried from each of its places.
_GAP_BEFORE_MARK: Final = re.compile(r"(?<! ) ++(?=[,.;:!?…])")
_LINE_END: Final = re.compile(r"(?<![ \t])[ \t]++(?=\r?$)", re.MULTILINE)

Scope: TypeAlias = tuple[Any, Any, Any]
"""`(data, context, input)`; an absent one is MISSING."""


@dataclass(frozen=True, slots=True)
class _Path:
    written: str
    root: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed text; `parts` is None when it holds no placeholder."""

    text: str
    parts: tuple[str | _Path, ...] | None

    def render(self, scope: Scope) -> str:
        """The text with its placeholders filled; tidied when one of them came out blank."""
        if self.parts is None:
            return self.text
        blank = False
        out = []
        for part in self.parts:
            if type(part) is str:
                out.append(part)
                continue
            filled = _fill(part, scope)  # type: ignore[arg-type]
            blank = blank or not filled
            out.append(filled)
        return _tidy("".join(out)) if blank else "".join(out)


def compile_template(text: str) -> Template:
    """Parse a text once; anything that is no placeholder stays as it is written."""
    if "{{" not in text:
        return Template(text, None)
    parts: list[str | _Path] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        path = _path(match)
        if path is not None:
            parts += [text[end : match.start()], path]
            end = match.end()
    if not parts:
        return Template(text, None)
    return Template(text, (*parts, text[end:]))


def template_paths(text: str) -> list[tuple[str, ...]]:
    """Every path a text names, root first: `("data", "name")`."""
    found = (_path(match) for match in _PLACEHOLDER.finditer(text))
    roots = list(_ROOTS)
    return [(roots[path.root], *path.keys) for path in found if path is not None]


def _path(match: re.Match[str]) -> _Path | None:
    root, *keys = match[1].strip().split(".")
    return _Path(match[0], _ROOTS[root], tuple(keys)) if root in _ROOTS else None


def _fill(path: _Path, scope: Scope) -> str:
    value = scope[path.root]
    for key in path.keys:
        if value is None:
            return ""
        value = value.get(key, MISSING) if isinstance(value, Mapping) else MISSING
    if value is None or value is MISSING:
        return path.written
    return value if type(value) is str else value_text(value)


def _tidy(text: str) -> str:
    text = _WIDE_GAP.sub(" ", text)
    text = _GAP_BEFORE_MARK.sub("", text)
    return _LINE_END.sub("", text)


def render_deep(value: Any, compile_: Callable[[str], Template] = compile_template) -> Callable[[Scope], Any]:
    """A function that renders every text inside a JSON value, at every depth; keys stay as they are."""
    if isinstance(value, str):
        return compile_(value).render
    if isinstance(value, Mapping):
        members = [(key, render_deep(item, compile_)) for key, item in value.items()]
        return lambda scope: {key: render(scope) for key, render in members}
    if isinstance(value, list | tuple):
        items = [render_deep(item, compile_) for item in value]
        return lambda scope: [render(scope) for render in items]
    return lambda scope: value
