"""An answer of any kind comes to ok, skipped or failed, and says why."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_django.outgoing.answer import compile_answer
from falai_django.outgoing.connection import Answered
from falai_django.outgoing.pointers import is_pointer, value_at
from falai_engine.values import MISSING

JSON = {"content-type": "application/json"}
HTML = {"content-type": "text/html; charset=utf-8"}


def read(answer, body=b"", status=200, headers=None):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return compile_answer(answer).read(Answered(status, JSON if headers is None else headers, body))


@pytest.mark.parametrize(
    ("answer", "status", "body", "kind"),
    [
        (None, 200, b"", "ok"),
        ({}, 204, b"", "ok"),
        ({}, 299, b"<html>", "ok"),
        ({}, 199, b"", "failed"),
        ({}, 302, b"", "failed"),
        ({}, 404, b"", "failed"),
        ({}, 500, b"", "failed"),
        ({"ok": {"status": [404]}}, 404, b"", "ok"),
        ({"ok": {"status": [404]}}, 200, b"", "failed"),
        ({"ok": {"status": ["2xx", 409]}}, 409, b"", "ok"),
        ({"ok": {"status": ["3xx"]}}, 302, b"", "ok"),
        ({"ok": {"path": "/done"}}, 200, {"done": 0}, "ok"),
        ({"ok": {"path": "/done"}}, 200, {"done": None}, "failed"),
        ({"ok": {"path": "/done"}}, 200, {}, "failed"),
        ({"ok": {"path": "/done", "equals": True}}, 200, {"done": True}, "ok"),
        ({"ok": {"path": "/done", "equals": True}}, 200, {"done": 1}, "failed"),
        ({"ok": {"path": "/n", "equals": 1}}, 200, {"n": 1.0}, "ok"),
        ({"ok": {"path": "/n", "equals": None}}, 200, {"n": None}, "ok"),
        ({"ok": {"path": "/n", "equals": None}}, 200, {}, "failed"),
        ({"ok": {"path": "", "equals": [1, 2]}}, 200, [1, 2], "ok"),
        ({"ok": {"status": ["2xx"], "path": "/ok"}}, 500, {"ok": 1}, "failed"),
        ({"skipped": {"status": [404]}}, 404, b"", "skipped"),
        ({"skipped": {"status": [200]}, "ok": {"status": [200]}}, 200, b"", "skipped"),
        ({"skipped": {"path": "/gone"}}, 200, {"gone": True}, "skipped"),
        ({"skipped": {"path": "/gone"}}, 200, {}, "ok"),
        ({"skipped": {"path": "/gone"}}, 200, b"", "ok"),
    ],
    ids=str,
)
def test_the_tests_of_an_answer(answer, status, body, kind):
    """`skipped` before `ok`, 2xx when nothing is said, equality as JSON has it."""
    assert read(answer, body, status).kind == kind


NAMED = {"value": "/price", "set": {"price": "/price"}, "detail": "/message"}


@pytest.mark.parametrize(
    ("body", "headers", "words"),
    [
        (b"<html><body>Welcome</body></html>", HTML, "no JSON (text/html, 33 bytes)"),
        (b"{", JSON, "no JSON"),
        (b'{"price": NaN}', JSON, "no JSON"),
        (b"\xff\xfe\x00", JSON, "UTF-8"),
        (b"[" * 100_000, JSON, "nested too deep"),
        (b"[" * 100 + b"]" * 100, JSON, "nested too deep"),
        (b'{"price": 1e999}', JSON, "too large"),
        (b'{"price": ' + b"9" * 10_000 + b"}", JSON, "too large"),
        (b"{}", {"content-type": "text/html; charset=punycode"}, None),
        (b"\xff", {"content-type": "application/json; charset=punycode"}, "UTF-8"),
    ],
    ids=["html", "cut", "nan", "bytes", "very deep", "deep", "infinite", "digits", "charset", "odd charset"],
)
def test_what_cannot_be_read_is_a_failure_that_says_so(body, headers, words):
    reading = read(NAMED, body, headers=headers)
    if words is None:
        assert reading.kind == "ok"
    else:
        assert reading.kind == "failed"
        assert words in reading.detail


def test_a_body_that_nobody_asks_for_may_be_anything():
    assert read({"ok": {"status": ["2xx"]}}, b"<html>\xff" * 10, headers=HTML).kind == "ok"


def test_no_body_sets_nothing_and_has_no_value():
    reading = read(NAMED, b"", 204)
    assert (reading.kind, reading.value, reading.set, reading.detail) == ("ok", None, {}, None)


def test_a_failure_tells_the_status_or_what_the_author_wants():
    assert read({}, b"", 500).detail == "answered 500 Internal Server Error"
    assert read({}, b"", 599).detail == "answered 599"
    assert "redirect is not followed" in read({}, b"", 302).detail
    assert read({"detail": "/error/message"}, {"error": {"message": "no stock"}}, 409).detail == "no stock"
    assert read({"detail": "/error"}, b"<html>", 502, HTML).detail == "answered 502 Bad Gateway"


def test_a_detail_is_short_and_one_that_can_be_stored():
    reading = read({"detail": "/m"}, {"m": "a\0b" + "é" * 1_000})
    assert (reading.detail[:3], len(reading.detail)) == ("abé", 300)
    assert read({"detail": "/m"}, b'{"m": "\\ud800x"}').detail == "x"
    assert read({"detail": "/m"}, {"m": {"a": [1, None]}}).detail == '{"a":[1,null]}'


def test_fields_are_set_unset_or_left():
    """A path that is missing leaves the field, a null unsets it."""
    paths = {"a": "/a", "b": "/list/1/x", "c": "/null", "d": "/missing", "e": "/list/9", "f": "/a/b"}
    reading = read({"set": paths}, {"a": "text", "list": [{}, {"x": 2}], "null": None})
    assert reading.set == {"a": "text", "b": 2, "c": None}


def test_what_is_set_can_be_stored():
    """No NUL, no lone surrogate, in names neither."""
    reading = read({"set": {"a": ""}}, b'{"x\\u0000": "\\u0000\\ud83d!"}')
    assert reading.set == {"a": {"x": "!"}}


def test_a_failed_answer_sets_nothing():
    reading = read({"set": {"a": "/a"}, "value": "/a"}, {"a": 1}, 500)
    assert (reading.set, reading.value) == ({}, None)


def test_a_value_is_for_the_model():
    assert read({"value": "/items/0/price"}, {"items": [{"price": 9.5}]}).value == 9.5
    assert read({"value": ""}, {"a": 1}).value == {"a": 1}
    assert read({"value": "/none"}, {"a": 1}).value is None


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", '"ISO-8859-1"'])
def test_old_charsets_are_read_when_the_answer_says_so(charset):
    headers = {"content-type": f"application/json; charset={charset}"}
    assert read({"value": "/a"}, '{"a": "ção"}'.encode("latin-1"), headers=headers).value == "ção"


def test_a_mark_of_the_byte_order_is_no_matter():
    assert read({"value": "/a"}, b'\xef\xbb\xbf{"a": 1}').value == 1


@given(st.binary(max_size=60), st.integers(0, 999), st.text(max_size=30))
def test_any_answer_is_read(body, status, content_type):
    """Nothing a server sends raises."""
    reading = read({**NAMED, "skipped": {"path": "/s"}}, body, status, {"content-type": content_type})
    assert reading.kind in {"ok", "skipped", "failed"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    st.text(max_size=6),
)
def test_any_text_points_at_something_or_nothing(document, text):
    """A pointer is well formed or not; a lookup never raises."""
    if is_pointer(text):
        value_at(document, text)
    assert value_at(document, "") == document


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("/a~1b", 1),
        ("/m~0n", 2),
        ("/", 3),
        ("/l/0", 4),
        ("/l/-", MISSING),
        ("/l/00", MISSING),
        ("/l/+0", MISSING),
        ("/x/y", MISSING),
    ],
)
def test_pointers_are_those_of_the_rfc(pointer, found):
    assert value_at({"a/b": 1, "m~n": 2, "": 3, "l": [4], "x": "text"}, pointer) == found
