"""Every error of the form of an `answer` (spec: flow-spec.md), at its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.outgoing.findings import HttpFinding, KnownNames, below, nearest_fix, object_findings
from falai_django.outgoing.pointers import is_pointer

__all__ = ["answer_findings"]

_KEYS: Final = ("ok", "skipped", "detail", "set", "value")
_TEST_KEYS: Final = ("status", "path", "equals")
_RANGE: Final = re.compile(r"[1-5]xx")
_STATUSES: Final = range(100, 600)


def answer_findings(answer: Any, names: KnownNames) -> Iterator[HttpFinding]:
    """All that is wrong with an answer; None is one that says nothing."""
    if answer is None:
        return
    yield from object_findings(answer, "answer", _KEYS)
    if not isinstance(answer, Mapping):
        return
    for key in ("ok", "skipped"):
        if answer.get(key) is not None:
            yield from _test(answer[key], f"answer.{key}")
    for key in ("detail", "value"):
        if answer.get(key) is not None:
            yield from _pointer(answer[key], f"answer.{key}")
    yield from _set(answer.get("set"), names)


def _test(test: Any, path: str) -> Iterator[HttpFinding]:
    yield from object_findings(test, path, _TEST_KEYS)
    if not isinstance(test, Mapping):
        return
    if test.get("path") is not None:
        yield from _pointer(test["path"], f"{path}.path")
    elif "equals" in test:
        what = _("it compares nothing, since there is no path")
        yield HttpFinding(f"{path}.equals", what, _("Write a path such as /status"))
    elif test.get("status") is None:
        yield HttpFinding(path, _("it tests nothing"), _("Give it a status or a path"))
    if test.get("status") is not None:
        yield from _status(test["status"], f"{path}.status")


def _status(status: Any, path: str) -> Iterator[HttpFinding]:
    if not isinstance(status, list | tuple) or not status:
        yield HttpFinding(path, _("it is no list of statuses"), _("Write a list such as [200, 404] or [“2xx”]"))
        return
    for index, each in enumerate(status):
        is_number = isinstance(each, int) and not isinstance(each, bool) and each in _STATUSES
        if not is_number and not (isinstance(each, str) and _RANGE.fullmatch(each)):
            what = _("it is no status of HTTP")
            yield HttpFinding(f"{path}[{index}]", what, _("Write a number such as 404, or “4xx” for all of them"))


def _pointer(pointer: Any, path: str) -> Iterator[HttpFinding]:
    if not is_pointer(pointer):
        fix = _("Write /name, /items/0/price, or nothing for the whole answer")
        yield HttpFinding(path, _("it is no path into an answer (JSON Pointer)"), fix)


def _set(values: Any, names: KnownNames) -> Iterator[HttpFinding]:
    path = "answer.set"
    if values is None:
        return
    if not isinstance(values, Mapping):
        yield HttpFinding(path, _("it is not an object"), _("Write a field and a path for each"))
        return
    for name, pointer in values.items():
        at = below(path, str(name))
        yield from _pointer(pointer, at)
        if names.data is not None and name not in names.data:
            what = _("there is no field or variable “%(name)s”") % {"name": name}
            yield HttpFinding(at, what, nearest_fix(str(name), names.data, _("Declare it, or name one that there is")))
