"""Events out of bytes, wherever they are cut and however the lines end."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from falai_engine.providers.server_sent_events import EventReader, ServerSentEvent

WHOLE = (
    '\ufeffevent: first\ndata: {"é": 1}\n\n: a comment\n\nid: 7\nretry: 10\ndata:two\ndata: lines\n\n'
    "data\n\nevent: named\n\ndata: \N{GRINNING FACE}\n\n"
)
EVENTS = [
    ServerSentEvent("first", '{"é": 1}'),
    ServerSentEvent("message", "two\nlines"),
    ServerSentEvent("message", ""),
    ServerSentEvent("message", "\N{GRINNING FACE}"),
]


def read(pieces):
    reader = EventReader()
    return [*(event for piece in pieces for event in reader.feed(piece)), *reader.close()]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_cut_gives_the_same_events(newline):
    """In a character, between the two of a line's end, in a field's name: it does not matter where a piece ends."""
    data = WHOLE.replace("\n", newline).encode()
    assert read([data]) == EVENTS
    assert read([data[place : place + 1] for place in range(len(data))]) == EVENTS
    for cut in range(len(data)):
        assert read([data[:cut], data[cut:]]) == EVENTS


@example([b"data: a", b"\r", b"", b"\n", b"data: a"])
@given(st.lists(st.sampled_from([b"data: a", b"\r", b"\n", b"\r\n", b"", b"data:", b":", b"x"]), max_size=20))
def test_pieces_are_no_more_than_their_sum(pieces):
    """However the same bytes are cut, the same events come."""
    assert read(pieces) == read([b"".join(pieces)])


def test_an_event_that_only_the_end_completes():
    """Some servers end without the blank line, or without a line's end."""
    assert read([b"data: [DONE]"]) == [ServerSentEvent("message", "[DONE]")]
    assert read([b"data: x\n"]) == [ServerSentEvent("message", "x")]
    assert read([b"data: x\n\n"]) == [ServerSentEvent("message", "x")]


def test_bytes_that_are_no_text():
    """They are replaced, never a failure."""
    assert read([b"data: \xff\n\n"]) == [ServerSentEvent("message", "\ufffd")]
