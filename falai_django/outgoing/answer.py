"""What an answer means: ok, skipped or failed, a detail, a value, fields (spec: flow-spec.md, answer).

`skipped` is judged before `ok`; without an `ok`, a status of 2xx is one. A body is read only when something in it is
asked for; then one that is no JSON is a failure that says so, and an empty one holds nothing: it sets nothing, and its
value is null. A `set` path that is missing sets nothing; a null unsets the field.

What is set is coerced to the type of its field by `handlers`, as any value that a model gives; one that does not fit
leaves the field alone, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final, Literal

from django.utils.translation import gettext as _

from falai_django.errors import OutgoingError
from falai_django.outgoing.answer_checks import answer_findings
from falai_django.outgoing.connection import Answered
from falai_django.outgoing.findings import KnownNames
from falai_django.outgoing.json_answer import document_of
from falai_django.outgoing.json_values import sound
from falai_django.outgoing.pointers import value_at
from falai_engine.replies import sound_text
from falai_engine.values import MISSING, json_equal, value_text

__all__ = ["AnswerReader", "Reading", "compile_answer"]

_LONGEST_DETAIL: Final = 300
_SUCCESS: Final = ("2xx",)
_REDIRECTS: Final = range(300, 400)


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer came to. `value` for a tool's model; `set`: fields to write, None unsets.

    `left_out`: why a field is not written although its path is in the answer.
    """

    kind: Literal["ok", "skipped", "failed"]
    detail: str | None = None
    value: Any = None
    set: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


class _Document:
    """The body of an answer, read when the first path into it is asked for, once."""

    def __init__(self, answered: Answered) -> None:
        self.answered = answered

    @cached_property
    def whole(self) -> Any:
        return document_of(self.answered)

    def at(self, pointer: str) -> Any:
        return MISSING if self.whole is MISSING else value_at(self.whole, pointer)


@dataclass(frozen=True, slots=True)
class _Test:
    """`path` None: the body does not matter. `equals` MISSING: the path must be there and not null."""

    status: tuple[int | str, ...] | None
    path: str | None
    equals: Any

    def holds(self, document: _Document) -> bool:
        status = document.answered.status
        if self.status is not None and not {status, f"{status // 100}xx"} & set(self.status):
            return False
        if self.path is None:
            return True
        found = document.at(self.path)
        if self.equals is MISSING:
            return found is not MISSING and found is not None
        return json_equal(found, self.equals)


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """An `answer`, read once."""

    ok: _Test
    skipped: _Test | None
    detail: str | None
    set: tuple[tuple[str, str], ...]
    value: str | None

    def read(self, answered: Answered) -> Reading:
        """Never raises: what cannot be read is `failed`, and its detail says why."""
        try:
            return self._read(_Document(answered))
        except OutgoingError as error:
            return Reading("failed", f"{_status_words(answered.status)}: {error.what}")

    def _read(self, document: _Document) -> Reading:
        if self.skipped is not None and self.skipped.holds(document):
            return Reading("skipped", self._detail(document) or _status_words(document.answered.status))
        if not self.ok.holds(document):
            return Reading("failed", self._detail(document) or _failure(document.answered))
        found = {name: (pointer, document.at(pointer)) for name, pointer in self.set}
        fields = {name: _sound(value, pointer) for name, (pointer, value) in found.items() if value is not MISSING}
        value = None if self.value is None else _sound(document.at(self.value), self.value)
        return Reading("ok", self._detail(document), value, fields)

    def _detail(self, document: _Document) -> str | None:
        """What the path says; a body that cannot be read has no detail, which is no failure of its own."""
        if self.detail is None:
            return None
        try:
            found = document.at(self.detail)
        except OutgoingError:
            return None
        if found is MISSING or found is None:
            return None
        return _cut(_printed(found)) or None


def _printed(value: Any) -> str:
    try:
        return value_text(sound(value))
    except ValueError as error:
        return str(error)


def _cut(text: str) -> str:
    text = sound_text(text)
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _sound(value: Any, pointer: str) -> Any:
    try:
        return None if value is MISSING else sound(value)
    except ValueError:
        what = _("%(path)s holds a number that is too large") % {"path": pointer or "/"}
        raise OutgoingError("broken", what) from None


def _status_words(status: int) -> str:
    """Never the server's own phrase, which may be anything."""
    try:
        return _("answered %(status)d %(phrase)s") % {"status": status, "phrase": HTTPStatus(status).phrase}
    except ValueError:
        return _("answered %(status)d") % {"status": status}


def _failure(answered: Answered) -> str:
    words = _status_words(answered.status)
    if answered.status in _REDIRECTS:
        return _("%(words)s: a redirect is not followed; write the address that it leads to") % {"words": words}
    return words


# -- reading the definition


def compile_answer(answer: Mapping[str, Any] | None) -> AnswerReader:
    """The answer, read once. OutgoingError (`refused`) for the first error of its form."""
    for found in answer_findings(answer, KnownNames()):
        raise OutgoingError("refused", f"{found.path}: {found.what}", found.fix)
    spec = answer or {}
    return AnswerReader(
        ok=_test(spec.get("ok")) or _Test(_SUCCESS, None, MISSING),
        skipped=_test(spec.get("skipped")),
        detail=spec.get("detail"),
        set=tuple((spec.get("set") or {}).items()),
        value=spec.get("value"),
    )


def _test(test: Mapping[str, Any] | None) -> _Test | None:
    if test is None:
        return None
    status = test.get("status")
    return _Test(None if status is None else tuple(status), test.get("path"), test.get("equals", MISSING))
