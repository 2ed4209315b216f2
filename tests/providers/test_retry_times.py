"""When a vendor says that it may be asked again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine.providers.retry_times import reset_at_ms, retry_after_ms
from falai_engine.times import instant
from tests.providers.fakes import gemini_fake

NOW = instant("2026-09-21T10:00:00.000Z")


def retry_info(delay):
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "7"}, 7_000),
        ({"retry-after": "0.25"}, 250),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "Mon, 21 Sep 2026 10:00:30 GMT"}, 30_000),
        ({"retry-after": "Mon, 21 Sep 2026 09:00:00 GMT"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1_500),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7_000),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Mon, 99 Sep 2026 10:00:30 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, wait):
    """Seconds, a date, or the milliseconds of the vendors' own packages; what is neither says nothing."""
    assert retry_after_ms(headers, {}, NOW) == wait


@pytest.mark.parametrize(
    ("delay", "wait"), [("34.5s", 34_500), ("2s", 2_000), ("0.1s", 100), ("", None), (3, None), ("soon", None)]
)
def test_geminis_retry_info(delay, wait):
    """Among the details of its error, also where the error comes in a list; a header comes first."""
    body = gemini_fake.error(429, "RESOURCE_EXHAUSTED", "x", {"@type": "other"}, retry_info(delay))
    assert retry_after_ms({}, body, NOW) == retry_after_ms({}, [body], NOW) == wait
    assert retry_after_ms({"retry-after": "1"}, body, NOW) == 1_000


@pytest.mark.parametrize(
    ("headers", "after"),
    [
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, 360_000),
        ({"x-ratelimit-reset-tokens": "20ms", "x-ratelimit-remaining-tokens": "0"}, 20),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "9",
                "x-ratelimit-reset-tokens": "1h2m3.5s",
                "x-ratelimit-remaining-tokens": "0",
            },
            3_723_500,
        ),
        (
            {
                "anthropic-ratelimit-input-tokens-reset": "2026-09-21T10:00:12Z",
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-09-21T10:00:59Z",
                "anthropic-ratelimit-requests-remaining": "49",
            },
            12_000,
        ),
        ({"anthropic-ratelimit-unified-reset": str(NOW // 1_000 + 90)}, 90_000),
        ({"x-ratelimit-reset": str(NOW + 90_000)}, 90_000),
        ({"x-ratelimit-reset": "90"}, 90_000),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "2s"}, 2_000),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "9"}, None),
        ({"x-ratelimit-reset-requests": "soon"}, None),
        ({}, None),
    ],
)
def test_reset_headers(headers, after):
    """Of the limits that ran out the last one to be lifted; those with something left say nothing of this failure."""
    assert reset_at_ms(headers, "", NOW) == (None if after is None else NOW + after)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Rate limit reached. Please try again in 6ms.", "2026-09-21T10:00:00.006Z"),
        ("Please try again in 7m12s. Visit", "2026-09-21T10:07:12.000Z"),
        ("Please retry in 34.074824224s.", "2026-09-21T10:00:34.074Z"),
        ("Try again in 20 seconds", "2026-09-21T10:00:20.000Z"),
        ("Try again after 2 hours 5 minutes.", "2026-09-21T12:05:00.000Z"),
        ("The limit resets in 3 days", "2026-09-24T10:00:00.000Z"),
        ("You will regain access on 2026-10-01 at 00:00 UTC.", "2026-10-01T00:00:00.000Z"),
        ("Your limit resets at 2026-09-21T12:30:00Z.", "2026-09-21T12:30:00.000Z"),
        ("resets at 2026-09-21T12:30:00.5+02:00", "2026-09-21T10:30:00.500Z"),
        ("resets at 2026-99-21T12:30:00Z", None),
        ("Try again in a moment", None),
        ("In 20 seconds all was over", None),
        ("", None),
    ],
)
def test_reset_in_the_text(text, at):
    """Relative and absolute, as vendors write it."""
    assert reset_at_ms({}, text, NOW) == (instant(at) if at else None)


def test_headers_come_before_the_text():
    """The text is for those without them."""
    headers = {"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0"}
    assert reset_at_ms(headers, "try again in 5s", NOW) == NOW + 1_000


@given(st.text(), st.text())
def test_nothing_fails(header, text):
    """Whatever the header and the text are."""
    headers = {"retry-after": header, "retry-after-ms": header, "x-ratelimit-reset": header}
    for found in (
        retry_after_ms(headers, {"error": {"details": [retry_info(text)]}}, NOW),
        reset_at_ms(headers, text, NOW),
    ):
        assert found is None or found >= 0
