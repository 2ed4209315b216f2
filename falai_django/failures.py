"""What can go wrong with an input or a turn: class -> code -> HTTP status, in one place (spec: host.md sections 3, 5).

`README.md` shows the table of a turn's failures and what follows from each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext as _

from falai_django.errors import AgentUnavailableError, EncryptionError, RegistrationError
from falai_engine import FlowConfigurationError, InvalidSessionError, ProviderError

__all__ = ["STATUS", "FailureCode", "code_of", "failure_words", "sentence_of"]


class FailureCode(StrEnum):
    """The codes that callers, lists and logs see. They stay as they are."""

    INVALID_INPUT = "invalid-input"
    UNKNOWN_RELEASE = "unknown-release"
    KEY_REUSED = "key-reused"
    ERASING = "erasing"
    AGENT_OFF = "agent-off"
    ERASED = "erased"
    TOO_MANY_INPUTS = "too-many-inputs"
    TURN_DEAD = "turn-dead"
    TURN_MISSED = "turn-missed"
    MODEL_FAILED = "model-failed"
    MODEL_UNAVAILABLE = "model-unavailable"
    AGENT_UNAVAILABLE = "agent-unavailable"
    SESSION_UNREADABLE = "session-unreadable"


STATUS: Final[Mapping[FailureCode, int]] = MappingProxyType(
    {
        FailureCode.INVALID_INPUT: 400,
        FailureCode.UNKNOWN_RELEASE: 400,
        FailureCode.KEY_REUSED: 409,
        FailureCode.ERASING: 409,
        FailureCode.AGENT_OFF: 409,
        FailureCode.ERASED: 410,
        FailureCode.TURN_MISSED: 410,
        FailureCode.TOO_MANY_INPUTS: 429,
        FailureCode.TURN_DEAD: 500,
        FailureCode.MODEL_FAILED: 502,
        FailureCode.MODEL_UNAVAILABLE: 503,
        FailureCode.AGENT_UNAVAILABLE: 503,
        FailureCode.SESSION_UNREADABLE: 503,
    }
)
"""The HTTP status of each code."""

_SENTENCES: Final[Mapping[FailureCode, Callable[[], str]]] = MappingProxyType(
    {
        FailureCode.ERASED: lambda: _("The conversation was erased meanwhile."),
        FailureCode.TURN_MISSED: lambda: _("It was due too long ago, and was not run any more."),
        FailureCode.TURN_DEAD: lambda: _("The turn failed three times. It is listed, and can be run again."),
        FailureCode.MODEL_FAILED: lambda: _("The model refused or failed. The agent's page says why."),
        FailureCode.MODEL_UNAVAILABLE: lambda: _("The model cannot be reached now. The turn is tried again by itself."),
        FailureCode.AGENT_UNAVAILABLE: lambda: _(
            "The agent cannot work as it is configured now. The turn is kept and runs when that is mended."
        ),
        FailureCode.SESSION_UNREADABLE: lambda: _(
            "The conversation's state cannot be read. The turn is kept and runs when that is mended."
        ),
    }
)

_CLASSES: Final[tuple[tuple[type[Exception], FailureCode], ...]] = (
    (FlowConfigurationError, FailureCode.AGENT_UNAVAILABLE),
    (AgentUnavailableError, FailureCode.AGENT_UNAVAILABLE),
    (RegistrationError, FailureCode.AGENT_UNAVAILABLE),
    (EncryptionError, FailureCode.AGENT_UNAVAILABLE),
    (InvalidSessionError, FailureCode.SESSION_UNREADABLE),
)


def sentence_of(code: FailureCode) -> str:
    """What a turn's failure means, for its caller."""
    return _SENTENCES[code]()


def failure_words(code: str) -> str:
    """A code that a row holds, for people; one that has no sentence stays as it is."""
    return _SENTENCES[FailureCode(code)]() if code in _SENTENCES else code


def code_of(error: Exception) -> FailureCode:
    """What an exception out of a turn means. A database that cannot be reached is nobody's to judge: raised again."""
    if isinstance(error, OperationalError | InterfaceError):
        raise error
    if isinstance(error, ProviderError):
        return FailureCode.MODEL_UNAVAILABLE if error.is_retryable else FailureCode.MODEL_FAILED
    return next((code for kind, code in _CLASSES if isinstance(error, kind)), FailureCode.TURN_DEAD)
