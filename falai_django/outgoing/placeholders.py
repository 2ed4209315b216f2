"""Templates inside a request: `{{input.x}}`, `{{data.x}}`, `{{context.x.y}}` (spec: flow-spec.md, request).

They are those of the engine, but for what is missing: nothing is sent as it is written. A text prints a missing or null
value as nothing; a place that is one placeholder and nothing else gets the value itself. No text is tidied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from falai_engine.replies import sound_text
from falai_engine.values import MISSING, value_text

__all__ = ["PLACEHOLDER", "ROOTS", "Placeholder", "Text", "Values", "parsed"]

PLACEHOLDER: Final = re.compile(r"\{\{([^{}]*)\}\}")
ROOTS: Final = ("input", "data", "context")


@dataclass(frozen=True, slots=True)
class Values:
    """What a request is filled with: `input` are the parameters of the action or the arguments of the tool."""

    input: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    context: Any = None


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One `{{root.key...}}`; `written` as the author wrote it."""

    written: str
    root: str
    keys: tuple[str, ...]

    def value(self, values: Values) -> Any:
        """What it names; None when that is missing or null. Only a mapping's own keys are looked up."""
        found: Any = getattr(values, self.root)
        for key in self.keys:
            found = found.get(key, MISSING) if isinstance(found, Mapping) else MISSING
        return None if found is MISSING else found

    def text(self, values: Values) -> str:
        """Its value as templates print it, without NUL and lone surrogates."""
        found = self.value(values)
        return "" if found is None else sound_text(value_text(found))


Part: TypeAlias = str | Placeholder


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its placeholders found."""

    parts: tuple[Part, ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    @property
    def sole(self) -> Placeholder | None:
        """The placeholder, when the text is nothing else."""
        return self.parts[0] if len(self.parts) == 1 and isinstance(self.parts[0], Placeholder) else None

    @property
    def literal(self) -> str:
        """What the author wrote, without the placeholders."""
        return "".join(part for part in self.parts if isinstance(part, str))

    def render(self, values: Values) -> str:
        return "".join(part if isinstance(part, str) else part.text(values) for part in self.parts)


def parsed(text: str) -> Text:
    """The parts of a text; what names none of ROOTS stays as it is written."""
    parts: list[Part] = []
    end = 0
    for match in PLACEHOLDER.finditer(text):
        root, *keys = match[1].strip().split(".")
        if root not in ROOTS or not keys or not all(keys):
            continue
        parts += [text[end : match.start()], Placeholder(match[0], root, tuple(keys))]
        end = match.end()
    parts.append(text[end:])
    return Text(tuple(part for part in parts if part != ""))
