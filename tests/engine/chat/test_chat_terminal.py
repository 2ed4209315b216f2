"""The chat in front of a person: a prompt, editing, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import pytest

from tests.engine.chat.chat_process import Terminal, write_agent

HELLO = {
    "id": "hello",
    "on": [{"message": [], "repeat": "always"}],
    "steps": [{"id": "hi", "kind": "say", "say": "Welcome!"}],
}


@pytest.fixture
def terminal(tmp_path):
    with Terminal(write_agent(tmp_path, name="Ana", flows=[HELLO])) as terminal:
        terminal.wait_for("you> ")
        yield terminal


def test_a_person_is_prompted_and_notes_are_dimmed(terminal):
    """What the customer reads stands out from what only the author sees."""
    terminal.type("good morning\n")
    shown = terminal.wait_for("you> ")
    assert "Ana: Welcome!" in shown
    assert "\x1b[2m  · hello starts.\x1b[0m" in shown


def test_a_line_can_be_edited_and_taken_from_history(terminal):
    """Arrow up brings the last line back."""
    terminal.type("/state\n")
    terminal.wait_for("Wakes:")
    terminal.wait_for("you> ")
    terminal.type("\x1b[A\n")
    terminal.wait_for("Wakes:")


def test_ctrl_d_ends_politely(terminal):
    """The end of the input is a goodbye, with exit code 0."""
    terminal.type("\x04")
    assert terminal.wait_for_end() == 0
    assert "The conversation ends here." in terminal.shown


def test_ctrl_c_throws_the_line_away_and_says_how_to_leave(terminal):
    """It does not end the conversation, of which nothing is lost."""
    terminal.type("half a li")
    terminal.wait_for("half a li")
    # Python notices a Ctrl-C that comes just before it waits for a key at the next key, so there is one.
    terminal.type("\x03")
    terminal.type("\n")
    terminal.wait_for("Write on, or leave with /quit or Ctrl-D.")
    terminal.type("good morning\n")
    terminal.wait_for("Ana: Welcome!")
    terminal.type("/quit\n")
    assert terminal.wait_for_end() == 0


def test_the_conversation_is_kept_however_it_ends(tmp_path):
    """Ctrl-D keeps the scenario as /quit does."""
    out = tmp_path / "s.json"
    with Terminal(write_agent(tmp_path, flows=[HELLO]), "--scenario", out) as terminal:
        terminal.wait_for("you> ")
        terminal.type("hi\n")
        terminal.wait_for("you> ")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
    assert out.exists()
