"""A file that two programs would read in two ways is refused, at its line and column."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_django.authoring.json_files import parse_json
from falai_django.errors import AuthoringError


def places(content):
    with pytest.raises(AuthoringError) as caught:
        parse_json(content)
    return [problem.message.partition(":")[0] for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ('{"a": 1,\n  "b": {"a": 1, "a": 2}}', ["Line 2, column 17"]),
        ('{"a": {}, "a": []}', ["Line 1, column 11"]),
        ('[{"a":1}, {"a":1, "\\u0061":2}]', ["Line 1, column 19"]),
        (
            '{"a": NaN,\n\n"b": -Infinity, "c": 1e999, "d": "NaN"}',
            ["Line 1, column 7", "Line 3, column 6", "Line 3, column 22"],
        ),
        ("[" + "9" * 500 + "]", ["Line 1, column 2"]),
        ("[1,\n2,,3]", ["Line 2, column 3"]),
        ("", ["Line 1, column 1"]),
        ('{"a": "\n"}', ["Line 1, column 8"]),
        ("{} {}", ["Line 1, column 4"]),
    ],
    ids=range(9),
)
def test_what_is_wrong_is_told_at_its_place(content, where):
    """All of it at once, where it can be read on."""
    assert places(content) == where


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf[1]", "\ufeff[1]", "[1]", b"[1]"], ids=range(4))
def test_a_byte_order_mark_is_no_matter(content):
    assert parse_json(content) == [1]


def test_the_same_key_in_two_objects_is_no_matter():
    assert parse_json('[{"a": 1}, {"a": {"a": "a"}}, ["a", "a"]]') == [{"a": 1}, {"a": {"a": "a"}}, ["a", "a"]]


def test_another_encoding_is_named():
    with pytest.raises(AuthoringError, match="UTF-8 text at byte 7"):
        parse_json('{"a": "é"}'.encode("latin-1"))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1]))
def test_what_json_says_is_read(value, indent):
    """Just as the standard library reads it."""
    text = json.dumps(value, indent=indent, ensure_ascii=bool(indent))
    assert parse_json(text) == json.loads(text)


@given(st.dictionaries(st.text(), JSON, min_size=1), st.sampled_from([None, 1]))
def test_a_key_that_comes_again_is_always_found(value, indent):
    """Whatever lies between the two."""
    text = json.dumps(value, indent=indent)
    again = json.dumps(next(iter(value)))
    twice = text.rstrip()[:-1] + f", {again}: 1}}"
    at = len(twice) - len(again) - 4
    before = twice[:at]
    column = at - before.rfind(chr(10))
    assert places(twice) == [f"Line {before.count(chr(10)) + 1}, column {column}"]
