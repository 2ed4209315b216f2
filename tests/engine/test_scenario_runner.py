"""`python -m falai_engine.testing FILE...`: what it reads, what it says, and how it ends."""

from __future__ import annotations

import copy
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from falai_engine.testing import run_scenario

ROOT = Path(__file__).resolve().parents[2]
AT = "2026-09-21T10:00:00.000Z"

HELLO = {
    "text": "Hello.",
    "kind": "verbatim",
    "afterMs": 0,
    "key": "hello#m1:a:1",
    "runId": "hello#m1",
    "stepId": "a",
}
GREETING = {
    "name": "greets by name",
    "start": AT,
    "agent": {
        "fields": {"name": {"type": "string"}},
        "idle": "silent",
        "flows": [{"id": "hello", "on": [{"message": []}], "steps": [{"id": "a", "kind": "say", "say": "Hello."}]}],
    },
    "turns": [
        {
            "at": AT,
            "input": {"sessionId": "s", "message": "hi", "id": "m1"},
            "expect": {"result": {"messages": [HELLO]}, "calls": []},
        },
        {"at": AT, "input": {"sessionId": "s", "message": "hi", "id": "m1"}, "expect": {"result": {"changed": False}}},
    ],
}


def changed(path, value, scenario=GREETING):
    """A copy of a scenario with one part replaced; `path` as in `turns.0.expect`."""
    copied = copy.deepcopy(scenario)
    *parents, last = path.split(".")
    inner = copied
    for key in parents:
        inner = inner[int(key) if key.isdigit() else key]
    inner[last] = value
    return copied


WRONG_TEXT = changed("turns.0.expect.result.messages.0.text", "Good morning.")


@pytest.fixture
def write(tmp_path):
    """`write(name, content)`: a file of JSON, compressed when its name says so; the path."""

    def write_file(name, content):
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") and not isinstance(content, bytes) else raw)
        return path

    return write_file


def run(*paths):
    """The program on these files: exit code, lines of stdout, stderr."""
    done = subprocess.run(  # noqa: S603 - this Python on our own files
        [sys.executable, "-m", "falai_engine.testing", *map(str, paths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_scenarios_that_agree(write):
    """Exit 0 and one line that counts; a list, one scenario alone, and compressed files are read alike."""
    files = write("list.json", [GREETING, GREETING]), write("one.json", GREETING), write("packed.json.gz", [GREETING])
    assert run(*files) == (0, ["4 scenarios, 8 turns, 0 differ"], "")


def test_the_vectors_agree():
    """The files that come with the project are scenario files."""
    vectors = ROOT / "tests" / "vectors"
    code, out, _ = run(vectors / "scenarios-named.json", vectors / "scenarios-random.json.gz")
    assert (code, out) == (0, ["160 scenarios, 1205 turns, 0 differ"])


def test_a_difference_is_told_by_its_path(write):
    """Exit 1; the first difference of each scenario that differs is a path, what was expected, what was got."""
    path = write("mixed.json", [WRONG_TEXT, GREETING, {**WRONG_TEXT, "name": "once more"}])
    code, out, _ = run(path)
    shown = [
        "  turns[0].result.messages[0].text",
        '    expected "Good morning."',
        '    got      "Hello."',
    ]
    assert code == 1
    assert out == [
        f"{path}: greets by name",
        *shown,
        f"{path}: once more",
        *shown,
        "3 scenarios, 4 turns, 2 differ",
    ]


UNREADABLE = {
    "absent.json": None,
    "broken.json": b'[{"name": ',
    "not-text.json": b"\xff\xfe\x00",
    "plain.json.gz": b"[]",
    "cut.json.gz": gzip.compress(b"[" + b" " * 4000 + b"]")[:-12],
    "garbled.json.gz": gzip.compress(b"[]")[:10] + b"\xff" * 20,
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_read(write, tmp_path, name):
    """Exit 2 with one sentence that names the file; no traceback, no count that looks like success."""
    content = UNREADABLE[name]
    path = tmp_path / name if content is None else write(name, content)
    code, out, err = run(path)
    assert (code, out) == (2, [])
    assert name in err


@pytest.mark.parametrize(
    "content",
    [
        [5],
        "text",
        [{"name": "x"}],
        [{**GREETING, "turns": 5}],
        [{**GREETING, "start": "noon"}],
        [{**GREETING, "agent": None}],
        [changed("turns.0.at", "noon")],
    ],
    ids=["number", "text", "no turns", "turns no list", "start no time", "no agent", "turn at no time"],
)
def test_what_is_not_a_scenario(write, content):
    """Exit 2 with a sentence that names the file, when a file is JSON and no scenario."""
    path = write("strange.json", content)
    code, out, err = run(path)
    assert (code, out) == (2, [])
    assert "strange.json" in err


def test_a_wrong_agent_is_told_with_its_scenario(write):
    """A scenario whose agent cannot be built, and that expects no error, is named together with the reason."""
    path = write(
        "wrong.json", [GREETING, changed("agent.flows.0.steps.0.then", "nowhere", {**GREETING, "name": "lost"})]
    )
    code, out, err = run(path)
    assert code in {1, 2}
    assert "wrong.json" in "\n".join([*out, err])
    assert "nowhere" in "\n".join([*out, err])


def test_no_file_is_a_mistake_and_help_is_not():
    """Without a file the usage and exit 2, with --help the usage and exit 0."""
    code, out, err = run()
    assert code == 2
    assert "usage" in "\n".join([*out, err])
    code, out, _ = run("--help")
    assert code == 0
    assert "usage" in out[0]


# -- what is compared (in this process: the program runs the same function)


def difference(scenario):
    """The path of the first difference, None when there is none."""
    found = run_scenario(scenario)[1]
    return None if found is None else found.path


@pytest.mark.parametrize("part", ["result", "calls", "actions", "tools"])
def test_a_part_left_out_of_expect_is_not_compared(part):
    """Only what `expect` lists is compared; the same part listed wrongly differs."""
    empty = changed("turns.0.expect", {})
    assert difference(empty) is None
    wrong = {"changed": "maybe"} if part == "result" else [{"name": "nobody"}]
    found = difference(changed("turns.0.expect", {part: wrong}))
    assert found is not None
    assert found.startswith(f"turns[0].{part}")


def test_of_a_result_that_lists_some_parts_only_those_are_compared():
    """`result: {changed}` says nothing of messages; a whole result is compared to the last part."""
    assert difference(changed("turns.0.expect.result", {"changed": True})) is None
    assert difference(changed("turns.0.expect.result", {"changed": False})) == "turns[0].result.changed"
    lists = {key: [] for key in ("messages", "schedule", "outcomes", "started", "ended", "skipped")}
    whole = {"session": {}, "changed": True, "llmCalls": 0, **lists}
    assert difference(changed("turns.0.expect.result", whole)) == "turns[0].result.session.id"


def test_more_than_expected_is_a_difference():
    """A message too many, or a key too many in one, differs as one too few does."""
    assert difference(changed("turns.0.expect.result.messages", [])) == "turns[0].result.messages[0]"
    assert difference(changed("turns.0.expect.result.messages", [HELLO, {}])) == "turns[0].result.messages[1]"
    keyless = {key: value for key, value in HELLO.items() if key != "runId"}
    assert difference(changed("turns.0.expect.result.messages", [keyless])) == "turns[0].result.messages[0].runId"


def test_a_boolean_is_no_number():
    """The comparison is JSON's: 1 is 1.0 and is not true."""
    assert difference(changed("turns.0.expect.result", {"llmCalls": 0.0})) is None
    assert difference(changed("turns.0.expect.result", {"llmCalls": False})) == "turns[0].result.llmCalls"


def test_expect_error_of_an_agent():
    """`expectError` asks for an agent that cannot be built, with an error of this name."""
    wrong = changed("agent.flows.0.steps.0.then", "nowhere")
    del wrong["turns"]
    assert difference({**wrong, "expectError": {"name": "FlowConfigurationError"}}) is None
    assert difference({**wrong, "expectError": {"name": "KeyError"}}) == "expectError.name"
    assert difference({**GREETING, "expectError": {"name": "FlowConfigurationError"}}) == "expectError"


def test_an_error_of_a_turn():
    """`expect.error` compares the name and what else it lists; a turn that went through, or failed unasked, differs."""
    flow = {
        "id": "f",
        "on": [{"message": ["x"]}, {"mention": ["y"]}],
        "steps": [{"id": "a", "kind": "prompt", "prompt": "p"}],
    }
    failing = changed("agent.flows", [flow])
    failing["turns"] = [{"at": AT, "input": failing["turns"][0]["input"], "expect": {}}]
    failing["turns"][0]["understand"] = [{"fail": {"kind": "rate"}}]
    error = {"name": "ProviderError", "kind": "rate"}
    assert difference(changed("turns.0.expect", {"error": error}, failing)) is None
    assert difference(changed("turns.0.expect", {"error": {"name": "ProviderError"}}, failing)) is None
    assert difference(changed("turns.0.expect", {"error": {**error, "kind": "auth"}}, failing)) == "turns[0].error.kind"
    assert difference(changed("turns.0.expect", {"result": {"changed": True}}, failing)) == "turns[0].result"
    assert difference(changed("turns.0.expect", {"error": error})) == "turns[0].error"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([changed("turns.0.expcet", {})], "did you mean `expect`"),
        ([{**GREETING, "truns": []}], "did you mean `turns`"),
        ([changed("turns.0.expect", [1])], "`expect`"),
        ([changed("turns.0.speak", [5])], "`speak`"),
        ([changed("turns.0.speak", [{"fail": {"kind": "nope"}}])], '"nope"'),
        ({"name": "Ana", "flows": []}, "an agent's document is not a scenario"),
    ],
    ids=["expect", "turns", "expect no object", "answers", "error kind", "an agent"],
)
def test_a_slip_of_the_pen_is_no_green_test(write, content, told):
    """A part that is misspelt or of a wrong shape would leave a test that tests nothing: it is told, with exit 2."""
    code, out, err = run(write("slip.json", content))
    assert (code, out) == (2, [])
    assert told in err


def test_a_scenario_runs_against_a_changed_agent(write):
    """`--agent` shows what a change of the agent changes in the conversations that are kept."""
    document = changed("agent.flows.0.steps.0.say", "Good morning.")["agent"]
    code, out, _ = run("--agent", write("agent.json", document), write("kept.json", [GREETING]))
    assert (code, out[1], out[-1]) == (1, "  turns[0].result.messages[0].text", "1 scenarios, 1 turns, 1 differ")
