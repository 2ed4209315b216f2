"""Reading what an action's handler returned (spec: engine.md section 7, Do)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from falai_engine.error_words import shown
from falai_engine.registry import ActionResult, Defer, Failed, Ok, Skipped
from falai_engine.replies import sound_text

__all__ = ["read_result"]


def read_result(answer: Any) -> ActionResult:
    """An ActionResult, its JSON, or None for Ok; anything else is a failure that says so.

    JSON: `{"ok": true, "detail"?, "spoke"?}`, `{"skipped": why}`, `{"failed": why}`, `{"defer": duration, "detail"?}`.
    """
    if isinstance(answer, Ok | Skipped | Failed | Defer):
        return replace(answer, detail=_text(answer.detail))
    if answer is None:
        return Ok()
    return _from_json(answer) if isinstance(answer, Mapping) else _not_a_result(answer)


def _from_json(answer: Mapping[str, Any]) -> ActionResult:
    detail = _text(answer.get("detail"))
    if "failed" in answer:
        return Failed(_text(answer["failed"]) or detail)
    if "skipped" in answer:
        return Skipped(_text(answer["skipped"]) or detail)
    if "defer" in answer:
        return Defer(answer["defer"], detail)
    if answer.get("ok") is True:
        return Ok(detail, spoke=answer.get("spoke") is True)
    return _not_a_result(answer)


def _text(value: Any) -> str | None:
    """A detail is text, so that a line can be stored; anything else is told as it is."""
    if value is None:
        return None
    return sound_text(value) if isinstance(value, str) else shown(value)


def _not_a_result(answer: Any) -> Failed:
    return Failed(f"the action returned {type(answer).__name__}, not a result; return Ok, Skipped, Failed or Defer")
