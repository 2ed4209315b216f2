"""What comes from outside is read without a failure, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine.providers.json_text import arguments_of, first_object, parsed, reach


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 2}', {"a": 1}),
        ('{"a": "raw\nnewline"}', {"a": "raw\nnewline"}),
        ('{"a": ', {}),
        ("", {}),
        ("null", {}),
        ("[1]", {}),
        ('"{}"', {}),
        (None, {}),
        (7, {}),
        (["a"], {}),
        ('{"a":' * 5_000, {}),
    ],
)
def test_arguments_come_as_text_as_an_object_or_broken(raw, arguments):
    """Broken ones are `{}`: the tool's own validation speaks."""
    assert arguments_of(raw) == arguments


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1.5}', {"a": None, "b": None, "c": None, "d": 1.5}),
        ('{"\\ud800": ["\\udc00"]}', {"\ufffd": ["\ufffd"]}),
        ('prose {not json} {"a": {"b": 1, "b": 2}} {"c": 3}', {"a": {"b": 1}}),
        ('[{"in": "a list"}]', {"in": "a list"}),
        ("{" * 100_000, None),
        ('{"a":' * 2_000, None),
        ("no object", None),
        ('{"a": ' + "9" * 5_000 + "}", None),
    ],
)
def test_the_first_object_of_a_text(text, value):
    """The first that parses; of duplicate keys the first counts, at any depth; only what a database takes."""
    assert first_object(text) == value


def test_a_body_may_have_a_mark_and_blanks_around():
    """A byte order mark is no reason to lose a reply."""
    assert parsed("\ufeff\n {} \n".encode()) == {}
    assert parsed(b"\xff{}") is None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_reaching_never_fails(value):
    """A path into junk is None."""
    reach(value, "a", 0, "b", -1)
    reach(value, 0, "a")
    assert reach(value) == value


def test_reaching():
    """Keys and indexes, no further than there is something."""
    assert reach({"a": [{"b": 1}]}, "a", 0, "b") == 1
    assert reach({"a": [1]}, "a", 1) is None
    assert reach({"a": [1, 2]}, "a", -1) == 2
    assert reach("abc", 0) is None
