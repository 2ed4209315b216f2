"""Trying a request with sample values: how it would leave, and what its answer comes to (spec: host.md section 6).

What is shown holds no secret; nothing is stored, and a turn knows nothing of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from falai_django.conf import settings
from falai_django.outgoing.answer import Reading
from falai_django.outgoing.arguments import fitted_arguments, fitted_parameters
from falai_django.outgoing.connection import Answered, OutgoingRequest
from falai_django.outgoing.handlers import Declared, HttpCall, Send
from falai_django.outgoing.placeholders import Placeholder, Values, parsed
from falai_django.outgoing.request import ShownRequest
from falai_django.outgoing.secret_values import SecretOf, masked
from falai_django.outgoing.url import check_origin
from falai_engine.replies import sound_text

__all__ = ["Trial", "placeholders_of", "sent_trial", "shown_trial"]

_LONGEST_BODY: Final = 4_000


@dataclass(frozen=True, slots=True)
class Trial:
    """A request as it would leave; when it was sent, also what it came to: `reading`, and what came.

    `status` is None when no answer came, `body` is the beginning of its text, `is_cut` when there is more of it.
    """

    request: ShownRequest
    reading: Reading | None = None
    status: int | None = None
    body: str = ""
    is_cut: bool = False
    milliseconds: int = 0


@dataclass(slots=True)
class _Watched:
    """Sends, and keeps the last answer."""

    send: Send
    answers: list[Answered] = field(default_factory=list)

    def __call__(self, request: OutgoingRequest, deadline: float, /) -> Answered:
        answered = self.send(request, deadline)
        self.answers.append(answered)
        return answered


def placeholders_of(request: Any) -> Iterator[Placeholder]:
    """Each placeholder in a request, however broken that is, in its order."""
    if isinstance(request, str):
        yield from parsed(request).placeholders
    elif isinstance(request, Mapping):
        for value in request.values():
            yield from placeholders_of(value)
    elif isinstance(request, list | tuple):
        for value in request:
            yield from placeholders_of(value)


def shown_trial(spec: Mapping[str, Any], given: Values, secret_of: SecretOf, *, is_tool: bool) -> Trial:
    """The request of a definition, filled. OutgoingError for whatever would keep it back, as far as is known."""
    template = HttpCall.of(spec, secret_of).request
    check_origin(template.url.origin)
    return Trial(template.build(_fitted(spec, given, is_tool=is_tool), secret_of).shown)


def sent_trial(
    spec: Mapping[str, Any], given: Values, secret_of: SecretOf, declared: Declared, send: Send, *, is_tool: bool
) -> Trial:
    """The same, sent once, in truth. OutgoingError when it may not leave; what goes wrong then is in the reading."""
    trial = shown_trial(spec, given, secret_of, is_tool=is_tool)
    watched = _Watched(send)
    call = replace(HttpCall.of(spec, secret_of, declared, watched), attempts=1)
    began = time.monotonic()
    until = began + (call.request.timeout or settings().outgoing_timeout_seconds)
    reading = call.run(_fitted(spec, given, is_tool=is_tool), until)
    took = round((time.monotonic() - began) * 1_000)
    if not watched.answers:
        return replace(trial, reading=reading, milliseconds=took)
    (answered,) = watched.answers
    secrets = call.request.build(_fitted(spec, given, is_tool=is_tool), secret_of).request.secrets
    text = masked(sound_text(answered.body.decode(errors="replace")), secrets)
    return replace(
        trial,
        reading=reading,
        status=answered.status,
        body=text[:_LONGEST_BODY],
        is_cut=len(text) > _LONGEST_BODY,
        milliseconds=took,
    )


def _fitted(spec: Mapping[str, Any], given: Values, *, is_tool: bool) -> Values:
    declared: Any = spec.get("parameters") or {}
    fit = fitted_arguments if is_tool else fitted_parameters
    return replace(given, input=fit(given.input, declared))
