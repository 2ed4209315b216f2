"""The text of `message` out of growing JSON: exactly what the reply has, at every moment a beginning of it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine.providers.json_text import first_object
from falai_engine.providers.message_stream import MessageStream

ESCAPES = ['\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u00e9", "\\u0000", "\\u2028", "\\uD83D\\uDE00"]
HALVES = ["\\ud83d", "\\uDE00", "\\uDBFF", "\\udc00"]

# A JSON string as a model may write it: characters as they are or escaped, whole and half surrogate pairs.
string_parts = st.one_of(
    st.characters(blacklist_categories=("Cs",), blacklist_characters='"\\'),
    st.sampled_from(ESCAPES),
    st.sampled_from(HALVES),
    st.integers(0, 0xFFFF).map("\\u{:04x}".format),
)
written_strings = st.lists(string_parts, max_size=7).map(lambda parts: '"' + "".join(parts) + '"')
blanks = st.sampled_from(["", " ", "\n", "\t \r\n"])
keys = st.one_of(st.sampled_from(['"message"', '"m\\u0065ssage"', '"Message"', '"size"', '""']), written_strings)
leaves = st.one_of(
    written_strings,
    st.sampled_from(["null", "true", "-1.5e3", "0", "[]", "{}", '{"message":"deep"}', '[{"message":"deep"}]']),
)


def written_objects(values):
    members = st.lists(st.tuples(blanks, keys, blanks, blanks, values, blanks), max_size=4)
    return st.builds(
        lambda pairs: "{" + ",".join(f"{a}{key}{b}:{c}{value}{d}" for a, key, b, c, value, d in pairs) + "}", members
    )


objects = written_objects(st.recursive(leaves, written_objects, max_leaves=4))
prefaces = st.sampled_from(["", " ", "Sure:\n```json\n", "{x} is no object: ", "{{", "{ } here", "é: {[1]} "])


def said(text):
    found = first_object(text)
    message = found.get("message") if found is not None else None
    return message if isinstance(message, str) else ""


def fed(pieces):
    stream = MessageStream()
    return "".join([stream.feed(piece) for piece in pieces])


@given(objects, st.sampled_from(["", "\n```", " and more", '{"message":"other"}']), st.data())
def test_it_is_the_message_wherever_it_is_cut(written, behind, data):
    """Every escape, surrogate pairs whole and half, duplicate keys, `message` last, deeper or missing."""
    text, message = written + behind, said(written)
    stream, shown = MessageStream(), ""
    for char in text:
        shown += stream.feed(char)
        assert message.startswith(shown)
    assert shown == message
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    assert fed([text[start:end] for start, end in pairwise([0, *places, len(text)])]) == message


@given(prefaces, objects)
def test_what_stands_before_the_object_is_passed_over(preface, written):
    """A code fence, prose, braces in prose: nothing that the reply has not is ever given."""
    text = preface + written
    message, shown = said(text), fed(text)
    # In doubt (a brace in prose that could have begun an object) it says nothing, and the end of the stream brings all.
    assert shown in {"", message}
    if "{" not in preface:
        assert shown == message


@given(objects, st.integers(0, 200))
def test_a_reply_that_breaks_off_shows_a_beginning_of_what_it_would_have_said(written, length):
    """Cut off anywhere, what was given begins what would have come."""
    assert said(written).startswith(fed(written[:length]))


@given(st.text(max_size=60))
def test_it_never_fails(text):
    """Whatever comes, and it never gives more than came."""
    assert len(fed(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"message":"a","message":"b"}', "a"),
        ('{"message":null,"message":"b"}', ""),
        ('{"message":["a"]}', ""),
        ('{"size":"message","message":"x"}', "x"),
        ('{"a":{"message":"deep"},"message":"top"}', "top"),
        ('{"m\\u0065ssage":"escaped key"}', "escaped key"),
        ('{"message":"\\ud83d\\ude00"}', "\N{GRINNING FACE}"),
        ('{"message":"\\ud83dx\\ude00"}', "\ufffdx\ufffd"),
        ('{"message":"\\ud83d"}', "\ufffd"),
        ('{"message":"raw\nnewline"}', "raw\nnewline"),
        ('{"size":1,"message":"last"}', "last"),
        ('{"size":1}', ""),
        ("{}", ""),
    ],
)
def test_the_cases_by_name(text, message):
    """One for each thing that can go wrong, cut at every position: the same as the reply reads."""
    assert message == said(text)
    for cut in range(len(text) + 1):
        assert fed([text[:cut], text[cut:]]) == message


@pytest.mark.parametrize("text", ['{"message":"a\\x', '{"message":"a\\u12G4', '{"message":"a\\'])
def test_a_broken_escape_ends_it(text):
    """Nothing is guessed behind an escape that is none."""
    assert fed(text + 'more"}') == "a"


def test_it_agrees_with_the_standard_library():
    """`first_object` reads an ordinary object as json does."""
    value = {"message": "é\N{GRINNING FACE}\u2028", "n": [1, 2.5, None, True, {"x": "y"}]}
    assert first_object(json.dumps(value)) == first_object(json.dumps(value, ensure_ascii=False)) == value
