"""HTTP actions and tools as the engine takes them (spec: flow-spec.md, action and tool; host.md sections 3 and 6)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import OutgoingError
from falai_django.outgoing.answer import AnswerReader, Reading, compile_answer
from falai_django.outgoing.arguments import fitted_arguments, fitted_fields, fitted_parameters
from falai_django.outgoing.connection import Answered, OutgoingRequest, send
from falai_django.outgoing.idempotency import current_key
from falai_django.outgoing.placeholders import Values
from falai_django.outgoing.request import RequestTemplate, compile_request
from falai_django.outgoing.secret_values import SecretOf, masked, masked_deep
from falai_engine.registry import (
    Action,
    ActionCall,
    ActionResult,
    Failed,
    Invalid,
    Ok,
    Skipped,
    Tool,
    ToolRequest,
    ToolResult,
)

__all__ = ["Declared", "HttpCall", "Pause", "Send", "http_action", "http_tool"]

_ATTEMPTS: Final = 3
_BACKOFF: Final = 0.25
_AGAIN: Final = frozenset({429, 500, 502, 503, 504})
"""Statuses that may be gone a moment later."""
_FINAL: Final = frozenset({"refused", "too-large"})
"""Codes of OutgoingError that another try would meet again."""

Pause = Callable[[float], None]
Declared: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The fields and variables of the agent, `{name: {type, enum?}}`."""


class Send(Protocol):
    """`connection.send`, or what stands for it."""

    def __call__(self, request: OutgoingRequest, deadline: float, /) -> Answered: ...


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One `request` with its `answer`, ready to be made again and again.

    `attempts`: 1 where a second one could do it twice. All of them lie within the request's timeout and the deadline.
    `declared` None: fields are set to what comes, whatever their type.
    """

    request: RequestTemplate
    answer: AnswerReader
    secret_of: SecretOf
    attempts: int = 1
    send: Send = send
    pause: Pause = time.sleep
    declared: Declared | None = None

    @classmethod
    def of(
        cls, spec: Mapping[str, Any], secret_of: SecretOf, declared: Declared | None = None, send: Send = send
    ) -> HttpCall:
        """Of an action or tool of kind http. OutgoingError for the first error of its form."""
        idempotent = spec.get("idempotent") is not False
        return cls(
            compile_request(spec.get("request") or {}),
            compile_answer(spec.get("answer")),
            secret_of,
            _ATTEMPTS if idempotent else 1,
            send,
            declared=declared,
        )

    def run(self, values: Values, deadline: float | None = None) -> Reading:
        """Make the request and read its answer; never raises for what the request, the network or the answer is."""
        began = time.monotonic()
        timeout = self.request.timeout or settings().outgoing_timeout_seconds
        until = began + timeout if deadline is None else min(began + timeout, deadline)
        try:
            built = self.request.build(values, self.secret_of, current_key())
        except OutgoingError as error:
            return Reading("failed", str(error))
        reading = self._fitted(self._tried(built.request, until))
        return _without(reading, built.request.secrets)

    def _fitted(self, reading: Reading) -> Reading:
        if self.declared is None or not reading.set:
            return reading
        fits, misfits = fitted_fields(reading.set, self.declared)
        return replace(reading, set=fits, left_out=misfits)

    def _tried(self, request: OutgoingRequest, until: float) -> Reading:
        began = time.monotonic()
        for attempt in range(1, self.attempts + 1):
            reading, wait = self._once(request, until, began)
            if wait is None or attempt == self.attempts:
                return reading
            pause = max(wait, _BACKOFF * 2 ** (attempt - 1) * random.uniform(0.5, 1))  # noqa: S311 - spreads load
            if time.monotonic() + pause >= until:
                return reading
            self.pause(pause)
        raise AssertionError("there is a last attempt")

    def _once(self, request: OutgoingRequest, until: float, began: float) -> tuple[Reading, float | None]:
        """What it came to, and how long to wait at least before another try; None when another is of no use."""
        try:
            answered = self.send(request, until)
        except OutgoingError as error:
            return Reading("failed", _told(error, until - began)), None if error.code in _FINAL else 0.0
        reading = self.answer.read(answered)
        if reading.kind != "failed" or answered.status not in _AGAIN:
            return reading, None
        return reading, _retry_after(answered)


def _told(error: OutgoingError, seconds: float) -> str:
    if error.code != "timeout":
        return str(error)
    return _("%(what)s (it had %(seconds)s s)") % {"what": error.what, "seconds": f"{max(seconds, 0):.1f}"}


def _retry_after(answered: Answered) -> float:
    text = answered.headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0  # noqa: PLR2004 - a day has 5


def _without(reading: Reading, secrets: tuple[str, ...]) -> Reading:
    """A receiver may send back what it was sent: no value of a secret goes on from here."""
    if not secrets:
        return reading
    return replace(
        reading,
        detail=None if reading.detail is None else masked(reading.detail, secrets),
        value=masked_deep(reading.value, secrets),
        set=masked_deep(dict(reading.set), secrets),
        left_out=masked_deep(dict(reading.left_out), secrets),
    )


# -- actions

_RESULTS: Final[Mapping[str, Callable[[str | None], ActionResult]]] = {"ok": Ok, "skipped": Skipped, "failed": Failed}


@dataclass(frozen=True, slots=True)
class _ActionHandler:
    call: HttpCall
    parameters: Mapping[str, Mapping[str, Any]]

    def __call__(self, params: Mapping[str, Any], call: ActionCall) -> ActionResult:
        try:
            given = fitted_parameters(params, self.parameters)
        except OutgoingError as error:
            return Failed(str(error))
        reading = self.call.run(Values(given, call.data, call.context), call.deadline)
        if reading.kind == "ok" and reading.set:
            call.set(reading.set)
        told = "; ".join(filter(None, [reading.detail, *reading.left_out.values()]))
        return _RESULTS[reading.kind](told or None)


def http_action(
    name: str,
    spec: Mapping[str, Any],
    secret_of: SecretOf,
    declared: Declared | None = None,
    send: Send = send,
) -> Action:
    """The action of a definition of kind http. It is idempotent unless it says that it is not.

    OutgoingError for the first error of its form; `secret_of` is asked at every call. What the answer sets is coerced
    to the `declared` types; what does not fit is told in the detail of the line.
    """
    parameters = spec.get("parameters") or {}
    return Action(
        _ActionHandler(HttpCall.of(spec, secret_of, declared, send), parameters),
        parameters,
        spec.get("description"),
        idempotent=spec.get("idempotent") is not False,
        name=name,
    )


# -- tools


@dataclass(frozen=True, slots=True)
class _ToolHandler:
    call: HttpCall
    schema: Mapping[str, Any]

    def __call__(self, arguments: Mapping[str, Any], request: ToolRequest) -> ToolResult:
        """What the model reads; OutgoingError, of which it reads the sentence, when it failed."""
        values = Values(fitted_arguments(arguments, self.schema), request.data, request.context)
        reading = self.call.run(values, request.deadline)
        if reading.kind == "failed":
            raise OutgoingError("broken", reading.detail or "")
        if reading.kind == "skipped":
            return ToolResult({"skipped": reading.detail})
        return ToolResult(_told_value(reading), reading.set or None)

    def validate(self, arguments: Mapping[str, Any], _request: ToolRequest) -> Invalid | None:
        try:
            fitted_arguments(arguments, self.schema)
        except OutgoingError as error:
            return Invalid(str(error))
        return None


def _told_value(reading: Reading) -> Any:
    if not reading.left_out:
        return reading.value
    value = {} if reading.value is None else {"value": reading.value}
    return {**value, "skipped": dict(reading.left_out)}


def http_tool(
    spec: Mapping[str, Any], secret_of: SecretOf, declared: Declared | None = None, send: Send = send
) -> Tool:
    """The tool of a definition of kind http; as `http_action`.

    What does not fit its field is told to the model beside the value: `{"value"?, "skipped": {field: why}}`.
    """
    schema = spec.get("parameters") or {"type": "object", "properties": {}}
    handler = _ToolHandler(HttpCall.of(spec, secret_of, declared, send), schema)
    return Tool(
        id=spec["id"],
        handler=handler,
        description=spec.get("description") or "",
        parameters=schema,
        read_only=spec.get("readOnly") is True,
        destructive=spec.get("destructive") is True,
        concurrency_safe=spec.get("concurrencySafe"),
        idempotent=spec.get("idempotent") is not False,
        max_result_size_chars=spec.get("maxResultSizeChars"),
        validate=handler.validate,
    )
