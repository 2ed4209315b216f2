"""Turns through the API: answered, joined, queued, refused."""

from __future__ import annotations


def test_a_message_is_answered(stage, program):
    """200 with the messages and where the conversation stands."""
    response = program.says("oi", id="m1")
    assert response.status_code == 200, response.content
    told = response.json()
    assert told["turn"] == {"id": told["turn"]["id"], "kind": "message", "key": "m1", "state": "done"}
    assert [message["text"] for message in told["messages"]]
    assert "session" not in told
