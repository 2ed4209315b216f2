"""Vendor errors become ours: the one table, `unknown` for all that no row names (spec: providers.md, Errors)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.providers.json_text import objects, parsed, reach
from falai_engine.providers.masking import masked
from falai_engine.providers.retry_times import reset_at_ms, retry_after_ms
from falai_engine.providers.settings import Settings

__all__ = ["ROWS", "STATUS_OF_NAME", "Row", "of_failure", "of_report", "of_response", "of_stop"]


@dataclass(frozen=True, slots=True)
class Row:
    """`kind` when the status lies in one of the ranges and, where given, the words are found in the body."""

    kind: ErrorKind
    statuses: tuple[range, ...]
    words: re.Pattern[str] | None = None

    def holds(self, status: int, text: str) -> bool:
        return any(status in each for each in self.statuses) and (self.words is None or bool(self.words.search(text)))


def _row(kind: ErrorKind, statuses: str, words: str | None = None) -> Row:
    """`4xx`, `401 403` or both mixed; the words are a pattern over the body in small letters."""
    ranges = [
        range(int(each[0]) * 100, int(each[0]) * 100 + 100) if each.endswith("xx") else range(int(each), int(each) + 1)
        for each in statuses.split()
    ]
    return Row(kind, tuple(ranges), re.compile(words) if words else None)


ROWS: Final = (
    # Limits by the minute are rates, whatever else the body says: Gemini calls all of its limits quotas.
    _row(ErrorKind.RATE, "429", r"per.?min(ute)?|rate_limit_exceeded"),
    _row(ErrorKind.QUOTA, "402"),
    _row(
        ErrorKind.QUOTA,
        "4xx",
        r"insufficient.?(quota|balance|credit|fund)|exceeded your (current|monthly) quota|credit balance is too low"
        r"|spend.?limit|billing_error|usage limits?\b|out of credits|requires more credits",
    ),
    _row(ErrorKind.QUOTA, "429", r"quota.?exceeded|exceeded.{0,20}quota|billing|credits\b|per.?day|daily"),
    _row(ErrorKind.CONTENT, "403", r"flagged|moderation"),
    _row(
        ErrorKind.ENTITLEMENT,
        "401 403",
        r"entitle|(not|n't) have (permission|access)|no access to|must be verified|verify your organization"
        r"|not enabled|service_disabled|not included in your|subscription|upgrade your plan",
    ),
    _row(
        ErrorKind.ENTITLEMENT,
        "400 401 403",
        r"location is not supported|unsupported_country|not (supported|available) in your (country|region)",
    ),
    _row(ErrorKind.AUTH, "401 403"),
    _row(ErrorKind.AUTH, "400", r"api_key_invalid|api key (not valid|expired|not found)|(invalid|incorrect) api key"),
    _row(ErrorKind.MODEL, "404"),
    _row(
        ErrorKind.MODEL, "400 422", r"not a valid model|model (does )?not (exist|found)|invalid model|model_not_found"
    ),
    _row(ErrorKind.TIMEOUT, "408"),
    _row(ErrorKind.CONTEXT, "413"),
    _row(
        ErrorKind.CONTEXT,
        "400 422",
        r"context.?(length|window)|maximum context|prompt is too long|too many (input |prompt )?tokens"
        r"|token count.{0,40}exceeds|exceeds the maximum number of tokens|reduce the length",
    ),
    _row(
        ErrorKind.CONTENT,
        "400 422 451",
        r"content.?(filter|policy|management)|policy_violation|bio_policy|invalid_prompt|usage polic|flagged"
        r"|prohibited.?content|safety (system|filter|reasons|block)|data_inspection",
    ),
    _row(ErrorKind.RATE, "429"),
    _row(ErrorKind.OVERLOAD, "5xx"),
    _row(ErrorKind.INVALID, "4xx"),
)

STATUS_OF_NAME: Final = {
    # anthropic 2.14.0, shared/error_type.py, and overloaded_error
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    # openai 3.57.0, responses/response_error.py, and what chat completions report in a stream
    "server_error": 500,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 402,
    "invalid_prompt": 400,
    "bio_policy": 400,
    "misalignment_policy_violation": 400,
    "context_length_exceeded": 400,
    "model_not_found": 404,
    "invalid_api_key": 401,
    "data_residency_mismatch": 400,
    # google.rpc.Code, which Gemini writes as `status`
    "invalid_argument": 400,
    "failed_precondition": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "not_found": 404,
    "resource_exhausted": 429,
    "internal": 500,
    "unavailable": 503,
    "deadline_exceeded": 504,
}
"""What a failure would have been as an HTTP reply, when it comes in a stream or in a reply that says 200."""

_HAS_LIMITS: Final = (ErrorKind.RATE, ErrorKind.QUOTA, ErrorKind.OVERLOAD)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _kind(status: int, text: str) -> ErrorKind:
    small = text.lower()
    return next((row.kind for row in ROWS if row.holds(status, small)), ErrorKind.UNKNOWN)


def of_response(settings: Settings, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """A reply that is none: its status, its headers (names small) and what of its body was read."""
    now_ms = _now_ms()
    text = body.decode("utf-8", "replace")
    data = parsed(text)
    kind = _kind(status, text)
    retry = headers.get("x-should-retry", "").strip().lower()
    return ProviderError(
        settings.kind,
        kind,
        status=status,
        code=_code(data, settings),
        retry_after_ms=retry_after_ms(headers, data, now_ms),
        reset_at_ms=reset_at_ms(headers, text, now_ms) if kind in _HAS_LIMITS else None,
        should_retry={"true": True, "false": False}.get(retry),
        body=masked(text, settings.api_key),
    )


def of_report(settings: Settings, data: Any) -> ProviderError:
    """A failure told in a stream, or in the body of a reply that says 200: the JSON that tells it."""
    now_ms, text = _now_ms(), json.dumps(data, ensure_ascii=False)
    status = _reported_status(data)
    kind = _kind(status, text) if status else ErrorKind.UNKNOWN
    return ProviderError(
        settings.kind,
        kind,
        status=status or None,
        code=_code(data, settings),
        retry_after_ms=retry_after_ms({}, data, now_ms),
        reset_at_ms=reset_at_ms({}, text, now_ms) if kind in _HAS_LIMITS else None,
        body=masked(text, settings.api_key),
    )


def of_stop(settings: Settings, kind: ErrorKind, why: str, text: str = "") -> ProviderError:
    """A reply that stands for a failure: a refusal, a block, a window overrun. `why` is the vendor's word for it."""
    return ProviderError(
        settings.kind, kind, code=masked(why, settings.api_key), body=masked(text, settings.api_key) or None
    )


def of_failure(settings: Settings, kind: ErrorKind, what: str) -> ProviderError:
    """No reply at all: the connection, the clock, or a body that cannot be read."""
    return ProviderError(settings.kind, kind, body=masked(what, settings.api_key))


def _errors(data: Any) -> list[dict[str, Any]]:
    """Where vendors put their error: under `error`, in a list of one (Gemini), or in an event's own keys (OpenAI)."""
    candidates = [reach(data, "error"), reach(data, 0, "error"), reach(data, "response", "error"), data]
    return list(objects(candidates))


def _names(data: Any) -> list[str]:
    found = []
    for error in _errors(data):
        details = error.get("details")
        inner = [reach(details, "error_code"), *(each.get("reason") for each in objects(details))]
        found += [name for name in (error.get("code"), *inner, error.get("type"), error.get("status")) if name]
    return [name for name in found if isinstance(name, str)]


def _code(data: Any, settings: Settings) -> str | None:
    names = [name for name in _names(data) if name != "error"]
    return masked(names[0], settings.api_key)[:200] if names else None


def _reported_status(data: Any) -> int:
    for error in _errors(data):
        for key in ("code", "status"):
            number = error.get(key)
            if isinstance(number, str) and number.isdecimal():
                number = int(number[:4])
            if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:  # noqa: PLR2004
                return number
    return next((STATUS_OF_NAME[name.lower()] for name in _names(data) if name.lower() in STATUS_OF_NAME), 0)
