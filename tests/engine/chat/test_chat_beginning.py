"""How the chat begins: the agent's file, its registry, and what is told when one of them cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.engine.chat.chat_process import ROOT, chat, command, ran, write_agent

HELLO = {"id": "hello", "on": [{"message": []}], "steps": [{"id": "hi", "kind": "say", "say": "Welcome!"}]}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "agent.json: No such file or directory. Give the path of an agent written as JSON."),
        (b"", "agent.json:1:1: not JSON"),
        (b'{"name": "Ana",\n  "flows": [}', "agent.json:2:13: not JSON"),
        (b"\xff\xfe", "agent.json: not UTF-8 at byte 0. Save the file as UTF-8."),
        (b"[" * 100_000, "agent.json: nested too deep"),
        (b"[1]", "agent.json: error: agent: it is a list"),
    ],
)
def test_a_file_that_is_no_agent_says_where_and_what_to_do(tmp_path, content, told):
    """A broken file ends the program before it begins, with exit code 2 and no traceback."""
    path = tmp_path / "agent.json"
    if content is not None:
        path.write_bytes(content)
    held = chat(path)
    assert (held.code, held.out) == (2, "")
    assert told in held.err
    assert "Traceback" not in held.err


def test_every_problem_of_an_agent_is_told_at_once(tmp_path):
    """All errors and warnings, each with its path in the document and what to do about it."""
    steps = [
        {"id": "a", "kind": "collect", "collect": ["nmae"]},
        {"id": "b", "kind": "do", "do": "call", "then": "nowhere"},
        {"id": "c", "kind": "wait", "wait": "soon"},
    ]
    agent = write_agent(tmp_path, fields={"name": {"type": "string"}}, flows=[{"id": "f", "steps": steps}])
    held = chat(agent)
    assert held.code == 2
    for path in ("collect[0]", "do", "then", "wait"):
        assert f"flows[0].steps[{'0112'[['collect[0]', 'do', 'then', 'wait'].index(path)]}].{path}: error: " in held.err
    assert 'Write "name"' in held.err
    assert "    Write a number and one of s, m, h, d without a space" in held.err


def test_warnings_are_told_and_the_chat_goes_on(tmp_path):
    """A warning is no reason not to try the agent."""
    agent = write_agent(
        tmp_path, name="Ana", flows=[HELLO, {"id": "f", "steps": [{"id": "x", "kind": "say", "say": "{{data.x}}"}]}]
    )
    held = chat(agent, lines=["hi"])
    assert held.code == 0
    assert "Ana: Welcome!" in held.out
    assert "agent.json flows[1]: warning: " in held.err


def test_a_document_may_begin_with_a_byte_order_mark(tmp_path):
    """Some editors write one."""
    agent = write_agent(tmp_path, flows=[HELLO])
    agent.write_bytes(b"\xef\xbb\xbf" + agent.read_bytes())
    assert chat(agent).code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "the following arguments are required: FILE"),
        (["agent.json", "--start", "soon"], "argument --start"),
        (["agent.json", "--speed", "9"], "unrecognized arguments"),
    ],
)
def test_wrong_arguments_say_how_to_call_it(arguments, told):
    """A slip on the command line shows the usage, with exit code 2."""
    held = chat(*arguments, start=None)
    assert held.code == 2
    assert "usage: python -m falai_engine.chat" in held.err
    assert told in held.err


def test_a_scenario_needs_a_folder_that_is_there(tmp_path):
    """Nobody holds a conversation that cannot be kept in the end."""
    held = chat(write_agent(tmp_path, flows=[HELLO]), "--scenario", tmp_path / "nowhere" / "s.json", lines=["hi"])
    assert (held.code, held.out) == (2, "")
    assert "Make the folder first." in held.err


# -- without a registry


GREET = [{"id": "note", "kind": "do", "do": "note", "with": {"what": "x"}}, *HELLO["steps"]]
REQUEST = {"method": "POST", "url": "https://example.com"}
STAND_INS = {
    "flows": [
        {"id": "hello", "on": [{"message": [], "repeat": "always", "if": {"open": True}}], "steps": GREET},
        {
            "id": "shut",
            "on": [{"mention": [], "if": {"open": False}}],
            "steps": [{"id": "n", "kind": "say", "say": "No."}],
        },
    ],
    "actions": {"note": {"kind": "http", "request": REQUEST, "parameters": {"what": {"type": "string"}}}},
    "conditions": {"open": {"kind": "python", "name": "is_open"}},
}


def test_what_nobody_registered_has_a_stand_in_and_is_told_once(tmp_path):
    """An action answers ok; a condition holds where its argument is true. Each name is told once."""
    held = chat(write_agent(tmp_path, name="Ana", **STAND_INS), lines=["hi", "hi again"])
    assert held.out.count("Ana: Welcome!\n") == 2
    assert "Ana: No." not in held.out
    assert 'note {"what":"x"} gave {"ok":true}\n' in held.out
    assert held.out.count("The action note is not registered here") == 1
    assert held.out.count("The condition open is not registered here") == 1


def test_a_tool_that_nobody_registered_answers_ok(tmp_path):
    """A model that calls the tool reads {"ok": true}."""
    talk = {"id": "look", "kind": "prompt", "prompt": "Use opening_hours and answer."}
    agent = write_agent(
        tmp_path,
        locale="en",
        tools=[{"id": "opening_hours", "description": "Looks up the opening hours."}],
        flows=[{"id": "f", "on": [{"message": []}], "steps": [talk]}],
    )
    held = chat(agent, lines=["when do you open?"])
    assert 'opening_hours {} gave {"value":{"ok":true}}\n' in held.out
    assert 'The tool opening_hours is not registered here, so it answers {"ok": true}' in held.out


# -- with a registry

REGISTRY = """
from falai_engine import Action, ConditionDefinition, Failed, Ok, Registrations, Tool, ToolResult

def book(params, call):
    call.set({"booked": params["day"]})
    return Ok("desk 4")

async def later(params, call):
    return {"skipped": "nothing to do"}

def broken(params, call):
    raise ConnectionError("the diary does not answer")

def refused(params, call):
    return Failed("the day is full")

def stuck(argument, scope):
    if scope.data.get("booked"):
        raise LookupError("no such table")
    return True

registrations = Registrations(
    actions={"diary.book": Action(book), "later": Action(later), "broken": Action(broken), "refused": Action(refused)},
    conditions={"stuck": ConditionDefinition(stuck)},
)
"""

BOOKING = {
    "fields": {"booked": {"type": "string"}},
    "actions": {
        "book": {"kind": "python", "name": "diary.book", "parameters": {"day": {"type": "string"}}},
        "later": {},
        "broken": {},
        "refused": {},
    },
    "flows": [
        {
            "id": "booking",
            "steps": [
                {"id": "a", "kind": "do", "do": "book", "with": {"day": "{{input.day}}"}},
                {"id": "b", "kind": "do", "do": "later"},
                {"id": "c", "kind": "do", "do": "broken"},
                {"id": "d", "kind": "do", "do": "refused", "onFail": "e"},
                {"id": "e", "kind": "say", "say": "Booked for {{data.booked}}."},
            ],
        }
    ],
}


def write_registry(folder, text=REGISTRY):
    (folder / "our_diary.py").write_text(text, encoding="utf-8")
    return folder


def test_a_registry_brings_python(tmp_path):
    """Registered actions run, sync or async, and their failures are told, not raised."""
    python_path = f"{ROOT}{os.pathsep}{write_registry(tmp_path)}"
    agent = write_agent(tmp_path, name="Ana", **BOOKING)
    held = chat(agent, "--registry", "our_diary", lines=['/start booking {"day": "Monday"}'], python_path=python_path)
    assert "Ana: Booked for Monday.\n" in held.out
    assert 'book {"day":"Monday"} gave {"set":{"booked":"Monday"},"ok":true,"detail":"desk 4"}\n' in held.out
    assert "booking/b: The action had nothing to do. (nothing to do)\n" in held.out
    assert "booking/c: The action failed. (the diary does not answer)\n" in held.out
    assert "booking/d: The action failed. (the day is full, next e)\n" in held.out
    assert "not registered" not in held.out


def test_an_error_of_a_turn_is_shown_and_the_chat_goes_on(tmp_path):
    """A condition that raises ends its turn, of which nothing is kept, and not the conversation."""
    python_path = f"{ROOT}{os.pathsep}{write_registry(tmp_path)}"
    flows = [*BOOKING["flows"], {**HELLO, "on": [{"message": [], "if": {"stuck": True}}]}]
    agent = write_agent(tmp_path, name="Ana", **{**BOOKING, "flows": flows})
    lines = ['/start booking {"day": "Monday"}', "hi", "/state"]
    held = chat(agent, "--registry", "our_diary", lines=lines, python_path=python_path)
    assert held.code == 0
    assert "The turn failed and nothing of it was kept: no such table\n" in held.out
    assert 'booked = "Monday"' in held.after("no such table")


def test_a_condition_that_raises_while_wakes_are_looked_up_is_shown(tmp_path):
    """The same where no turn is taken yet."""
    python_path = f"{ROOT}{os.pathsep}{write_registry(tmp_path)}"
    nudge = {**HELLO, "on": [{"silence": "1h", "if": {"stuck": True}}]}
    agent = write_agent(tmp_path, **{**BOOKING, "flows": [*BOOKING["flows"], nudge]})
    held = chat(agent, "--registry", "our_diary", lines=['/start booking {"day": "Monday"}'], python_path=python_path)
    assert held.code == 0
    assert "no such table\n" in held.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "--registry our_diary: cannot be imported (ModuleNotFoundError"),
        ("1 / 0", "--registry our_diary: cannot be imported (ZeroDivisionError"),
        ("ACTIONS = {}", "--registry our_diary: has no `registrations`. Write `registrations = falai_engine.Reg"),
    ],
)
def test_a_registry_that_cannot_be_used_says_why(tmp_path, text, told):
    """A wrong module ends the program before it begins, with exit code 2."""
    if text is not None:
        write_registry(tmp_path, text)
    held = chat(
        write_agent(tmp_path, flows=[HELLO]), "--registry", "our_diary", python_path=f"{ROOT}{os.pathsep}{tmp_path}"
    )
    assert (held.code, held.out) == (2, "")
    assert told in held.err


# -- its surroundings


WITHOUT_HTTPX = """
import runpy, sys
sys.modules["httpx"] = None
sys.argv = ["chat", sys.argv[1]]
runpy.run_module("falai_engine.chat", run_name="__main__")
"""


def test_the_chat_needs_no_package_at_all(tmp_path):
    """It runs on the standard library alone: httpx is not even looked for."""
    agent = write_agent(tmp_path, name="Ana", flows=[HELLO])
    found = ran([sys.executable, "-c", WITHOUT_HTTPX, agent], b"hi\n")
    assert (found.code, found.err) == (0, "")
    assert "Ana: Welcome!" in found.out


def test_words_of_every_kind_pass_through(tmp_path):
    """Accents and emoji arrive, whatever the locale of the machine; bytes that are no text do no harm."""
    say = {"id": "hi", "kind": "say", "say": "Olá, é você? 😊"}
    flow = {"id": "f", "on": [{"message": [], "repeat": "always"}], "steps": [say]}
    agent = write_agent(tmp_path, name="Ána", flows=[flow])
    found = ran(command(agent), "é 😊\n".encode() + b"\xff\n", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    assert (found.code, found.err) == (0, "")
    assert found.out.count("Ána: Olá, é você? 😊\n") == 2


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    """`| head -1` ends the chat without a word."""
    agent = write_agent(tmp_path, flows=[{**HELLO, "on": [{"message": [], "repeat": "always"}]}])
    with subprocess.Popen(  # noqa: S603 - it is our own
        command(agent), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write("hi\n" * 200)
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


def test_the_agent_s_file_is_only_read(tmp_path):
    """The document is the author's; the chat changes nothing in it."""
    agent = write_agent(tmp_path, **STAND_INS)
    before = json.loads(agent.read_text())
    chat(agent, lines=["hi"])
    assert json.loads(agent.read_text()) == before
