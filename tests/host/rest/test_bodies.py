"""Bodies are read strictly, bounded, and as every program reads them; whatever comes, there is an answer for it."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falai_django.models import Turn
from falai_django.rest.bodies import render
from tests.host.rest.callers import operations


def error(response):
    return response.json()["error"]


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"oi",
        b'{"message": "oi", "message": "tchau"}',
        b'{"message": {"text": "oi", "text": "tchau"}}',
        b'{"message": "oi", "context": {"n": NaN}}',
        b'{"message": "oi", "context": {"n": -Infinity}}',
        b'{"message": "oi", "context": {"n": 1e999}}',
        b'{"message": "oi", "context": {"n": ' + b"9" * 5_000 + b"}}",
        b'{"message": "\xff"}',
        b"[" * 100_000,
        b'{"message": "oi"} x',
        b"\x00",
    ],
    ids=lambda raw: repr(raw[:40]),
)
def test_what_is_no_sound_json_is_told(program, raw):
    """400 `invalid-json`, and nothing was taken."""
    response = program.call("POST", "turns", raw=raw)
    assert (response.status_code, error(response)["code"]) == (400, "invalid-json")
    assert not Turn.objects.exists()


def test_an_empty_object_is_told_what_it_lacks(program):
    """A sentence that names no part: there is none."""
    told = error(program.call("POST", "turns", {}))["message"]
    assert told == "It holds 0 of message, event, start and set. Send one."


@pytest.mark.parametrize("raw", [b"[]", b'"oi"', b"7", b"null", b"true"], ids=repr)
@pytest.mark.parametrize("path", ["turns", "close", "messages"])
def test_what_is_no_object_is_told(program, path, raw):
    program.says("oi")
    response = program.call("POST", path, raw=raw)
    assert (response.status_code, error(response)["code"]) == (400, "invalid-input")


def test_a_byte_order_mark_is_no_matter(program):
    assert program.call("POST", "turns", raw=b'\xef\xbb\xbf{"message": "oi"}').status_code == 200


def test_nuls_and_half_pairs_are_cleaned(program):
    """In values and keys, on both databases."""
    raw = rb'{"message": {"text": "o\u0000i \ud83d"}, "context": {"a\u0000": "\udc00b"}}'
    assert program.call("POST", "turns", raw=raw).status_code == 200
    assert Turn.objects.get().input["message"]["text"] == "oi "
    assert program.get().json()["context"] == {"a": "b"}
    assert program.patch("", {"silence": {"reason": "a\x00b"}}).json()["silenced"]["reason"] == "ab"
    assert program.post("messages", {"text": "a\x00b \ud83d"}).json()["text"] == "ab "


def test_deep_json_is_refused(program):
    deep = json.loads("[" * 80 + "]" * 80)
    response = program.post("turns", {"message": "oi", "context": {"a": deep}})
    assert (response.status_code, error(response)["code"]) == (400, "invalid-input")


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_taken(program, media_type):
    response = program.call("POST", "turns", raw=b'{"message": "oi"}', **{"content-type": media_type})
    assert (response.status_code, error(response)["code"]) == (415, "unsupported-media-type")


@pytest.mark.parametrize(
    "media_type", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"]
)
def test_json_under_any_of_its_names(program, media_type):
    response = program.call("POST", "turns", raw=b'{"message": "oi"}', **{"content-type": media_type})
    assert response.status_code == 200


def test_a_body_has_a_bound(program, settings):
    """413; the length that is claimed counts before anything is read, the one that comes counts, too."""
    settings.FALAI_REQUEST_MAX_BYTES = 1_000
    response = program.post("turns", {"message": "x" * 2_000})
    assert (response.status_code, error(response)["code"]) == (413, "too-large")
    assert program.post("turns", {"message": "x" * 500}).status_code == 200


def test_a_draft_has_a_bound_of_its_own(program, settings):
    settings.FALAI_REQUEST_MAX_BYTES = 10
    settings.FALAI_IMPORT_MAX_BYTES = 1_000
    document = {"specVersion": 1, "name": "Lia", "flows": [], "persona": "x" * 500}
    assert program.put(program.of_agent("draft"), document).status_code == 200
    response = program.put(program.of_agent("draft"), {**document, "persona": "x" * 2_000})
    assert (response.status_code, error(response)["code"]) == (413, "too-large")


@pytest.mark.parametrize(
    ("method", "path", "body", "near"),
    [
        ("PATCH", "", {"contxt": {}}, "context"),
        ("PATCH", "", {"silence": {"last": "1h"}}, "silence.lasts"),
        ("POST", "close", {"cleer": True}, "clear"),
        ("POST", "messages", {"text": "oi", "sent": True}, "send"),
        ("POST", "/api/v1/agents/lia/events", {"event": "x", "session": ["a"]}, "sessions"),
        ("POST", "/api/v1/outbox/ack", {"send": []}, "sent"),
        ("POST", "/api/v1/agents/lia/validate", {"documnt": {}}, "document"),
        ("POST", "/api/v1/agents/lia/publish", {"notes": "x"}, "note"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_key_that_nobody_knows_is_told_its_neighbour(program, method, path, body, near):
    """Everywhere, so that a mistyped name never does nothing."""
    response = program.call(method, path, body)
    assert (response.status_code, error(response)["code"]) == (400, "invalid-input")
    assert f"`{near.rpartition('.')[2]}`" in error(response)["message"]


@pytest.mark.parametrize(
    ("method", "path", "body", "place"),
    [
        ("PATCH", "", {"silence": {"lasts": "soon"}}, "silence.lasts"),
        ("PATCH", "", {"silence": {"lasts": 3}}, "silence.lasts"),
        ("PATCH", "", {"silence": "yes"}, "silence"),
        ("PATCH", "", {"context": 7}, "context"),
        ("PATCH", "", {"anchors": {"lead": "a b"}}, "anchors.lead"),
        ("POST", "close", {"clear": "maybe"}, "clear"),
        ("POST", "messages", {"text": ""}, "text"),
        ("POST", "messages", {"text": "x" * 70_000}, "text"),
        ("POST", "messages", {"text": "oi", "id": "a\nb"}, "key"),
        ("POST", "/api/v1/agents/lia/events", {"event": "x"}, "sessions"),
        ("POST", "/api/v1/agents/lia/events", {"sessions": ["a"]}, "event"),
        ("POST", "/api/v1/agents/lia/events", {"event": "x", "sessions": []}, "sessions"),
        ("POST", "/api/v1/agents/lia/events", {"event": "x", "sessions": ["a", "b c"]}, "sessions[1]"),
        ("POST", "/api/v1/agents/lia/events", {"event": "x", "anchor": {"name": "lead"}}, "anchor.key"),
        ("POST", "/api/v1/outbox/ack", {"sent": "x"}, "sent"),
        ("POST", "/api/v1/outbox/ack", {"refused": {"x": {}}}, "refused.x"),
        ("POST", "/api/v1/agents/lia/publish", {"note": {}}, "note"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_value_is_told_where(program, method, path, body, place):
    """400, with the path of each."""
    program.says("oi")
    response = program.call(method, path, body)
    assert (response.status_code, error(response)["code"]) == (400, "invalid-input"), response.content
    assert place in [problem["path"] for problem in error(response)["problems"]], error(response)


def test_what_goes_out_is_json_whatever_is_stored():
    """Half a pair as its escape, which every reader reads."""
    assert json.loads(render({"a": "\ud83d é"})) == {"a": "\ud83d é"}


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=8,
)
NAMES = ["message", "event", "start", "set", "key", "context", "anchors", "history", "silenced", "at", "hop", "deliver"]
MORE = [
    "release",
    "payload",
    "text",
    "media",
    "flow",
    "data",
    "clear",
    "silence",
    "sessions",
    "anchor",
    "sent",
    "refused",
]


def _bodies():
    known = st.sampled_from([*NAMES, *MORE])
    inner = st.dictionaries(known, ANY, max_size=4) | ANY
    return st.dictionaries(known, inner, max_size=5) | ANY


@pytest.mark.parametrize("operation", [key for key in operations() if "requestBody" in operations()[key]], ids=" ".join)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=_bodies())
def test_no_body_is_a_surprise(program, operation, body):
    """Whatever JSON is sent, the answer is one that the document tells: never a 500."""
    method, path = operation
    path = path.replace("{agent}", "lia").replace("{session}", "5511").replace("{number}", "1")
    program.says("oi")
    response = program.call(method, path, raw=json.dumps(body).encode())
    assert response.status_code != 500
