"""One process serves and works; a port that is taken is no end of it."""

from __future__ import annotations

import socket

import pytest

from project.demo.serving import PortTakenError, bound_socket


@pytest.fixture
def listening():
    """A port that somebody listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_port_that_is_taken_is_told_and_the_next_is_taken(listening):
    told = []
    with bound_socket("127.0.0.1", listening, told.append) as found:
        assert found.getsockname()[1] > listening
    assert told[0] == listening


def test_what_was_found_is_nobody_elses(listening):
    """Two quickstarts that look at the same time get two ports."""
    with bound_socket("127.0.0.1", listening) as first, bound_socket("127.0.0.1", listening) as second:
        assert first.getsockname()[1] != second.getsockname()[1]


def test_where_every_port_is_taken_that_is_said(listening, monkeypatch):
    monkeypatch.setattr("project.demo.serving._PORTS", 1)
    with pytest.raises(PortTakenError):
        bound_socket("127.0.0.1", listening)
