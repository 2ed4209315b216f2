"""Every row of the error table, with what the vendors really write."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from anthropic.types.shared.error_type import ErrorType
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import ResponseError

from falai_engine.errors import BODY_LIMIT, ErrorKind, ProviderError
from falai_engine.providers.error_table import ROWS, STATUS_OF_NAME, Row, of_report, of_response
from falai_engine.providers.settings import Settings
from tests.providers.fakes import anthropic_fake, chat_fake, gemini_fake, openai_fake

SETTINGS = Settings(kind="openai", model="m", base_url="https://x.example", api_key="made-up-key-123")


def google(reason, domain="googleapis.com"):
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain}


def quota_failure(quota_id):
    violation = {"quotaMetric": "generativelanguage.googleapis.com/generate_content_requests", "quotaId": quota_id}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


EXCEEDED = "You exceeded your current quota, please check your plan and billing details."
# (kind, status, body), in the order of the table.
CASES = {
    "a rate by the minute, Gemini's word for it": (
        ErrorKind.RATE,
        429,
        gemini_fake.error(429, "RESOURCE_EXHAUSTED", EXCEEDED, quota_failure("GenerateRequestsPerMinutePerProject")),
    ),
    "a rate of OpenAI": (
        ErrorKind.RATE,
        429,
        openai_fake.error(
            "rate_limit_exceeded", "Rate limit reached on requests per day (RPD): Limit 200.", "requests"
        ),
    ),
    "402": (ErrorKind.QUOTA, 402, chat_fake.error(402, "Insufficient credits. Add more using the page.")),
    "no balance": (ErrorKind.QUOTA, 402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}),
    "OpenAI's quota": (ErrorKind.QUOTA, 429, openai_fake.error("insufficient_quota", EXCEEDED, "insufficient_quota")),
    "Anthropic's credit": (
        ErrorKind.QUOTA,
        400,
        anthropic_fake.error("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    ),
    "Anthropic's usage limit": (
        ErrorKind.QUOTA,
        400,
        anthropic_fake.error("invalid_request_error", "You have reached your specified API usage limits."),
    ),
    "Anthropic's spend limit": (
        ErrorKind.QUOTA,
        429,
        anthropic_fake.error("rate_limit_error", "Limit.", "enforced_spend_limit_reached"),
    ),
    "Gemini's day": (
        ErrorKind.QUOTA,
        429,
        gemini_fake.error(429, "RESOURCE_EXHAUSTED", "Quota.", quota_failure("GenerateRequestsPerDayPerProject")),
    ),
    "a moderated prompt": (ErrorKind.CONTENT, 403, chat_fake.error(403, "Your input was flagged.")),
    "no access to the model": (
        ErrorKind.ENTITLEMENT,
        403,
        openai_fake.error("model_not_found", "Project `p` does not have access to model `m`."),
    ),
    "no permission": (
        ErrorKind.ENTITLEMENT,
        403,
        anthropic_fake.error("permission_error", "Your API key does not have permission to use the resource."),
    ),
    "not verified": (ErrorKind.ENTITLEMENT, 403, openai_fake.error(None, "Your organization must be verified.")),
    "a service that is off": (
        ErrorKind.ENTITLEMENT,
        403,
        gemini_fake.error(403, "PERMISSION_DENIED", "It is disabled.", google("SERVICE_DISABLED")),
    ),
    "a country": (
        ErrorKind.ENTITLEMENT,
        403,
        openai_fake.error("unsupported_country_region_territory", "Country, region, or territory not supported"),
    ),
    "a location": (
        ErrorKind.ENTITLEMENT,
        400,
        gemini_fake.error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    ),
    "401": (ErrorKind.AUTH, 401, openai_fake.error("invalid_api_key", "Incorrect API key provided.")),
    "Anthropic's 401": (ErrorKind.AUTH, 401, anthropic_fake.error("authentication_error", "invalid x-api-key")),
    "403": (ErrorKind.AUTH, 403, gemini_fake.error(403, "PERMISSION_DENIED", "Denied.")),
    "Gemini's bad key": (
        ErrorKind.AUTH,
        400,
        gemini_fake.error(400, "INVALID_ARGUMENT", "API key not valid.", google("API_KEY_INVALID")),
    ),
    "404": (ErrorKind.MODEL, 404, anthropic_fake.error("not_found_error", "model: claude-nothing")),
    "a model that is none": (ErrorKind.MODEL, 400, chat_fake.error(400, "x/y is not a valid model ID")),
    "DeepSeek's model": (
        ErrorKind.MODEL,
        400,
        {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}},
    ),
    "408": (ErrorKind.TIMEOUT, 408, chat_fake.error(408, "Request timed out")),
    "413": (ErrorKind.CONTEXT, 413, anthropic_fake.error("invalid_request_error", "Request exceeds the maximum size")),
    "OpenAI's context": (
        ErrorKind.CONTEXT,
        400,
        openai_fake.error("context_length_exceeded", "Your input exceeds the context window of this model."),
    ),
    "Anthropic's context": (
        ErrorKind.CONTEXT,
        400,
        anthropic_fake.error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    ),
    "Gemini's context": (
        ErrorKind.CONTEXT,
        400,
        gemini_fake.error(
            400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens"
        ),
    ),
    "a chat's context": (
        ErrorKind.CONTEXT,
        400,
        chat_fake.error(400, "This endpoint's maximum context length is 8192 tokens."),
    ),
    "a policy": (
        ErrorKind.CONTENT,
        400,
        openai_fake.error("content_policy_violation", "Rejected by our safety system."),
    ),
    "a prompt": (ErrorKind.CONTENT, 400, openai_fake.error("invalid_prompt", "Your prompt was flagged.")),
    "a law": (ErrorKind.CONTENT, 451, chat_fake.error(451, "content_filter")),
    "429": (ErrorKind.RATE, 429, anthropic_fake.error("rate_limit_error", "This exceeds your rate limit.")),
    "Gemini's 429": (
        ErrorKind.RATE,
        429,
        gemini_fake.error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    ),
    "500": (ErrorKind.OVERLOAD, 500, anthropic_fake.error("api_error", "Internal server error")),
    "503": (ErrorKind.OVERLOAD, 503, gemini_fake.error(503, "UNAVAILABLE", "The model is overloaded.")),
    "504": (ErrorKind.OVERLOAD, 504, anthropic_fake.error("timeout_error", "Timed out")),
    "529": (ErrorKind.OVERLOAD, 529, anthropic_fake.error("overloaded_error", "Overloaded")),
    "400": (ErrorKind.INVALID, 400, openai_fake.error("unknown_parameter", "Unknown parameter: 'x'.")),
    "409": (ErrorKind.INVALID, 409, anthropic_fake.error("invalid_request_error", "Conflict")),
    "422": (ErrorKind.INVALID, 422, {"error": {"message": "Unprocessable", "type": "invalid_request_error"}}),
    "a redirect": (ErrorKind.UNKNOWN, 302, {}),
    "a status that is none": (ErrorKind.UNKNOWN, 600, {}),
    "a 200 that is no reply": (ErrorKind.UNKNOWN, 200, {}),
}


def told(status, body, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return of_response(SETTINGS, status, named, text)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_what_a_vendor_writes_is_of_its_kind(case):
    """Status and body decide; the error keeps both."""
    kind, status, body = case
    error = told(status, body)
    assert (error.kind, error.status, error.provider) == (kind, status, "openai")
    assert error.body == json.dumps(body)


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_every_row_has_a_case_that_it_decides(row):
    """Without it, one of the cases above would be of another kind or decided by another row."""

    def decided_by(status, body):
        text = json.dumps(body).lower()
        return next((place for place, each in enumerate(ROWS) if each.holds(status, text)), None)

    assert row in [decided_by(status, body) for _, status, body in CASES.values()]


def test_every_kind_that_a_reply_can_tell_has_a_row():
    """The others are told by no reply: aborted by the caller, network by the socket, unknown by no row."""
    assert {row.kind for row in ROWS} == set(ErrorKind) - {ErrorKind.ABORTED, ErrorKind.NETWORK, ErrorKind.UNKNOWN}
    assert all(isinstance(row, Row) for row in ROWS)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (ErrorKind.OVERLOAD, anthropic_fake.error("overloaded_error", "Overloaded")),
        (ErrorKind.RATE, anthropic_fake.error("rate_limit_error", "Slow down")),
        (ErrorKind.QUOTA, anthropic_fake.error("billing_error", "Pay")),
        (ErrorKind.AUTH, anthropic_fake.error("authentication_error", "Who?")),
        (ErrorKind.OVERLOAD, {"type": "error", "code": "server_error", "message": "Oops"}),
        (ErrorKind.CONTEXT, {"type": "error", "code": "context_length_exceeded", "message": "Too long"}),
        (ErrorKind.CONTENT, {"status": "failed", "error": {"code": "bio_policy", "message": "No"}}),
        (ErrorKind.QUOTA, openai_fake.error("insufficient_quota", EXCEEDED, "insufficient_quota")),
        (ErrorKind.OVERLOAD, chat_fake.error(502, "Provider returned error")),
        (ErrorKind.RATE, chat_fake.error("429", "Slow down")),
        (ErrorKind.OVERLOAD, gemini_fake.error(503, "UNAVAILABLE", "Overloaded")),
        (ErrorKind.OVERLOAD, [gemini_fake.error(503, "UNAVAILABLE", "Overloaded")]),
        (ErrorKind.OVERLOAD, {"error": {"status": "UNAVAILABLE"}}),
        (ErrorKind.UNKNOWN, {"error": {"code": "something_new", "message": "?"}}),
        (ErrorKind.UNKNOWN, {"error": "text"}),
        (ErrorKind.UNKNOWN, {}),
    ],
)
def test_a_failure_told_in_a_stream_is_what_its_status_would_have_been(kind, body):
    """By its number or by its name."""
    assert of_report(SETTINGS, body).kind is kind


def test_the_names_are_the_vendors_own():
    """Each of OpenAI's and Anthropic's error names that the packages list is known, images and stores apart."""
    others = {
        "memory_precondition_failed_error",
        "memory_path_conflict_error",
        "conflict_error",
        "vector_store_timeout",
    }
    names = {*get_args(ErrorType), *get_args(ResponseError.model_fields["code"].annotation)}
    assert {name for name in names if "image" not in name} - others <= set(STATUS_OF_NAME)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (openai_fake.error("invalid_api_key", "x", "invalid_request_error"), "invalid_api_key"),
        (openai_fake.error(None, "x", "server_error"), "server_error"),
        (anthropic_fake.error("rate_limit_error", "x"), "rate_limit_error"),
        (
            anthropic_fake.error("rate_limit_error", "x", "ramp_limit_exceeded"),
            "ramp_limit_exceeded",
        ),
        (gemini_fake.error(400, "INVALID_ARGUMENT", "x", google("API_KEY_INVALID")), "API_KEY_INVALID"),
        (gemini_fake.error(503, "UNAVAILABLE", "x"), "UNAVAILABLE"),
        (chat_fake.error(402, "x"), None),
        ({}, None),
        ([], None),
        ("text", None),
    ],
)
def test_the_code_is_the_vendors_most_telling_name(body, code):
    """A number is no code: the status has it."""
    assert told(400, body).code == code


def test_the_body_is_kept_cut_and_without_keys():
    """At most 2,000 characters, the key masked before it is cut."""
    error = told(500, b"made-up-key-123 " + b"x" * 5_000)
    assert error.body.startswith("*** xxx")
    assert len(error.body) == BODY_LIMIT
    edge = told(500, b"x" * (BODY_LIMIT - 4) + b"made-up-key-123")
    assert "made" not in edge.body


@pytest.mark.parametrize(("header", "should"), [("true", True), ("False", False), ("maybe", None), (None, None)])
def test_x_should_retry(header, should):
    """It decides for us too."""
    error = told(500, {}, **({"x_should_retry": header} if header else {}))
    assert error.should_retry is should
    assert error.is_retryable is (should is not False)


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_what_may_work_later(kind):
    """The engine's own rule for a deferred talk."""
    retryable = {ErrorKind.TIMEOUT, ErrorKind.NETWORK, ErrorKind.OVERLOAD, ErrorKind.RATE, ErrorKind.UNKNOWN}
    assert ProviderError("p", kind).is_retryable is (kind in retryable)
    assert ProviderError("p", kind, reset_at_ms=1).is_retryable is (kind in retryable | {ErrorKind.QUOTA})
    assert ProviderError("p", kind, should_retry=True).is_retryable


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(list(STATUS_OF_NAME)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "status", "details", "message", "@type", "x"]), inner
        )
    ),
)


@given(st.integers(0, 999), json_values)
def test_whatever_comes_there_is_an_error_of_some_kind(status, body):
    """The table is total."""
    assert isinstance(told(status, body), ProviderError)
    assert isinstance(of_report(SETTINGS, body), ProviderError)
    assert isinstance(told(status, json.dumps(body).encode()[:-1]), ProviderError)
