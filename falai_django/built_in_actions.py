"""The actions that every agent has of itself: `hand_off` and `notify` (spec: host.md section 3, Silence).

They change nothing while the turn runs: whoever drives the turn collects what they ask for and does it in the commit of
the turn, so that a turn that is replayed or dropped has silenced and told nobody:

    with collected_effects() as effects:
        result = agent.turn(given)

A row of an agent with the slug of one of them takes its place there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext, gettext_noop

from falai_engine import Action, ActionCall, ActionResult, Failed, FlowConfigurationError, Ok
from falai_engine.times import duration_ms

__all__ = [
    "BUILT_IN_ACTIONS",
    "HAND_OFF_FOR",
    "Effect",
    "HandOff",
    "Notice",
    "collected_effects",
    "with_built_in_actions",
]

HAND_OFF_FOR: Final = "12h"
"""How long an agent keeps silent after `hand_off` when the step does not say."""


@dataclass(frozen=True, slots=True)
class HandOff:
    """A person takes over: keep silent for so many milliseconds. `key` is the outcome's."""

    key: str
    reason: str
    silence_ms: int


@dataclass(frozen=True, slots=True)
class Notice:
    """A text for the team, by the sender. `key` is the outcome's."""

    key: str
    to: str
    text: str


Effect: TypeAlias = HandOff | Notice
_collected: ContextVar[list[Effect] | None] = ContextVar("falai_effects", default=None)


@contextmanager
def collected_effects() -> Iterator[list[Effect]]:
    """What the turns within ask for, in order."""
    effects: list[Effect] = []
    token = _collected.set(effects)
    try:
        yield effects
    finally:
        _collected.reset(token)


def _hand_off(params: Mapping[str, Any], call: ActionCall) -> ActionResult:
    lasts = params.get("for") or HAND_OFF_FOR
    try:
        silence_ms = duration_ms(lasts)
    except FlowConfigurationError as error:
        return Failed(error.what)
    reason = str(params.get("reason") or "")
    return _asked(HandOff(call.key, reason, silence_ms), f"{lasts}: {reason}")


def _notify(params: Mapping[str, Any], call: ActionCall) -> ActionResult:
    to = str(params.get("to") or "")
    return _asked(Notice(call.key, to, str(params.get("text") or "")), to)


def _asked(effect: Effect, detail: str) -> ActionResult:
    effects = _collected.get()
    if effects is None:
        # A turn that nobody commits; better a failure that is seen than a person who waits for nobody.
        return Failed("nobody who runs this turn can do it")
    effects.append(effect)
    return Ok(detail)


BUILT_IN_ACTIONS: Final[Mapping[str, Action]] = MappingProxyType(
    {
        "hand_off": Action(
            _hand_off,
            {
                "reason": {"type": "string", "description": gettext_noop("Why, for the person who takes over.")},
                "for": {
                    "type": "string",
                    "optional": True,
                    "description": gettext_noop(
                        "How long the agent keeps silent, such as 30m or 2h; %(default)s if left out."
                    ),
                },
            },
            gettext_noop("Hand the conversation over to a person: the agent keeps silent."),
            idempotent=True,
            name="falai.hand_off",
        ),
        "notify": Action(
            _notify,
            {
                "to": {"type": "string", "description": gettext_noop("Whom, as the sender knows them.")},
                "text": {"type": "string", "description": gettext_noop("What they are told.")},
            },
            gettext_noop("Send a text to somebody of the team."),
            idempotent=True,
            name="falai.notify",
        ),
    }
)
"""By slug; an action of kind `python` may also name one by its `name`."""


def with_built_in_actions(document: Mapping[str, Any]) -> dict[str, Any]:
    """An agent document that declares them too, for validating and compiling; its own of the same slug stay."""
    own = document.get("actions")
    if own is not None and not isinstance(own, Mapping):
        return dict(document)
    declared = {slug: _declaration(action) for slug, action in BUILT_IN_ACTIONS.items() if slug not in (own or {})}
    return {**document, "actions": {**(own or {}), **declared}}


def _declaration(action: Action) -> dict[str, Any]:
    """With its texts in the reader's language: they are shown where authors choose an action, and told no model."""
    return {
        "kind": "python",
        "name": action.name,
        "description": _told(action.description),
        "parameters": {
            name: {**spec, "description": _told(spec["description"])}
            for name, spec in (action.parameters or {}).items()
        },
    }


def _told(text: str | None) -> str:
    return gettext(text) % {"default": HAND_OFF_FOR} if text else ""
