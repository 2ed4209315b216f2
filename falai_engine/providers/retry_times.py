"""When a vendor says that it may be asked again (spec: providers.md, Errors). Milliseconds; pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from falai_engine.providers.json_text import objects, reach, text_of
from falai_engine.times import instant, ms_of

__all__ = ["reset_at_ms", "retry_after_ms"]

_UNIT_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SPAN: Final = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?|d|days?)(?![a-z])"
)
_SPANS: Final = re.compile(rf"(?:{_SPAN.pattern}\s*)+")
_AGAIN_IN: Final = re.compile(rf"(?:again|retry|reset\w*) (?:in|after) (?P<spans>(?:{_SPAN.pattern}\s*)+)")
_AT: Final = re.compile(
    r"(?:again|retry|reset\w*|access|until)\D{0,20}?"
    r"(?P<date>\d{4}-\d\d-\d\d)(?:t|\s+at\s+|\s+)(?P<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(?P<zone>z|utc|[+-]\d\d:\d\d)?"
)
_RESETS: Final = re.compile(r"(?:x-|anthropic-)ratelimit-(?:(?P<before>[a-z-]+)-reset|reset(?:-(?P<after>[a-z-]+))?)")
# A number that says when is an instant in seconds or milliseconds when it is this large, else seconds from now.
_FIRST_INSTANT_S: Final = 1_000_000_000
_FIRST_INSTANT_MS: Final = 1_000_000_000_000
_LAST_MS: Final = 253_402_300_799_000


def retry_after_ms(headers: Mapping[str, str], body: Any, now_ms: int) -> int | None:
    """Wait so long: `retry-after-ms`, Retry-After (seconds or a date), Gemini's RetryInfo; header names are small."""
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return _wait(exact)
    said = headers.get("retry-after", "")
    seconds = _number(said)
    if seconds is not None:
        return _wait(seconds * 1_000)
    date = _http_date(said)
    if date is not None:
        return _wait(date - now_ms)
    return _retry_info(body)


def reset_at_ms(headers: Mapping[str, str], text: str, now_ms: int) -> int | None:
    """The instant at which a limit is lifted: by the reset headers of what has run out, else by the body's text."""
    stated = [(name, _instant_of(value, now_ms)) for name, value in headers.items() if _RESETS.fullmatch(name)]
    resets = {name: at for name, at in stated if at is not None}
    # Each limit states its reset in every reply; the one that was hit has nothing remaining.
    spent = [at for name, at in resets.items() if _number(headers.get(_remaining(name))) == 0]
    if spent or (resets and not any("remaining" in name for name in headers)):
        return max(spent or resets.values())
    return _in_text(text.lower(), now_ms)


def _remaining(name: str) -> str:
    return name.replace("reset", "remaining")


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _wait(ms: float) -> int:
    return int(min(max(ms, 0), _LAST_MS))


def _http_date(text: str) -> int | None:
    try:
        return ms_of(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None


def _retry_info(body: Any) -> int | None:
    for error in (reach(body, "error"), reach(body, 0, "error")):
        for detail in objects(reach(error, "details")):
            if text_of(detail.get("@type")).endswith("google.rpc.RetryInfo"):
                span = _span_ms(text_of(detail.get("retryDelay")))
                if span is not None:
                    return _wait(span)
    return None


def _span_ms(text: str) -> float | None:
    """`6m0s`, `20ms`, `1.5s`, `2 minutes` in milliseconds."""
    if not _SPANS.fullmatch(text.strip().lower()):
        return None
    return sum(float(number) * _UNIT_MS[_unit(unit)] for number, unit in _SPAN.findall(text.lower()))


def _unit(word: str) -> str:
    return "ms" if word == "ms" or word.startswith("milli") else word[0]


def _instant_of(text: str, now_ms: int) -> int | None:
    number = _number(text)
    if number is not None:
        if number >= _FIRST_INSTANT_MS:
            return _wait(number)
        return _wait(number * 1_000 if number >= _FIRST_INSTANT_S else now_ms + number * 1_000)
    span = _span_ms(text)
    return instant(text) if span is None else _wait(now_ms + span)


def _in_text(text: str, now_ms: int) -> int | None:
    relative = _AGAIN_IN.search(text)
    span = _span_ms(relative["spans"]) if relative else None
    if span is not None:
        return _wait(now_ms + span)
    absolute = _AT.search(text)
    return _calendar(absolute) if absolute else None


def _calendar(found: re.Match[str]) -> int | None:
    zone = found["zone"] or "z"
    try:
        time = datetime.fromisoformat(f"{found['date']}T{found['time']}{zone if zone[0] in '+-' else '+00:00'}")
    except ValueError:
        return None
    return ms_of(time.astimezone(UTC))
