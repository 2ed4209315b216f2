"""Reading JSON into records: sessions strictly, turn inputs with an error that says what to mend (engine.md 2, 13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from falai_engine.errors import InputError, InvalidSessionError
from falai_engine.records.claims import Claims
from falai_engine.records.inputs import (
    Anchor,
    CrossClaims,
    EventInput,
    MessageInput,
    Silenced,
    StartInput,
    TurnInput,
    WakeInput,
    What,
)
from falai_engine.records.outcomes import Outcome
from falai_engine.records.session import SESSION_VERSION, Run, RunStatus, RunTrigger, Session, Waiting
from falai_engine.times import instant, moment, ms_of
from falai_engine.values import MISSING

__all__ = ["assert_session", "turn_input_from_json"]

_STATUSES = frozenset(RunStatus)
_LAST_NOW = ms_of(datetime(9000, 1, 1, tzinfo=UTC))
"""Waits are added to it, and a time zone may lie ahead."""


# -- sessions


class _Object:
    """One object of a blob: takes its parts with the right type or raises InvalidSessionError naming the path."""

    __slots__ = ("path", "session_id", "value")

    def __init__(self, session_id: str, path: str, value: Any) -> None:
        self.session_id = session_id
        self.path = path
        self.value = self.want(isinstance(value, Mapping), value, "", "an object")

    def want(self, ok: bool, value: Any, key: str, what: str) -> Any:
        if not ok:
            path = f"{self.path}.{key}".strip(".") or "the blob"
            raise InvalidSessionError(self.session_id, f"{path} is not {what}")
        return value

    def get(self, key: str) -> Any:
        return self.value.get(key, MISSING)

    def text(self, key: str) -> str:
        value = self.get(key)
        return self.want(isinstance(value, str), value, key, "text")  # type: ignore[no-any-return]

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self.value else None

    def object(self, key: str) -> Mapping[str, Any]:
        value = self.get(key)
        return self.want(isinstance(value, Mapping), value, key, "an object")  # type: ignore[no-any-return]

    def list(self, key: str) -> list[Any]:
        value = self.get(key)
        return self.want(isinstance(value, list), value, key, "a list")  # type: ignore[no-any-return]

    def whole(self, key: str) -> int:
        value = self.get(key)
        ok = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
        return int(self.want(ok, value, key, "a whole number"))

    def counts(self, key: str) -> dict[str, int]:
        inner = _Object(self.session_id, f"{self.path}.{key}", self.get(key))
        return {name: inner.whole(name) for name in inner.value}


def assert_session(blob: Any, session_id: str) -> Session:
    """The session in a stored blob; InvalidSessionError when it is not a v4 session for that id."""
    top = _Object(session_id, "", blob)
    top.want(top.get("v") == SESSION_VERSION and top.get("v") is not True, None, "v", str(SESSION_VERSION))
    top.want(top.get("id") == session_id, None, "id", f'"{session_id}"')
    version = top.whole("version")
    top.want(version >= 0, None, "version", "0 or more")
    inputs = top.list("inputs")
    top.want(all(isinstance(each, str) for each in inputs), None, "inputs", "a list of texts")
    return Session(
        session_id,
        version,
        dict(top.object("data")),
        [_run(session_id, index, each) for index, each in enumerate(top.list("runs"))],
        _claims(top),
        list(inputs),
        top.object("metadata"),
        _history(top) if "history" in top.value else None,
        top.optional_text("lastUserAt"),
        top.optional_text("lastAssistantAt"),
    )


def _history(top: _Object) -> list[Any]:
    history = top.list("history")
    return top.want(all(isinstance(each, Mapping) for each in history), history, "history", "a list of objects")  # type: ignore[no-any-return]


def _claims(top: _Object) -> Claims:
    claims = {}
    for key, claim in top.object("claims").items():
        at = claim.get("at") if isinstance(claim, Mapping) else None
        claims[key] = top.want(isinstance(at, str), at, f"claims.{key}", "{at: text}")
    return Claims(claims)


def _run(session_id: str, index: int, value: Any) -> Run:
    run = _Object(session_id, f"runs[{index}]", value)
    status = run.text("status")
    run.want(status in _STATUSES, None, "status", "a known status")
    step_id = run.get("stepId")
    run.want(step_id is None or isinstance(step_id, str), None, "stepId", "text or null")
    return Run(
        run.text("id"),
        run.text("flowId"),
        run.text("anchor"),
        run.text("dedupeKey"),
        _trigger(_Object(session_id, f"{run.path}.trigger", run.get("trigger"))),
        run.whole("hop"),
        run.text("startedAt"),
        step_id,
        RunStatus(status),
        run.get("input"),
        run.counts("asked"),
        run.counts("visits"),
        [_line(session_id, f"{run.path}.outcomes[{i}]", each) for i, each in enumerate(run.list("outcomes"))],
        run.optional_text("suspendedAt"),
        _waiting(_Object(session_id, f"{run.path}.waiting", run.get("waiting"))) if "waiting" in run.value else None,
        _staying(run),
    )


def _staying(run: _Object) -> bool:
    staying = run.value.get("staying", False)
    return run.want(isinstance(staying, bool), staying, "staying", "a boolean")  # type: ignore[no-any-return]


def _trigger(trigger: _Object) -> RunTrigger:
    return RunTrigger(trigger.text("kind"), trigger.text("key"), trigger.get("payload"))


def _waiting(waiting: _Object) -> Waiting:
    return Waiting(
        waiting.text("kind"),
        waiting.text("key"),
        waiting.text("until"),
        waiting.text("setAt"),
        waiting.optional_text("event"),
    )


def _line(session_id: str, path: str, value: Any) -> Outcome:
    line = _Object(session_id, path, value)
    calls = line.get("llmCalls")
    line.want(calls is MISSING or (isinstance(calls, int) and not isinstance(calls, bool)), None, "llmCalls", "whole")
    return Outcome(
        line.text("kind"),
        line.text("status"),
        line.text("at"),
        line.optional_text("code"),
        line.optional_text("runId"),
        line.optional_text("flowId"),
        line.optional_text("stepId"),
        line.optional_text("key"),
        line.optional_text("detail"),
        line.optional_text("next"),
        line.optional_text("until"),
        None if calls is MISSING else calls,
    )


# -- turn inputs


def turn_input_from_json(given: Mapping[str, Any]) -> TurnInput:
    """A turn's input (section 2): the common part and exactly one of message, wake, event, start."""
    if not isinstance(given, Mapping):
        raise InputError("input", "is not an object", "Pass a TurnInput or its JSON")
    session_id = _text(given, "sessionId")
    return TurnInput(
        session_id,
        _what(given),
        _session(given.get("session"), session_id),
        given.get("context", MISSING),
        _items(given, "history", Mapping, "a list of {role, content}"),
        _silenced(given.get("silenced")),
        {name: _anchor(name, each) for name, each in _object(given, "anchors").items()},
        _cross_claims(_object(given, "claims")),
        _now(given.get("now")),
    )


def _session(value: Any, session_id: str) -> Session | None:
    if value is None or isinstance(value, Session):
        return value
    return assert_session(value, session_id)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], What]] = {
    "message": lambda given: MessageInput(
        _text(given, "message"), _optional(given, "id", str, "text"), _optional(given, "at", str, "text")
    ),
    "wake": lambda given: WakeInput(_text(given, "wake")),
    "event": lambda given: EventInput(
        _text(given, "event"), _text(given, "key"), given.get("payload", MISSING), _hop(given)
    ),
    "start": lambda given: _start(_object(given, "start")),
}


def _what(given: Mapping[str, Any]) -> What:
    kinds = [name for name in _READERS if given.get(name) is not None]
    if len(kinds) != 1:
        raise InputError(
            "input", f"names {' and '.join(kinds) or 'nothing'}", "Give exactly one of message, wake, event, start"
        )
    return _READERS[kinds[0]](given)


def _start(start: Mapping[str, Any]) -> StartInput:
    return StartInput(_text(start, "flow"), _text(start, "key"), start.get("input", MISSING), _hop(start))


def _hop(given: Mapping[str, Any]) -> int:
    hop = given.get("hop")
    if hop is None:
        return 0
    if isinstance(hop, bool) or not isinstance(hop, int) or hop < 0:
        raise InputError("hop", "is not a whole number from 0", "Pass the hop of the run that caused it")
    return hop


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise InputError(key, "is not text", f"Give `{key}` as text")
    return value


def _optional(given: Mapping[str, Any], key: str, type_: type, what: str) -> Any:
    value = given.get(key)
    if value is not None and not isinstance(value, type_):
        raise InputError(key, f"is not {what}", f"Give `{key}` as {what}, or leave it out")
    return value


def _items(given: Mapping[str, Any], key: str, type_: type, what: str) -> list[Any] | None:
    """A list whose every item is of a type."""
    items: list[Any] | None = _optional(given, key, list, what)
    if not all(isinstance(each, type_) for each in items or ()):
        raise InputError(key, f"is not {what}", f"Give `{key}` as {what}, or leave it out")
    return items


def _object(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return _optional(given, key, Mapping, "an object") or {}


def _silenced(value: Any) -> Silenced | None:
    if value is None or value is False:
        return None
    if isinstance(value, str):
        return Silenced(value)
    if isinstance(value, Mapping) and isinstance(value.get("reason"), str):
        return Silenced(value["reason"], value.get("understand") is True)
    raise InputError("silenced", "is neither text nor {reason, understand?}", 'Pass "reason", or leave it out')


def _anchor(name: str, value: Any) -> Anchor:
    if not isinstance(value, Mapping) or not isinstance(value.get("key"), str):
        raise InputError(f"anchors.{name}", "is not {key, lastInboundAt?}", "Give the host's key as text")
    return Anchor(value["key"], _optional(value, "lastInboundAt", str, "text"))


def _cross_claims(value: Mapping[str, Any]) -> CrossClaims:
    return CrossClaims(_object(value, "held"), frozenset(_items(value, "active", str, "a list of texts") or ()))


def _now(value: Any) -> datetime | None:
    if value is None:
        return None
    at = ms_of(value) if isinstance(value, datetime) else instant(value)
    if at is None or not 0 <= at < _LAST_NOW:
        raise InputError("now", "is no ISO 8601 time since 1970", "Pass a datetime or its ISO text, or leave it out")
    return moment(at)
