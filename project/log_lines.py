"""Log lines as JSON, one an event, for whoever collects them; nothing of what people wrote or are called by.

    {"at": "2026-09-21T10:00:00.000Z", "level": "INFO", "logger": "falai", "action": "turn.ended", "turn": 5, ...}

`action` is a stable name: those of the app come from it, a request that failed is `http.failed`, anything else
`log` with the text as its author wrote it in the code: what is put into that text at run time (addresses with ids that
may be phone numbers, say) stays out, and of an exception only its class and where it was raised.
"""

from __future__ import annotations

import json
import logging
from types import TracebackType
from typing import Any, Final

from falai_engine.times import iso

__all__ = ["JsonLines"]

_DEEPEST: Final = 20


class JsonLines(logging.Formatter):
    """A formatter for `LOGGING`."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "at": iso(int(record.created * 1_000)),
            "level": record.levelname,
            "logger": record.name,
            **_event(record),
            **_exception(record),
        }
        return json.dumps(told, ensure_ascii=True, default=str)


def _event(record: logging.LogRecord) -> dict[str, Any]:
    ours = getattr(record, "falai", None)
    if isinstance(ours, dict):
        return ours
    request = getattr(record, "request", None)
    if request is not None:
        return {"action": "http.failed", "status": getattr(record, "status_code", None), **_where(request)}
    return {"action": "log", "text": record.msg if isinstance(record.msg, str) else type(record.msg).__name__}


def _where(request: Any) -> dict[str, str]:
    """The pattern that the address matched, never the address."""
    match = getattr(request, "resolver_match", None)
    return {"method": str(getattr(request, "method", "")), "route": "" if match is None else str(match.route)}


def _exception(record: logging.LogRecord) -> dict[str, Any]:
    raised = record.exc_info[1] if record.exc_info else None
    return {} if raised is None else {"error": type(raised).__name__, "trace": _trace(raised.__traceback__)}


def _trace(step: TracebackType | None) -> list[str]:
    """Where it came through, the place that raised last; no line of it shows a value."""
    found = []
    while step is not None:
        found.append(f"{step.tb_frame.f_globals.get('__name__', '?')}:{step.tb_lineno}")
        step = step.tb_next
    return found[-_DEEPEST:]
