"""What a model call is about, as data: the prompt is written from it, and the offline provider reads it.

`name` is always the property's name in the schema of the call (an alias where the author's is not a legal one).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "BranchChoice",
    "FieldAsk",
    "FieldChoice",
    "FlowChoice",
    "KnownValue",
    "MentionChoice",
    "SpeakBrief",
    "UnderstandBrief",
]


@dataclass(frozen=True, slots=True)
class FlowChoice:
    """A flow to score from 0 to 100; `asking` marks the one that holds the floor. Phrases are rendered."""

    name: str
    flow_id: str
    title: str
    description: str
    phrases: tuple[str, ...]
    excludes: tuple[str, ...]
    asking: bool = False


@dataclass(frozen=True, slots=True)
class MentionChoice:
    """Whether the customer mentions something; `extract` are the parameters to read out when it is so."""

    name: str
    flow_id: str
    title: str
    phrases: tuple[str, ...]
    excludes: tuple[str, ...]
    extract: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class BranchChoice:
    """A `when` of the step that is asking: a yes or no question about the message."""

    name: str
    when: str


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A field that the customer may have told; `asked` when the step on the floor has asked for it."""

    name: str
    slug: str
    type: str
    enum: tuple[Any, ...] | None
    label: str | None
    description: str | None
    asked: bool = False


@dataclass(frozen=True, slots=True)
class UnderstandBrief:
    """Judge only the customer's own words in `message`."""

    message: str
    flows: tuple[FlowChoice, ...] = ()
    mentions: tuple[MentionChoice, ...] = ()
    branches: tuple[BranchChoice, ...] = ()
    fields: tuple[FieldChoice, ...] = ()
    locale: str | None = None


@dataclass(frozen=True, slots=True)
class FieldAsk:
    """A pending field of the speaking step: how to ask for it, and how often it has been asked already."""

    name: str
    slug: str
    type: str
    enum: tuple[Any, ...] | None
    label: str | None
    description: str | None
    ask: str | None
    asked: int = 0


@dataclass(frozen=True, slots=True)
class KnownValue:
    """Something settled that must not be asked again; `fresh` when it was given in this turn."""

    slug: str
    label: str | None
    value: Any
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class SpeakBrief:
    """Phrase one message. `message` is the customer's text, None when the turn has none.

    `unanswered`: nobody wrote now, but the history ends on a message of the customer. `guideline` is the step's
    rendered prompt or None (then: collect what is pending, or answer). `idle`: no flow is speaking.
    """

    message: str | None
    idle: bool
    flow_name: str | None
    flow_description: str | None
    guideline: str | None
    pending: tuple[FieldAsk, ...]
    known: tuple[KnownValue, ...]
    instructions: tuple[str, ...]
    today: str
    unanswered: bool = False
    locale: str | None = None
