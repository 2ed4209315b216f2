"""What the project's own pages show works as shown."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import BEGIN, END, SUITES
from falai_engine import MemoryStore, MessageInput, TurnInput
from falai_engine.document import Registrations, agent_from_spec
from falai_engine.providers.offline import OfflineProvider
from falai_engine.registry import Ok
from falai_engine.spec.declarations import EVENT, FIELD, IDLE, INSTRUCTION, VARIABLE
from falai_engine.spec.flow import FLOW
from falai_engine.spec.steps import STEPS, WAIT_EVENT
from falai_engine.spec.targets import BRANCH, CHAIN, GO_TO
from falai_engine.spec.triggers import TRIGGERS
from falai_engine.testing import run_scenario
from falai_engine.validation import validate_agent_all
from falai_engine.validation.agent import _KEYS as AGENT_KEYS

ROOT = Path(__file__).parent.parent.parent
PLACES = ("", "falai_engine", "falai_engine/testing", "falai_django", "project")
"""Where a file may lie that the table names in short."""


def example(page, language):
    """The one example of a page in a language."""
    (found,) = examples(page, language)
    return found


def examples(page, language):
    """All of them."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_scenario_on_the_testing_page_runs():
    """A user who copies the example conversation has a test that passes."""
    assert run_scenario(json.loads(example("falai_engine/testing/README.md", "json"))) == (2, None)


def test_the_program_on_the_front_page_runs(tmp_path):
    """A newcomer who copies the program sees a conversation that reaches its end."""
    program = tmp_path / "program.py"
    program.write_text(example("README.md", "python"), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - our own page
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )
    assert "to the sales team: Maria of Zeta" in done.stdout
    assert done.stdout.splitlines()[-1] == "Ana: Thank you, Maria. We will call you."


def test_the_agent_on_the_page_of_the_format_is_whole():
    """What is copied from there is loaded, and nothing is to be said of it."""
    document, request = map(json.loads, examples("examples/FORMAT.md", "json"))
    assert validate_agent_all(document) == []
    assert validate_agent_all({**document, "actions": {**document["actions"], "visits": request}}) == []
    registrations = Registrations(actions={"workshop.book": lambda params, call: Ok()})
    agent = agent_from_spec(document, provider=OfflineProvider(), registrations=registrations)
    told = MessageInput("I'd like an appointment. I'm Maria, on friday", id="m1")
    (*_, said) = agent.turn(TurnInput("s1", told, MemoryStore().load("s1"))).messages
    assert said.text == "See you on friday, Maria!"


def test_the_page_of_the_format_names_every_key():
    """A new key of the code is told there, too."""
    shapes = [
        FIELD,
        VARIABLE,
        EVENT,
        INSTRUCTION,
        IDLE,
        FLOW,
        BRANCH,
        GO_TO,
        CHAIN,
        *STEPS.values(),
        *TRIGGERS.values(),
    ]
    keys = AGENT_KEYS.union(WAIT_EVENT, STEPS, *(shape.keys for shape in shapes))
    page = (ROOT / "examples/FORMAT.md").read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`\n]+)`", page))
    assert sorted(key for key in keys if not re.search(rf"\b{key}\b", code)) == []


EXAMPLES = (ROOT / "examples/README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(\.venv/bin/python .*)$", EXAMPLES, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_examples_run_as_written(command):
    """By a shell in the clone, with this test's Python in the place of the clone's own."""
    done = subprocess.run(  # noqa: S603 - our own page
        ["bash", "-c", command.replace(".venv/bin/python", shlex.quote(sys.executable))],  # noqa: S607
        cwd=ROOT,
        input="/quit\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout


def test_the_files_that_the_front_page_names_are_there():
    """The table of where things live points at files and folders that exist."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    table = page[page.index("## Where things live") :]
    named = [
        name for name in re.findall(r"`([a-z_./]+(?:/|\.py|\.toml|\.lock|/run))`", table) if "/" in name or "." in name
    ]
    assert len(named) > 20
    for name in named:
        assert any((ROOT / place / name).exists() for place in PLACES), name


def test_the_table_of_speeds_has_a_row_for_each_measure():
    """The page shows all that is measured; one target is missed, and the page says which."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    table = page[page.index(BEGIN) : page.index(END)]
    rows = re.findall(r"^\| (.+?) \| ([\d.]+) (\w+) \| ([\d.]+) (\w+) \|$", table, re.MULTILINE)
    assert len(rows) == sum(map(len, SUITES.values()))
    assert all(unit == of for _, _, unit, _, of in rows)
    missed = [name for name, value, _, target, _ in rows if float(value) > float(target)]
    assert missed == ["turns a second by LangGraph, same dialogue / by the host"]
    assert "One target is missed: the host takes" in page
